/** Writes a value as errors show it, at most 40 characters; an object that has no text is `an object`. */
export function showValue(value: unknown): string {
  try {
    return String(value).slice(0, 40);
  } catch {
    return 'an object';
  }
}
