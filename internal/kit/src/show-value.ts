const LONGEST = 60;

/** Writes a value as error messages show it: in one line of at most 60 characters. Never throws. */
export function showValue(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  const text = textOf(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
}

/** An object without a prototype has no text, and a `toString` may throw. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'an object without text';
  }
}
