/** Fields of which each may be absent, and none is `undefined`. */
export type PresentFields<T> = { readonly [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Returns the fields that are not `undefined`. */
export function presentFields<T extends object>(fields: T): PresentFields<T> {
  const present: Record<string, unknown> = {};
  for (const name in fields) {
    if (fields[name] !== undefined && Object.hasOwn(fields, name)) present[name] = fields[name];
  }
  return present as PresentFields<T>;
}
