// The simulator has a clock of its own, on purpose: a test double must not share the code that it tests.

import { type Rule, showValue } from '@ticketing/kit';
import { RailError } from '../errors.ts';
import { createZoneCache, type ZoneOffsets } from './zone-offsets.ts';

const DAY_MS = 86_400_000;
// The years that text may have, and one more day on either side for the zones.
const MIN_MS = /* @__PURE__ */ Date.parse('1972-12-31');
const MAX_MS = /* @__PURE__ */ Date.parse('2200-01-02');

/** A calendar day, `'2026-12-01'`. */
export type LocalDate = string;

/** An instant with the zone in which people read it. */
export interface TimeAt {
  /** Epoch milliseconds. */
  readonly ms: number;
  /** RFC 9557: `'2026-12-01T06:15:00+01:00[Europe/Madrid]'`. */
  readonly iso: string;
}

/** Converts between wall clocks and instants. Holds a bounded cache of zone offsets and nothing else. */
export interface LocalClock {
  /**
   * Returns the epoch milliseconds of wall-clock text `'2026-12-01T06:15'` (seconds optional) in a zone. Text inside
   * the gap of a clock change moves forward by the gap; text that occurs twice means the earlier.
   *
   * @throws RailError `ERR_LOCAL_TIME` for text that is not a time of the years 1973 to 2199
   * @throws RangeError for a name that is not an IANA zone
   */
  epoch(local: string, zone: string): number;
  /**
   * Returns the instant of wall-clock text with its zone, read as `epoch` does.
   *
   * @throws RailError `ERR_LOCAL_TIME`, RangeError as `epoch` does
   */
  fromLocal(local: string, zone: string): TimeAt;
  /**
   * Returns an instant as people in a zone read it; only the text drops the milliseconds below the second.
   *
   * @throws RailError `ERR_LOCAL_TIME` for a number that is not an instant of the years 1973 to 2199
   * @throws RangeError for a name that is not an IANA zone
   */
  fromEpoch(ms: number, zone: string): TimeAt;
  /**
   * Returns the calendar day of an instant in a zone.
   *
   * @throws RailError `ERR_LOCAL_TIME`, RangeError as `fromEpoch` does
   */
  dateOf(ms: number, zone: string): LocalDate;
}

/**
 * Creates a clock. One per carrier or per process is enough; clocks share nothing.
 *
 * @example
 * const clock = createLocalClock();
 * clock.fromLocal('2026-12-01T06:15', 'Europe/Madrid').iso; // '2026-12-01T06:15:00+01:00[Europe/Madrid]'
 */
export function createLocalClock(): LocalClock {
  const offsetsOf = createZoneCache();

  function epoch(local: string, zone: string): number {
    return resolve(readLocal(local), offsetsOf(zone));
  }

  function isoOf(ms: number, zone: string): string {
    if (!(ms >= MIN_MS && ms < MAX_MS)) {
      throw localTimeError('instant', 'ms', 'epoch milliseconds of the years 1973 to 2199', ms);
    }
    return offsetsOf(zone).iso(ms);
  }

  const fromEpoch = (ms: number, zone: string): TimeAt => ({ ms, iso: isoOf(ms, zone) });

  return {
    epoch,
    fromLocal: (local, zone) => fromEpoch(epoch(local, zone), zone),
    fromEpoch,
    dateOf: (ms, zone) => isoOf(ms, zone).slice(0, 10),
  };
}

/** `'23:59'`. */
export const aTimeOfDay: Rule = {
  expected: 'a time of day as HH:MM',
  test: (value) => typeof value === 'string' && /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(value),
};

/** Returns whether text is a calendar day of the years 1973 to 2199: `'2027-02-29'` is not. */
export function isLocalDate(text: string): text is LocalDate {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(naiveOf(`${text}T00:00`));
}

/**
 * Returns the day that is `days` after `date`, by the calendar.
 *
 * @throws RailError `ERR_LOCAL_TIME` when `date` is not a day of the years 1973 to 2199
 * @example
 * addDays('2028-02-28', 2); // '2028-03-01'
 */
export function addDays(date: LocalDate, days: number): LocalDate {
  const start = readLocal(typeof date === 'string' ? `${date}T00:00` : date);
  return dayOf(start + days * DAY_MS);
}

/** Returns the same for a day that was checked, in a third of the time. */
export function shiftDay(date: LocalDate, days: number): LocalDate {
  return dayOf(Date.parse(date) + days * DAY_MS);
}

function dayOf(utcMs: number): LocalDate {
  return new Date(utcMs).toISOString().slice(0, 10);
}

/**
 * Returns the instant of a wall-clock reading (`naive`: as if it were UTC). Almost always the zone keeps
 * one offset around that day, and two cached reads show it. Near a change there are two candidates, one per
 * offset. Both fit in the hour that occurs twice, which means the earlier; neither fits in the hour that is
 * left out, which the offset before the change moves forward.
 */
function resolve(naive: number, offsets: ZoneOffsets): number {
  const day = Math.floor(naive / DAY_MS);
  const before = offsets.atDay(day - 1);
  const after = offsets.atDay(day + 2);
  if (before === after) return naive - before;
  const early = naive - Math.max(before, after);
  const late = naive - Math.min(before, after);
  if (offsets.at(early) === naive - early) return early;
  if (offsets.at(late) === naive - late) return late;
  return naive - before;
}

function readLocal(local: string): number {
  const naive = naiveOf(local);
  if (Number.isNaN(naive)) {
    throw localTimeError('local time', 'text', 'YYYY-MM-DDTHH:MM of the years 1973 to 2199', local);
  }
  return naive;
}

function localTimeError(what: string, name: string, expected: string, got: unknown): RailError {
  return new RailError(
    'ERR_LOCAL_TIME',
    `Cannot read ${what}: \`${name}\` must be ${expected}, got ${showValue(got)}`,
    { expected, got },
  );
}

/** Reads character by character, three times as fast as a regular expression: an answer holds thousands of times. */
function naiveOf(local: string): number {
  // A value of a carrier is not always of its declared type.
  if (typeof local !== 'string') return Number.NaN;
  const length = local.length;
  if (length !== 16 && length !== 19) return Number.NaN;
  const year = digits(local, 0) * 100 + digits(local, 2);
  const month = digits(local, 5);
  const day = digits(local, 8);
  const hour = digits(local, 11);
  const minute = digits(local, 14);
  const second = length === 19 ? digits(local, 17) : 0;
  const separated =
    local[4] === '-' &&
    local[7] === '-' &&
    local[10] === 'T' &&
    local[13] === ':' &&
    (length === 16 || local[16] === ':');
  const inRange =
    year >= 1973 &&
    year <= 2199 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    hour < 24 &&
    minute < 60 &&
    second < 60;
  if (!separated || !inRange) return Number.NaN;
  if (day > 28 && day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return Number.NaN;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Returns two digits as a number; NaN, which fails every comparison, for other characters. */
function digits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const units = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && units >= 0 && units <= 9 ? tens * 10 + units : Number.NaN;
}
