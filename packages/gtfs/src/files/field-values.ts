/** Seconds of a time that is absent. */
export const NO_TIME = -1;
/** Seconds of a text that is no time. */
export const BAD_TIME = -2;
/** Hours that a time may have: services of a few days exist, a month does not. */
const MAX_HOURS = 24 * 15;

/** Reads `H:MM:SS` or `HH:MM:SS`, which may pass 24 hours, as seconds. Seconds may be absent. */
export function readTime(text: string): number {
  if (text === '') return NO_TIME;
  const first = text.indexOf(':');
  if (first < 1 || first > 3) return BAD_TIME;
  const hours = digitsOf(text, 0, first);
  const minutes = digitsOf(text, first + 1, first + 3);
  const rest = text.length - first - 3;
  const seconds = rest === 0 ? 0 : rest === 3 ? secondsOf(text, first + 3) : BAD_TIME;
  if (hours < 0 || hours > MAX_HOURS || minutes < 0 || minutes > 59) return BAD_TIME;
  if (seconds < 0 || seconds > 59) return BAD_TIME;
  return hours * 3600 + minutes * 60 + seconds;
}

function secondsOf(text: string, at: number): number {
  return text.charCodeAt(at) === 58 ? digitsOf(text, at + 1, at + 3) : BAD_TIME;
}

function digitsOf(text: string, from: number, until: number): number {
  if (until > text.length) return BAD_TIME;
  let value = 0;
  for (let at = from; at < until; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return BAD_TIME;
    value = value * 10 + digit;
  }
  return value;
}

/** Reads `YYYYMMDD` as days since 1970-01-01, or returns `undefined`. */
export function readDay(text: string): number | undefined {
  if (!/^\d{8}$/.test(text)) return undefined;
  return dayOf(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`);
}

/** Returns a calendar day, `'2026-12-01'`, as days since 1970-01-01; `undefined` for one that no calendar has. */
export function dayOf(date: string): number | undefined {
  const ms = Date.parse(`${date}T00:00:00Z`);
  // Some engines take 31 November for 1 December.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== date) return undefined;
  return ms / 86_400_000;
}

/** Returns days since 1970-01-01 as a calendar day. */
export function dateOf(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

/** Reads a whole number from 0 on, or returns `undefined`. */
export function readWhole(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Returns a copy of a text that is kept: a slice would hold the piece of the file that it is of. */
export function owned(text: string): string {
  return text.length < 13 ? text : Buffer.from(text, 'utf8').toString('utf8');
}
