import { showValue } from '@ticketing/kit';
import { isLocalDate, type LocalDate } from '../model/local-clock.ts';

/** Days after `asOf` until which rates count, unless they say otherwise: a week without a new list is no longer a holiday. */
const MAX_AGE_DAYS = 7;
const DAY_MS = 86_400_000;

/** Exchange rates of one day, as their publisher gives them: decimal text, so that no digit is lost. */
export interface RateSource {
  /** Day of the rates, `YYYY-MM-DD`. */
  readonly asOf: LocalDate;
  /** Publisher, as people read it: `European Central Bank`. */
  readonly source: string;
  /** ISO 4217 code of the currency that the rates count from. */
  readonly base: string;
  /** Units of each other currency for one unit of `base`: `{ CHF: '0.9412' }`. */
  readonly perBase: Readonly<Record<string, string>>;
  /** Days after `asOf` until which the rates are used, 0 to 366. Default 7. */
  readonly maxAgeDays?: number | undefined;
}

/** Rates, or a function that returns the current ones: a process that runs for weeks needs new ones. */
export type RateOption = RateSource | (() => RateSource | undefined);

/** Digits of a rate before and after its point: far more than any publisher gives, and few enough for exact arithmetic to be fast. */
const RATE = /^\d{1,15}(?:\.\d{1,15})?$/;
const CODE = /^[A-Z]{3}$/;

/** Rates that were checked: a function returns the same ones for many searches. */
const checked = new WeakSet<RateSource>();

/**
 * Checks rates, and returns them.
 *
 * @throws TypeError for the first field that is absent or wrong
 */
export function checkRates(action: string, rates: unknown): RateSource {
  const refuse = (name: string, expected: string, got: unknown): TypeError =>
    new TypeError(`Cannot ${action}: \`${name}\` must be ${expected}, got ${showValue(got)}`);
  if (typeof rates !== 'object' || rates === null) throw refuse('rates', 'an object', rates);
  const given = rates as RateSource;
  if (checked.has(given)) return given;
  const { asOf, source, base, perBase, maxAgeDays = MAX_AGE_DAYS } = given;
  if (typeof asOf !== 'string' || !isLocalDate(asOf)) {
    throw refuse('rates.asOf', 'a day of the calendar as YYYY-MM-DD', asOf);
  }
  if (typeof source !== 'string' || source === '') {
    throw refuse('rates.source', 'the name of a publisher', source);
  }
  if (typeof base !== 'string' || !CODE.test(base)) {
    throw refuse('rates.base', 'an ISO 4217 code', base);
  }
  if (typeof perBase !== 'object' || perBase === null) {
    throw refuse('rates.perBase', 'an object', perBase);
  }
  for (const [currency, rate] of Object.entries(perBase)) {
    const name = `rates.perBase.${currency}`;
    if (!CODE.test(currency)) throw refuse(name, 'a rate of an ISO 4217 code', rate);
    if (currency === base) throw refuse(name, 'absent: it is the base', rate);
    if (typeof rate !== 'string' || !RATE.test(rate) || !/[1-9]/.test(rate)) {
      throw refuse(name, 'decimal text above 0, such as 0.9412', rate);
    }
  }
  if (!Number.isInteger(maxAgeDays) || maxAgeDays < 0 || maxAgeDays > 366) {
    throw refuse('rates.maxAgeDays', 'an integer from 0 to 366', maxAgeDays);
  }
  checked.add(given);
  return given;
}

/** Returns the reason why rates do not count at a time, epoch ms. A day ahead is a zone in which that day has begun. */
export function rateAge(
  { asOf, maxAgeDays = MAX_AGE_DAYS }: RateSource,
  nowMs: number,
): 'too-old' | 'too-new' | undefined {
  const days = Math.floor((nowMs - Date.parse(asOf)) / DAY_MS);
  if (days < -1) return 'too-new';
  return days > maxAgeDays ? 'too-old' : undefined;
}
