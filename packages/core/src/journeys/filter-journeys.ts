import { aFlag, checkByRules, type Rules } from '@ticketing/kit';
import type { CarrierId, Journey, Offer } from '../model/journey.ts';
import { aTimeOfDay, type TimeAt } from '../model/local-clock.ts';
import type { Money } from '../model/money.ts';
import { cheapestTotal } from './cheapest-total.ts';

/** Which journeys to keep; a field that is absent keeps all. */
export interface JourneyFilter {
  /** Journeys that cost at most this, in its currency. */
  readonly maxPrice?: Money | undefined;
  /** `HH:MM`, local: departures from then on, whatever the day. */
  readonly departAfter?: string | undefined;
  /** `HH:MM`, local: departures until then. */
  readonly departBefore?: string | undefined;
  /** `HH:MM`, local: arrivals until then, whatever the day. */
  readonly arriveBefore?: string | undefined;
  /** Journeys without a change of trains. */
  readonly direct?: boolean | undefined;
  /** Journeys that one of these carriers answered. Prices are those of its offers. */
  readonly carriers?: readonly CarrierId[] | undefined;
  /** Journeys with an offer that can be exchanged or refunded, at least in part. Prices are those of such offers. */
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
  const { departAfter, departBefore, arriveBefore, direct, carriers } = filter;
  return journeys.filter((journey) => {
    const { departure, arrival, transfers, sources } = journey;
    const leaves = timeOf(departure);
    return (
      !(direct && transfers > 0) &&
      !(departAfter && leaves < departAfter) &&
      !(departBefore && leaves > departBefore) &&
      !(arriveBefore && timeOf(arrival) > arriveBefore) &&
      (carriers === undefined || sources.some((source) => carriers.includes(source))) &&
      isOffered(journey, filter)
    );
  });
}

const rules: Rules = {
  maxPrice: {
    expected: 'an amount with its currency',
    test: (value) => {
      const { amount, currency } = Object(value) as Partial<Money>;
      return Number.isFinite(amount) && typeof currency === 'string';
    },
  },
  departAfter: aTimeOfDay,
  departBefore: aTimeOfDay,
  arriveBefore: aTimeOfDay,
  direct: aFlag,
  carriers: { expected: 'a list of carriers', test: Array.isArray },
  flexible: aFlag,
};

function isOffered(
  { offers, legs }: Journey,
  { maxPrice, flexible, carriers }: JourneyFilter,
): boolean {
  if (maxPrice === undefined && !flexible) return true;
  const counted = offers.filter(
    (offer) =>
      (!flexible || isFlexible(offer)) &&
      (carriers === undefined || carriers.includes(offer.seller)) &&
      (maxPrice === undefined || offer.total.currency === maxPrice.currency),
  );
  const total = cheapestTotal({ offers: counted, legs });
  return total !== undefined && (maxPrice === undefined || total.amount <= maxPrice.amount);
}

function isFlexible({ flexibility }: Offer): boolean {
  return flexibility === 'full' || flexibility === 'semi';
}

/** Returns `HH:MM`, local: such texts sort as times do. */
function timeOf({ iso }: TimeAt): string {
  return iso.slice(11, 16);
}
