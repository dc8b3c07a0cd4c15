import Schema from 'typebox/schema';

interface Answer {
  readonly content: Readonly<Record<string, { readonly schema: object }>>;
}

/**
 * Returns what is wrong with a 200 of `GET /search`, by its media type, given the OpenAPI document: there a field that the document does
 * not list is wrong, too.
 */
export function closedErrors(document: {
  readonly paths: object;
  readonly components: object;
}): (type: string, value: unknown) => unknown[] {
  const paths = document.paths as Record<string, { get: { responses: Record<number, Answer> } }>;
  const content = paths['/search']?.get.responses[200]?.content ?? {};
  const components = closed(document.components);
  return (type, value) => {
    const [isValid, errors] = Schema.Errors({ ...content[type]?.schema, components }, value);
    return isValid ? [] : errors;
  };
}

/** A schema whose objects have no fields but those that are listed. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, closed(field)]),
  );
  return 'properties' in value ? { additionalProperties: false, ...fields } : fields;
}
