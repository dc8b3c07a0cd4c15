interface Parameter {
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/**
 * Returns an OpenAPI document whose optional parameters have their examples in their descriptions: a page that tries routes fills
 * in every example, and a search with all of them at once is not what a reader means.
 */
export function withDescribedExamples(document: object): object {
  return JSON.parse(JSON.stringify(document), (key, value) =>
    key === 'parameters' && Array.isArray(value) ? value.map(described) : value,
  );
}

function described(parameter: Parameter): Parameter {
  const { example, examples = {}, ...rest } = parameter;
  const all = [example, ...Object.values(examples).map(({ value }) => value)].filter(
    (value) => value !== undefined,
  );
  if (parameter.required === true || all.length === 0) return parameter;
  const shown = all.map((value) => `\`${value}\``).join(' or ');
  return {
    ...rest,
    description: `${parameter.description ?? ''}, as ${shown}`.replace(/^, a/, 'A'),
  };
}
