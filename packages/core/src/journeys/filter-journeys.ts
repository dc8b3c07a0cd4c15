import { aFlag, anObject, checkByRules, type Rules } from '@ticketing/kit';
import type { CarrierId, Journey, Offer } from '../model/journey.ts';
import { minutesAfterLast, minutesBeforeFirst } from '../model/leg-times.ts';
import { aTimeOfDay, type TimeAt } from '../model/local-clock.ts';
import type { Money } from '../model/money.ts';
import { withConverted } from '../prices/convert-prices.ts';
import { type ConvertMoney, exactConverter } from '../prices/exact-rate.ts';
import { checkRates, type RateSource } from '../prices/rate-source.ts';
import { lowestTotals } from './cheapest-total.ts';

/** Conditions of the journeys to keep; a field that is absent keeps all. */
export interface JourneyFilter {
  /** Journeys that cost at most this in its currency: as sellers price them, as they are converted, or by `rates`. */
  readonly maxPrice?: Money | undefined;
  /** Rates by which prices are converted to the currency of `maxPrice`, whatever their age. Default: none, so that prices of other currencies count as higher. */
  readonly rates?: RateSource | undefined;
  /** `HH:MM`, local: departures from the door from then on, whatever the day. */
  readonly departAfter?: string | undefined;
  /** `HH:MM`, local: departures from the door until then. */
  readonly departBefore?: string | undefined;
  /** `HH:MM`, local: arrivals at the door until then, whatever the day. */
  readonly arriveBefore?: string | undefined;
  /** Journeys without a change of trains. */
  readonly direct?: boolean | undefined;
  /** Journeys that one of these carriers answered, by the prices of its offers. */
  readonly carriers?: readonly CarrierId[] | undefined;
  /** Journeys with an offer that can be exchanged or refunded, at least in part, by the prices of such offers. */
  readonly flexible?: boolean | undefined;
}

/**
 * Returns the journeys that a filter keeps, as they are and in their order. Those without a price are left out by
 * `maxPrice` and `flexible`.
 *
 * @throws TypeError for a field that is unknown or of the wrong type
 *
 * @example
 * filterJourneys(journeys, { direct: true, maxPrice: { amount: 5000, currency: 'EUR' } });
 */
export function filterJourneys(journeys: readonly Journey[], filter: JourneyFilter): Journey[] {
  checkByRules('filter journeys', filter, rules);
  const { rates, maxPrice } = filter;
  if (rates !== undefined) checkRates('filter journeys', rates);
  const convert = rates && maxPrice && exactConverter(rates, maxPrice.currency);
  const { departAfter, departBefore, arriveBefore, direct, carriers } = filter;
  return journeys.filter((journey) => {
    const { transfers, sources } = journey;
    const leaves = leavesAt(journey);
    return (
      !(direct && transfers > 0) &&
      !(departAfter && leaves < departAfter) &&
      !(departBefore && leaves > departBefore) &&
      !(arriveBefore && arrivesAt(journey) > arriveBefore) &&
      (carriers === undefined || sources.some((source) => carriers.includes(source))) &&
      isOffered(journey, filter, convert)
    );
  });
}

const DAY_MINUTES = 1440;

const rules: Rules = {
  maxPrice: {
    expected: 'an amount with its currency',
    test: (value) => {
      const { amount, currency } = Object(value) as Partial<Money>;
      return Number.isFinite(amount) && typeof currency === 'string';
    },
  },
  rates: anObject,
  departAfter: aTimeOfDay,
  departBefore: aTimeOfDay,
  arriveBefore: aTimeOfDay,
  direct: aFlag,
  carriers: { expected: 'a list of carriers', test: Array.isArray },
  flexible: aFlag,
};

function isOffered(
  journey: Journey,
  { maxPrice, flexible, carriers }: JourneyFilter,
  convert: ConvertMoney | undefined,
): boolean {
  if (maxPrice === undefined && !flexible) return true;
  const offers = journey.offers.filter(
    (offer) =>
      (!flexible || isFlexible(offer)) &&
      (carriers === undefined || carriers.includes(offer.seller)),
  );
  const counted: Journey = { ...journey, offers };
  const isWithin = (some: Journey): boolean =>
    lowestTotals(some).some(
      ({ currency, amount }) => currency === maxPrice?.currency && amount <= maxPrice.amount,
    );
  if (maxPrice === undefined) return lowestTotals(counted).length > 0;
  return (
    isWithin(counted) ||
    // A search may have converted prices away from the currency of the limit.
    isWithin(withConverted(counted, () => undefined)) ||
    (convert !== undefined && isWithin(withConverted(counted, convert)))
  );
}

function isFlexible({ flexibility }: Offer): boolean {
  return flexibility === 'full' || flexibility === 'semi';
}

/** Returns when people leave for the first train, `HH:MM`, local. */
export function leavesAt({ departure, legs }: Journey): string {
  return timeOf(departure, -minutesBeforeFirst(legs));
}

/** Returns when people are there, after the way from the last train, `HH:MM`, local. */
function arrivesAt({ arrival, legs }: Journey): string {
  return timeOf(arrival, minutesAfterLast(legs));
}

/** Returns `HH:MM`, local, so many minutes later: such texts sort as times do. */
function timeOf({ iso }: TimeAt, minutesLater: number): string {
  const time = iso.slice(11, 16);
  if (minutesLater === 0) return time;
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const all = Math.round(hours * 60 + minutes + minutesLater);
  const ofDay = ((all % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
  return [Math.floor(ofDay / 60), ofDay % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
