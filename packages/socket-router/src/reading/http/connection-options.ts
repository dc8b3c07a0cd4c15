/** Fields that end a message, or name its host. A recipient that drops one reads another message. */
const FRAMING: ReadonlySet<string> = new Set([
  'content-length',
  'host',
  'trailer',
  'transfer-encoding',
]);

/** Returns whether `Connection` may never name a field, because the message would be another one without it. */
export function isFraming(name: string): boolean {
  return FRAMING.has(name);
}

/** Returns the members of lists in lower case, without spaces and tabs around them. */
export function namesIn(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(',')).map((name) => trimmed(name).toLowerCase());
}

/** Removes spaces and tabs: `trim()` removes more, and a regular expression takes quadratic time. */
function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text[from])) from += 1;
  while (to > from && isBlank(text[to - 1])) to -= 1;
  return text.slice(from, to);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
