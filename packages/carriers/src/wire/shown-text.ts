/** Most characters of a server's text that people are shown. */
const MAX_SHOWN = 500;

/** Returns a text without the spaces around it, and no longer than people are shown; `undefined` for an empty one and for another value. */
export function shownText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value.slice(0, MAX_SHOWN).trim() || undefined;
}
