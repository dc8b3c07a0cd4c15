import { showValue } from '@ticketing/kit';
import type { CarrierAnswer } from '../carrier.ts';
import type { CarrierId, Journey, Offer, RideLeg, TransferLeg } from '../model/journey.ts';
import type { TimeAt } from '../model/local-clock.ts';

/** A `T` as an adapter returned it: no compiler checked it, so any field may be anything. */
type Unchecked<T> = { readonly [Field in keyof T]?: Unchecked<T[Field]> } | null | undefined;

/**
 * Returns the journeys of a carrier's answer, checked so far that merging and sorting can read them: a wrong
 * adapter makes its carrier fail, not the search.
 *
 * @throws TypeError for an answer without journeys, or with one that is not whole
 */
export function answeredJourneys(carrier: CarrierId, answer: CarrierAnswer): readonly Journey[] {
  const journeys = (answer as CarrierAnswer | null | undefined)?.journeys;
  if (!Array.isArray(journeys)) {
    throw new TypeError(
      `Cannot read ${carrier}: \`journeys\` must be a list, got ${showValue(journeys)}`,
    );
  }
  for (const journey of journeys) {
    if (!isJourney(journey)) {
      const name = `journeys[${journeys.indexOf(journey)}]`;
      throw new TypeError(
        `Cannot read ${carrier}: \`${name}\` must be a whole journey, got another value`,
      );
    }
  }
  return journeys;
}

// Loops, not `every`: this runs for each journey and offer of each search, and takes half the time.
function isJourney(journey: Unchecked<Journey>): boolean {
  if (
    typeof journey?.id !== 'string' ||
    !isTime(journey.departure) ||
    !isTime(journey.arrival) ||
    !Number.isFinite(journey.durationMinutes) ||
    !Array.isArray(journey.legs) ||
    !Array.isArray(journey.offers) ||
    !Array.isArray(journey.sources)
  ) {
    return false;
  }
  for (const leg of journey.legs) if (!isLeg(leg)) return false;
  for (const offer of journey.offers) if (!isOffer(offer)) return false;
  for (const source of journey.sources) if (typeof source !== 'string') return false;
  return true;
}

function isLeg(leg: Unchecked<RideLeg | TransferLeg>): boolean {
  if (leg?.kind !== 'ride') return leg?.kind === 'transfer';
  const { departure, arrival, brand, number, operator } = leg as Unchecked<RideLeg> & object;
  return (
    isTime(departure) &&
    isTime(arrival) &&
    (brand === undefined || typeof brand === 'string') &&
    (number === undefined || typeof number === 'string') &&
    (operator === undefined || typeof operator === 'string')
  );
}

function isOffer(offer: Unchecked<Offer>): boolean {
  return (
    typeof offer?.id === 'string' &&
    typeof offer.seller === 'string' &&
    Number.isFinite(offer.total?.amount) &&
    typeof offer.total?.currency === 'string' &&
    Number.isFinite(offer.fetchedAt)
  );
}

function isTime(time: Unchecked<TimeAt>): boolean {
  return Number.isFinite(time?.ms) && typeof time?.iso === 'string';
}
