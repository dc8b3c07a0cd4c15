/** Returns a place in a list: a number, also one that is written as a text. */
export function indexOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : undefined;
}

/** Returns the items of a list that nothing depends on: one record in place of a list is a list of one, anything else has none. */
export function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? [value] : [];
}
