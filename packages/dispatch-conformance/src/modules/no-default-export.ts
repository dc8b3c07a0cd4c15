/** A module that forgot its default export. */
export const tasks: { readonly echo: (input: unknown) => unknown } = { echo: (input) => input };
