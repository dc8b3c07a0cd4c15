const SECONDS = /^\d+(?:\.\d+)?$/;
/** Seconds that a larger value counts as (RFC 9111, 1.2.2). */
const MOST_SECONDS = 2 ** 31;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Forms of a date in HTTP (RFC 9110, 5.6.7); the last two are obsolete, and to be read. */
const dateForms = [
  /^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];

/**
 * Returns the milliseconds of `Retry-After` (RFC 9110, 10.2.3): seconds from 0, or a date; 0 for one that has passed. Any other text is
 * none, where `Date.parse` would read a day out of `-1`.
 */
export function readRetryAfter(value: unknown, nowMs: number): number | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (SECONDS.test(text)) return Math.min(Number(text), MOST_SECONDS) * 1000;
  const date = readHttpDate(text, nowMs);
  return date === undefined ? undefined : Math.max(0, date - nowMs);
}

/** Returns the epoch ms of a date in HTTP; none for another text, and for a day that does not exist. */
function readHttpDate(text: string, nowMs: number): number | undefined {
  for (const form of dateForms) {
    const { day = '', month = '', year = '', time = '' } = form.exec(text)?.groups ?? {};
    if (day === '') continue;
    const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
    const monthOfYear = months.indexOf(month);
    const midnight = Date.UTC(yearOf(year, nowMs), monthOfYear, Number(day));
    const exists = monthOfYear >= 0 && new Date(midnight).getUTCDate() === Number(day);
    // Second 60 is a leap second.
    if (!exists || hours > 23 || minutes > 59 || seconds > 60) return undefined;
    return midnight + ((hours * 60 + minutes) * 60 + seconds) * 1000;
  }
  return undefined;
}

/** Returns a year; one of two digits is none that is more than 50 years ahead. */
function yearOf(digits: string, nowMs: number): number {
  if (digits.length === 4) return Number(digits);
  const now = new Date(nowMs).getUTCFullYear();
  const year = now - (now % 100) + Number(digits);
  return year > now + 50 ? year - 100 : year;
}
