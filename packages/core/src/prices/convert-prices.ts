import { type Journey, type Offer, sortOffers } from '../model/journey.ts';
import type { LocalDate } from '../model/local-clock.ts';
import { type ConvertMoney, exactConverter } from './exact-rate.ts';
import { checkRates, type RateOption, type RateSource, rateAge } from './rate-source.ts';

/** Rates of a search, and the currency of its converted prices. */
export interface AppliedRates {
  readonly asOf: LocalDate;
  readonly source: string;
  readonly currency: string;
  /**
   * Reason why no price is converted: the rates are older than their `maxAgeDays`, of a day to come, or have none for the currency.
   * Absent: each offer whose own currency has a rate is converted.
   */
  readonly unused?: 'too-old' | 'too-new' | 'no-rate';
}

/** Rates and target of a conversion. */
export interface ConvertOptions {
  readonly rates: RateSource;
  /** ISO 4217 code. Default: the base of the rates. */
  readonly currency?: string | undefined;
}

/**
 * Returns journeys whose offers have `converted` beside their unchanged `total`, exactly converted and rounded half to even to the minor
 * unit. An offer in a currency without a rate has none, and comes last. The age of the rates is the caller's to check.
 *
 * @throws TypeError for rates that are no rates
 * @example
 * const rates = { asOf: '2026-12-01', source: 'European Central Bank', base: 'EUR', perBase: { CHF: '0.9412' } };
 * const inFrancs = convertPrices(result.journeys, { rates, currency: 'CHF' });
 */
export function convertPrices(
  journeys: readonly Journey[],
  { rates, currency }: ConvertOptions,
): Journey[] {
  checkRates('convert prices', rates);
  const convert = exactConverter(rates, currency ?? rates.base) ?? (() => undefined);
  return journeys.map((journey) => withConverted(journey, convert));
}

/** Returns a journey with its prices in another currency too: the same one if it has no prices. */
export function withConverted(journey: Journey, convert: ConvertMoney): Journey {
  if (journey.offers.length === 0) return journey;
  const offers = journey.offers.map(({ converted: _, ...offer }): Offer => {
    const converted = convert(offer.total);
    return converted === undefined ? offer : { ...offer, converted };
  });
  return { ...journey, offers: sortOffers(offers) };
}

/** Conversion of the prices of one search. */
export interface Conversion {
  readonly applied: AppliedRates;
  /** Absent: nothing is converted. */
  readonly convert?: ConvertMoney;
}

/**
 * Returns the conversion to a currency, of a search that begins now; without a currency to that of the rates' base, `undefined` without
 * rates.
 *
 * @throws TypeError for what a function returns in place of rates
 */
export function conversionOf(
  option: RateOption | undefined,
  asked: string | undefined,
  nowMs: number,
): Conversion | undefined {
  const rates = typeof option === 'function' ? option() : option;
  if (rates === undefined) return undefined;
  const { asOf, source, base } = checkRates('search', rates);
  const currency = asked ?? base;
  const unused = rateAge(rates, nowMs);
  if (unused !== undefined) return { applied: { asOf, source, currency, unused } };
  const convert = exactConverter(rates, currency);
  if (convert === undefined) return { applied: { asOf, source, currency, unused: 'no-rate' } };
  return { applied: { asOf, source, currency }, convert };
}
