import type { Rule } from '@ticketing/kit';
import type { Journey, Leg, Offer, RideLeg, RideMode } from './journey.ts';
import type { TimeAt } from './local-clock.ts';
import { aNumber, aText, firstWrong, type Shape, type WrongField } from './shape.ts';

/** A `T` as an adapter made it: no compiler checked it, so any field may be anything. */
type Unchecked<T> = { readonly [Field in keyof T]?: Unchecked<T[Field]> } | null | undefined;

const MODES: readonly unknown[] = ['bus', 'tram', 'metro', 'ferry', 'other'] satisfies RideMode[];

const aMode: Rule = {
  expected: 'bus, tram, metro, ferry or other',
  test: (value) => MODES.includes(value),
};
const aKind: Rule = {
  expected: 'ride or transfer',
  test: (kind) => kind === 'ride' || kind === 'transfer',
};
const aTime: Shape = { ms: aNumber, iso: aText };

/** A leg of the kind that it says it is; a shape of its own, so that bundlers drop it where nothing uses it. */
function legOf(leg: unknown): Shape {
  const ends: Shape = { kind: aKind, origin: aText, destination: aText };
  if ((leg as Unchecked<Leg>)?.kind !== 'ride') return { ...ends, minutes: aNumber };
  return {
    ...ends,
    departure: aTime,
    arrival: aTime,
    brand: { optional: aText },
    number: { optional: aText },
    operator: { optional: aText },
    expectedDeparture: { optional: aTime },
    expectedArrival: { optional: aTime },
    cancelled: { optional: { expected: 'true', test: (value) => value === true } },
    mode: { optional: aMode },
    otherNumbers: { optional: [aText] },
  };
}

/** Legs and offers, as far as merging and sorting read them. */
function parts(value: unknown): { readonly [field: string]: Shape } {
  const { legs } = value as { readonly legs: unknown };
  const rides = Array.isArray(legs) ? legs.filter((leg) => leg?.kind === 'ride').length : 0;
  return {
    legs: [legOf],
    offers: [
      {
        id: aText,
        seller: aText,
        total: { amount: aNumber, currency: aText },
        fetchedAt: aNumber,
        rides: { optional: someOf(rides) },
      },
    ],
  };
}

/** Places of rides: at least one, ascending. */
function someOf(rides: number): Rule {
  return {
    expected: `a list of rides from 0 to ${rides - 1}, ascending`,
    test: (list) =>
      Array.isArray(list) &&
      list.length > 0 &&
      list.every(
        (ride, index) => Number.isInteger(ride) && ride > (list[index - 1] ?? -1) && ride < rides,
      ),
  };
}

/** Returns the first wrong field of legs and offers. */
export function wrongInParts(value: Pick<Journey, 'legs' | 'offers'>): WrongField | undefined {
  return areParts(value.legs, value.offers) ? undefined : firstWrong(value, parts);
}

/** Journeys, as far as merging and sorting read them. */
export function journeysOf(list: unknown): Shape {
  const right = Array.isArray(list) && list.every(isJourney);
  return right ? { expected: 'anything', test: () => true } : [aJourney];
}

function aJourney(journey: unknown): Shape {
  return {
    id: aText,
    departure: aTime,
    arrival: aTime,
    durationMinutes: aNumber,
    transfers: aNumber,
    sources: [aText],
    unpriced: { optional: [aText] },
    ...parts(Object(journey)),
  };
}

// What follows says of most journeys in a tenth of the time that their shape is right: it runs for each one of each search.

function isJourney(journey: Unchecked<Journey>): boolean {
  return (
    typeof journey?.id === 'string' &&
    isTime(journey.departure) &&
    isTime(journey.arrival) &&
    Number.isFinite(journey.durationMinutes) &&
    Number.isFinite(journey.transfers) &&
    areTexts(journey.sources) &&
    (journey.unpriced === undefined || areTexts(journey.unpriced)) &&
    areParts(journey.legs, journey.offers)
  );
}

function areParts(legs: unknown, offers: unknown): boolean {
  if (!Array.isArray(legs) || !Array.isArray(offers)) return false;
  for (const leg of legs) if (!isLeg(leg)) return false;
  for (const offer of offers) if (!isOffer(offer)) return false;
  return true;
}

function isLeg(leg: Unchecked<Leg>): boolean {
  if (typeof leg?.origin !== 'string' || typeof leg.destination !== 'string') return false;
  if (leg.kind === 'ride') return isRide(leg as Unchecked<RideLeg> & object);
  return leg.kind === 'transfer' && Number.isFinite(leg.minutes);
}

function isRide(ride: Unchecked<RideLeg> & object): boolean {
  return (
    isTime(ride.departure) &&
    isTime(ride.arrival) &&
    isTextOrAbsent(ride.brand) &&
    isTextOrAbsent(ride.number) &&
    isTextOrAbsent(ride.operator) &&
    (ride.expectedDeparture === undefined || isTime(ride.expectedDeparture)) &&
    (ride.expectedArrival === undefined || isTime(ride.expectedArrival)) &&
    (ride.cancelled === undefined || ride.cancelled === true) &&
    (ride.mode === undefined || MODES.includes(ride.mode)) &&
    (ride.otherNumbers === undefined || areTexts(ride.otherNumbers))
  );
}

/** Offers for some of the rides are rare, and left to their shape. */
function isOffer(offer: Unchecked<Offer>): boolean {
  return (
    typeof offer?.id === 'string' &&
    typeof offer.seller === 'string' &&
    Number.isFinite(offer.total?.amount) &&
    typeof offer.total?.currency === 'string' &&
    Number.isFinite(offer.fetchedAt) &&
    offer.rides === undefined
  );
}

function areTexts(texts: unknown): boolean {
  if (!Array.isArray(texts)) return false;
  for (const text of texts) if (typeof text !== 'string') return false;
  return true;
}

function isTime(time: Unchecked<TimeAt>): boolean {
  return Number.isFinite(time?.ms) && typeof time?.iso === 'string';
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
