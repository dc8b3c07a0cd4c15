import { aFlag, anObject, checkByRules, type Rules } from '@ticketing/kit';
import type { CarrierId, Journey, Offer } from '../model/journey.ts';
import { minutesAfterLast, minutesBeforeFirst } from '../model/leg-times.ts';
import { aTimeOfDay, type TimeAt } from '../model/local-clock.ts';
import type { Money } from '../model/money.ts';
import { lowestTotals } from './cheapest-total.ts';
import { type CurrencyRates, checkRates, worthBy } from './currency-rates.ts';

/** Conditions of the journeys to keep; a field that is absent keeps all. */
export interface JourneyFilter {
  /** Journeys that cost at most this: in its currency, or by `rates` in another. */
  readonly maxPrice?: Money | undefined;
  /** Rates that compare prices of other currencies with `maxPrice`. Default: none, so that such prices count as higher. */
  readonly rates?: CurrencyRates | undefined;
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
  const { rates } = filter;
  checkRates('filter journeys', rates);
  const worthOf = worthBy(rates);
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
      isOffered(journey, filter, worthOf)
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
  { offers, legs, passengers }: Journey,
  { maxPrice, flexible, carriers }: JourneyFilter,
  worthOf: ReturnType<typeof worthBy>,
): boolean {
  if (maxPrice === undefined && !flexible) return true;
  const counted = offers.filter(
    (offer) =>
      (!flexible || isFlexible(offer)) &&
      (carriers === undefined || carriers.includes(offer.seller)),
  );
  const totals = lowestTotals({ offers: counted, legs, passengers });
  if (maxPrice === undefined) return totals.length > 0;
  return totals.some((total) => {
    if (total.currency === maxPrice.currency) return total.amount <= maxPrice.amount;
    const [worth, most] = [worthOf(total), worthOf(maxPrice)];
    return worth !== undefined && most !== undefined && worth <= most;
  });
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
