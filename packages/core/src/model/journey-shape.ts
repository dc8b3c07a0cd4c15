import type { Rule } from '@ticketing/kit';
import type {
  Condition,
  Journey,
  Leg,
  Offer,
  OfferConditions,
  Platform,
  RideBooking,
  RideLeg,
  RideMode,
  RideStop,
  TransferLeg,
} from './journey.ts';
import type { TimeAt } from './local-clock.ts';
import { MAX_REMARK_LENGTH, MAX_REMARKS, type Remark } from './remark.ts';
import { aNumber, aText, firstWrong, type Shape, type WrongField } from './shape.ts';

/** A `T` as an adapter made it: no compiler checked it, so any field may be anything. */
type Unchecked<T> = { readonly [Field in keyof T]?: Unchecked<T[Field]> } | null | undefined;

/** Maximum number of passengers of a query. */
const MAX_PASSENGERS = 9;

const MODES: readonly unknown[] = ['bus', 'tram', 'metro', 'ferry', 'other'] satisfies RideMode[];
const CONDITIONS: readonly unknown[] = ['yes', 'fee', 'no', 'unknown'] satisfies Condition[];
const RISKS: readonly unknown[] = ['tight', 'missed'] satisfies TransferLeg['risk'][];

const aMode: Rule = {
  expected: 'bus, tram, metro, ferry or other',
  test: (value) => MODES.includes(value),
};
const aKind: Rule = {
  expected: 'ride or transfer',
  test: (kind) => kind === 'ride' || kind === 'transfer',
};
const aTime: Shape = { ms: aNumber, iso: aText };
const whenTrue: Rule = { expected: 'true', test: (value) => value === true };
const aRisk: Rule = { expected: 'tight or missed', test: (value) => RISKS.includes(value) };
const aPlatform: Rule = {
  expected: 'a platform, planned or expected, of 1 to 500 characters',
  test: isPlatform,
};
const aRemark: Rule = {
  expected: 'a disruption or an info with a text of 1 to 500 characters',
  test: isRemark,
};
const aStop: Rule = { expected: 'a station with times and a platform', test: isStop };
const aBooking: Rule = {
  expected: 'a booking: until when, and a text of 1 to 500 characters',
  test: isBooking,
};
const someConditions: Rule = {
  expected: 'refund and exchange as yes, fee, no or unknown, and a text of 1 to 500 characters',
  test: areConditions,
};
const someGrams: Rule = { expected: 'a number from 0', test: areGrams };
const fewRemarks: Rule = { expected: 'at most 20 remarks', test: areFew };

function someRemarks(value: unknown): Shape {
  return Array.isArray(value) && !areFew(value) ? fewRemarks : [aRemark];
}

/** Returns a leg of its stated kind; a shape of its own, so that bundlers drop it where nothing uses it. */
function legOf(leg: unknown): Shape {
  if ((leg as Unchecked<Leg>)?.kind === 'ride') {
    return { kind: aKind, ...rideFields(), sections: { optional: [rideFields] } };
  }
  const ends: Shape = { kind: aKind, origin: aText, destination: aText };
  return {
    ...ends,
    minutes: aNumber,
    nearby: { optional: whenTrue },
    risk: { optional: aRisk },
    selfTransfer: { optional: whenTrue },
  };
}

/** Returns the shape of a ride and of each of its sections. */
function rideFields(): { readonly [field: string]: Shape } {
  return {
    origin: aText,
    destination: aText,
    departure: aTime,
    arrival: aTime,
    brand: { optional: aText },
    number: { optional: aText },
    operator: { optional: aText },
    expectedDeparture: { optional: aTime },
    expectedArrival: { optional: aTime },
    cancelled: { optional: whenTrue },
    mode: { optional: aMode },
    otherNumbers: { optional: [aText] },
    departurePlatform: { optional: aPlatform },
    arrivalPlatform: { optional: aPlatform },
    remarks: { optional: someRemarks },
    stops: { optional: [aStop] },
    booking: { optional: aBooking },
    co2Grams: { optional: someGrams },
  };
}

/** Legs, offers and remarks, as far as they are read here or shown. */
function parts(value: unknown): { readonly [field: string]: Shape } {
  const { legs } = value as { readonly legs: unknown };
  const rides = Array.isArray(legs) ? legs.filter((leg) => leg?.kind === 'ride').length : 0;
  return {
    legs: [legOf],
    offers: [offerShape(rides)],
    remarks: { optional: someRemarks },
  };
}

/** Returns the shape of an offer for a journey of so many rides. */
export function offerShape(rides: number): { readonly [field: string]: Shape } {
  return {
    id: aText,
    seller: aText,
    total: { amount: aNumber, currency: aText },
    fetchedAt: aNumber,
    rides: { optional: someOf('rides', rides) },
    passengers: { optional: someOf('passengers', MAX_PASSENGERS) },
    conditions: { optional: someConditions },
  };
}

/** Places among so many of these: at least one, ascending. */
export function someOf(what: string, count: number): Rule {
  return {
    expected: `a list of ${what} from 0 to ${count - 1}, ascending`,
    test: (list) => isAscending(list, count),
  };
}

function isAscending(list: unknown, count: number): boolean {
  return (
    Array.isArray(list) &&
    list.length > 0 &&
    list.every(
      (place, index) => Number.isInteger(place) && place > (list[index - 1] ?? -1) && place < count,
    )
  );
}

/** Returns the first wrong field of legs, offers and remarks. */
export function wrongInParts(
  value: Pick<Journey, 'legs' | 'offers'> & { readonly remarks?: readonly Remark[] | undefined },
): WrongField | undefined {
  return areParts(value) ? undefined : firstWrong(value, parts);
}

/** Journeys, as far as they are read here or shown. */
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

// A fast check that accepts most journeys in a tenth of the time: it runs for each journey of each search.

function isJourney(journey: Unchecked<Journey>): boolean {
  return (
    typeof journey?.id === 'string' &&
    isTime(journey.departure) &&
    isTime(journey.arrival) &&
    Number.isFinite(journey.durationMinutes) &&
    Number.isFinite(journey.transfers) &&
    areTexts(journey.sources) &&
    (journey.unpriced === undefined || areTexts(journey.unpriced)) &&
    areParts(journey)
  );
}

function areParts({ legs, offers, remarks }: Unchecked<Journey> & object): boolean {
  // A loop that calls one function is compiled into one piece, which `areAll` is not.
  if (!Array.isArray(legs) || !Array.isArray(offers)) return false;
  for (const leg of legs) if (!isLeg(leg)) return false;
  for (const offer of offers) if (!isOffer(offer)) return false;
  return remarks === undefined || areRemarks(remarks);
}

function isLeg(leg: Unchecked<Leg>): boolean {
  if (typeof leg?.origin !== 'string' || typeof leg.destination !== 'string') return false;
  if (leg.kind === 'ride') {
    const { sections } = leg as Unchecked<RideLeg> & object;
    return (
      isRide(leg as Unchecked<RideLeg>) && (sections === undefined || areAll(sections, isRide))
    );
  }
  const { kind, minutes, nearby, risk, selfTransfer } = leg as Unchecked<TransferLeg> & object;
  return (
    kind === 'transfer' &&
    Number.isFinite(minutes) &&
    (nearby === undefined || nearby === true) &&
    (risk === undefined || RISKS.includes(risk)) &&
    (selfTransfer === undefined || selfTransfer === true)
  );
}

function isRide(ride: Unchecked<RideLeg>): boolean {
  return (
    typeof ride?.origin === 'string' &&
    typeof ride.destination === 'string' &&
    isTime(ride.departure) &&
    isTime(ride.arrival) &&
    isTextOrAbsent(ride.brand) &&
    isTextOrAbsent(ride.number) &&
    isTextOrAbsent(ride.operator) &&
    isTimeOrAbsent(ride.expectedDeparture) &&
    isTimeOrAbsent(ride.expectedArrival) &&
    (ride.cancelled === undefined || ride.cancelled === true) &&
    (ride.mode === undefined || MODES.includes(ride.mode)) &&
    (ride.otherNumbers === undefined || areTexts(ride.otherNumbers)) &&
    (ride.departurePlatform === undefined || isPlatform(ride.departurePlatform)) &&
    (ride.arrivalPlatform === undefined || isPlatform(ride.arrivalPlatform)) &&
    (ride.remarks === undefined || areRemarks(ride.remarks)) &&
    (ride.stops === undefined || areAll(ride.stops, isStop)) &&
    (ride.booking === undefined || isBooking(ride.booking)) &&
    (ride.co2Grams === undefined || areGrams(ride.co2Grams))
  );
}

/** Returns whether an offer is right. Offers for some rides or passengers are rare: their shape checks them. */
function isOffer(offer: Unchecked<Offer>): boolean {
  return (
    typeof offer?.id === 'string' &&
    typeof offer.seller === 'string' &&
    Number.isFinite(offer.total?.amount) &&
    typeof offer.total?.currency === 'string' &&
    Number.isFinite(offer.fetchedAt) &&
    offer.rides === undefined &&
    offer.passengers === undefined &&
    (offer.conditions === undefined || areConditions(offer.conditions))
  );
}

function isPlatform(value: unknown): boolean {
  const { planned, expected } = Object(value) as Platform;
  return (
    (planned !== undefined || expected !== undefined) &&
    isShownOrAbsent(planned) &&
    isShownOrAbsent(expected)
  );
}

function isRemark(value: unknown): boolean {
  const { kind, text, code, language } = Object(value) as Remark;
  return (
    (kind === 'disruption' || kind === 'info') &&
    text !== undefined &&
    isShownOrAbsent(text) &&
    isShownOrAbsent(code) &&
    isShownOrAbsent(language)
  );
}

function areRemarks(value: unknown): boolean {
  return areAll(value, isRemark) && areFew(value);
}

function areFew(list: unknown): boolean {
  return (list as readonly unknown[]).length <= MAX_REMARKS;
}

function isStop(value: unknown): boolean {
  const stop = Object(value) as Unchecked<RideStop> & object;
  return (
    typeof stop.station === 'string' &&
    isTimeOrAbsent(stop.arrival) &&
    isTimeOrAbsent(stop.departure) &&
    isTimeOrAbsent(stop.expectedArrival) &&
    isTimeOrAbsent(stop.expectedDeparture) &&
    (stop.platform === undefined || isPlatform(stop.platform)) &&
    (stop.cancelled === undefined || stop.cancelled === true)
  );
}

function isBooking(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { until, text } = value as RideBooking;
  return isTimeOrAbsent(until) && isShownOrAbsent(text);
}

function areGrams(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) >= 0;
}

function areConditions(value: unknown): boolean {
  const { refund, exchange, text } = Object(value) as OfferConditions;
  return CONDITIONS.includes(refund) && CONDITIONS.includes(exchange) && isShownOrAbsent(text);
}

/** A text that is shown: neither empty nor long. */
function isShownOrAbsent(text: unknown): boolean {
  return (
    text === undefined ||
    (typeof text === 'string' && text.length > 0 && text.length <= MAX_REMARK_LENGTH)
  );
}

function areTexts(texts: unknown): boolean {
  if (!Array.isArray(texts)) return false;
  for (const text of texts) if (typeof text !== 'string') return false;
  return true;
}

function areAll<T>(list: unknown, test: (item: T) => boolean): boolean {
  if (!Array.isArray(list)) return false;
  for (const item of list) if (!test(item)) return false;
  return true;
}

function isTime(time: Unchecked<TimeAt>): boolean {
  return Number.isFinite(time?.ms) && typeof time?.iso === 'string';
}

function isTimeOrAbsent(time: Unchecked<TimeAt>): boolean {
  return time === undefined || isTime(time);
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
