import type { CarrierAnswer } from './carrier.ts';
import type { CarrierId, Journey, Offer, RideLeg, TransferLeg } from './journey.ts';
import type { TimeAt } from './local-clock.ts';

/** What an adapter gave for a `T`: no compiler saw it where it ran, so any field may be anything. */
type Given<T> = { readonly [Field in keyof T]?: Given<T[Field]> } | null | undefined;

/**
 * The journeys of a carrier's answer, once it is known that merging and sorting can read them: an
 * adapter that is wrong is then a carrier that fails, not a search that fails.
 *
 * @throws TypeError for an answer without journeys, or with one that is none
 */
export function answeredJourneys(carrier: CarrierId, answer: CarrierAnswer): readonly Journey[] {
  const journeys = (answer as CarrierAnswer | null | undefined)?.journeys;
  if (!Array.isArray(journeys)) {
    throw new TypeError(`Cannot read answer: journeys expected of ${carrier}, got none`);
  }
  for (const journey of journeys) {
    if (!isJourney(journey)) {
      throw new TypeError(`Cannot read answer: whole journeys expected of ${carrier}, got another`);
    }
  }
  return journeys;
}

// Loops, not `every`: each journey and offer of each search comes by, and this takes half the time.
function isJourney(journey: Given<Journey>): boolean {
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

function isLeg(leg: Given<RideLeg | TransferLeg>): boolean {
  if (leg?.kind !== 'ride') return leg?.kind === 'transfer';
  const { departure, arrival, brand, number, operator } = leg as Given<RideLeg> & object;
  return (
    isTime(departure) &&
    isTime(arrival) &&
    (brand === undefined || typeof brand === 'string') &&
    (number === undefined || typeof number === 'string') &&
    (operator === undefined || typeof operator === 'string')
  );
}

function isOffer(offer: Given<Offer>): boolean {
  return (
    typeof offer?.id === 'string' &&
    typeof offer.seller === 'string' &&
    Number.isFinite(offer.total?.amount) &&
    typeof offer.total?.currency === 'string' &&
    Number.isFinite(offer.fetchedAt)
  );
}

function isTime(time: Given<TimeAt>): boolean {
  return Number.isFinite(time?.ms) && typeof time?.iso === 'string';
}
