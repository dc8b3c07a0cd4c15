/** Module without a default export. */
export const tasks: { readonly echo: (input: unknown) => unknown } = { echo: (input) => input };
