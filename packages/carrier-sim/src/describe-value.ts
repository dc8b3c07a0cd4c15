/** Writes a value the way error messages show what they got: short, on one line. */
export function describeValue(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  const text = textOf(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // It refers to itself, holds a bigint, or its `toJSON` throws.
    return 'an object';
  }
}
