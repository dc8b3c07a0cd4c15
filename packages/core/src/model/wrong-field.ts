import type { Journey, Leg, Offer, RideLeg, RideMode } from './journey.ts';
import type { TimeAt } from './local-clock.ts';

/** A `T` as an adapter made it: no compiler checked it, so any field may be anything. */
type Unchecked<T> = { readonly [Field in keyof T]?: Unchecked<T[Field]> } | null | undefined;

const MODES: readonly RideMode[] = ['bus', 'tram', 'metro', 'ferry', 'other'];

/** The first field of a value that is not what its type says. */
export interface WrongField {
  /** From the value on, `offers[0].fetchedAt`; empty for the value itself. */
  readonly path: string;
  readonly expected: string;
  readonly got: unknown;
}

/** Returns the first wrong field of a journey, as far as merging and sorting read it. */
export function wrongInJourney(journey: Unchecked<Journey>): WrongField | undefined {
  return isJourney(journey) ? undefined : explainJourney(journey);
}

// These run for each journey and offer of each search: small predicates are inlined, and take half the time of those
// that say what is wrong.

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
  for (const offer of offers) {
    // Offers for some of the rides are rare, and looked at in full.
    if (!isOffer(offer) || offer.rides !== undefined) return false;
  }
  return true;
}

function isLeg(leg: Unchecked<Leg>): boolean {
  if (typeof leg?.origin !== 'string' || typeof leg.destination !== 'string') return false;
  return leg.kind === 'ride' ? isRide(leg as Unchecked<RideLeg> & object) : leg.kind === 'transfer';
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
    (ride.mode === undefined || MODES.includes(ride.mode as RideMode)) &&
    (ride.otherNumbers === undefined || areTexts(ride.otherNumbers))
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

function areTexts(texts: unknown): boolean {
  if (!Array.isArray(texts)) return false;
  for (const text of texts) if (typeof text !== 'string') return false;
  return true;
}

function explainJourney(journey: Unchecked<Journey>): WrongField | undefined {
  if (typeof journey !== 'object' || journey === null) return wrong('', 'an object', journey);
  const { id, departure, arrival, durationMinutes, transfers, legs, offers } = journey;
  if (typeof id !== 'string') return wrong('id', 'a text', id);
  if (!isTime(departure)) return within('departure', wrongInTime(departure));
  if (!isTime(arrival)) return within('arrival', wrongInTime(arrival));
  if (!Number.isFinite(durationMinutes)) return aNumber('durationMinutes', durationMinutes);
  if (!Number.isFinite(transfers)) return aNumber('transfers', transfers);
  return (
    wrongInTexts('sources', journey.sources) ??
    (journey.unpriced === undefined ? undefined : wrongInTexts('unpriced', journey.unpriced)) ??
    explainParts(legs, offers)
  );
}

function wrongInTexts(path: string, texts: unknown): WrongField | undefined {
  if (!Array.isArray(texts)) return wrong(path, 'a list', texts);
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index];
    if (typeof text !== 'string') return wrong(`${path}[${index}]`, 'a text', text);
  }
  return undefined;
}

/** Returns the first wrong field of legs and offers. */
export function wrongInParts({
  legs,
  offers,
}: {
  readonly legs: unknown;
  readonly offers: unknown;
}): WrongField | undefined {
  return areParts(legs, offers) ? undefined : explainParts(legs, offers);
}

function explainParts(legs: unknown, offers: unknown): WrongField | undefined {
  if (!Array.isArray(legs)) return wrong('legs', 'a list', legs);
  if (!Array.isArray(offers)) return wrong('offers', 'a list', offers);
  let rides = 0;
  for (let index = 0; index < legs.length; index++) {
    const found = wrongInLeg(legs[index]);
    if (found !== undefined) return within(`legs[${index}]`, found);
    if (legs[index].kind === 'ride') rides += 1;
  }
  for (let index = 0; index < offers.length; index++) {
    const found = wrongInOffer(offers[index], rides);
    if (found !== undefined) return within(`offers[${index}]`, found);
  }
  return undefined;
}

function wrongInLeg(leg: Unchecked<Leg>): WrongField | undefined {
  if (typeof leg !== 'object' || leg === null) return wrong('', 'an object', leg);
  const { kind, origin, destination } = leg;
  if (kind !== 'ride' && kind !== 'transfer') return wrong('kind', 'ride or transfer', kind);
  if (typeof origin !== 'string') return wrong('origin', 'a text', origin);
  if (typeof destination !== 'string') return wrong('destination', 'a text', destination);
  return kind === 'ride' ? wrongInRide(leg as Unchecked<RideLeg> & object) : undefined;
}

function wrongInRide(ride: Unchecked<RideLeg> & object): WrongField | undefined {
  const { departure, arrival, brand, number, operator } = ride;
  if (!isTime(departure)) return within('departure', wrongInTime(departure));
  if (!isTime(arrival)) return within('arrival', wrongInTime(arrival));
  if (!isTextOrAbsent(brand)) return wrong('brand', 'a text or absent', brand);
  if (!isTextOrAbsent(number)) return wrong('number', 'a text or absent', number);
  if (!isTextOrAbsent(operator)) return wrong('operator', 'a text or absent', operator);
  const { expectedDeparture, expectedArrival, cancelled, mode, otherNumbers } = ride;
  if (expectedDeparture !== undefined && !isTime(expectedDeparture)) {
    return within('expectedDeparture', wrongInTime(expectedDeparture));
  }
  if (expectedArrival !== undefined && !isTime(expectedArrival)) {
    return within('expectedArrival', wrongInTime(expectedArrival));
  }
  if (cancelled !== undefined && cancelled !== true) {
    return wrong('cancelled', 'true or absent', cancelled);
  }
  if (mode !== undefined && !MODES.includes(mode as RideMode)) {
    return wrong('mode', `${MODES.join(', ')} or absent`, mode);
  }
  return otherNumbers === undefined ? undefined : wrongInTexts('otherNumbers', otherNumbers);
}

function wrongInOffer(offer: Unchecked<Offer>, count: number): WrongField | undefined {
  if (typeof offer !== 'object' || offer === null) return wrong('', 'an object', offer);
  const { id, seller, total, fetchedAt } = offer;
  if (typeof id !== 'string') return wrong('id', 'a text', id);
  if (typeof seller !== 'string') return wrong('seller', 'a text', seller);
  if (total === undefined) return wrong('total', 'an object', total);
  if (!Number.isFinite(total?.amount)) return aNumber('total.amount', total?.amount);
  const currency = total?.currency;
  if (typeof currency !== 'string') return wrong('total.currency', 'a text', currency);
  if (!Number.isFinite(fetchedAt)) return aNumber('fetchedAt', fetchedAt);
  return offer.rides === undefined ? undefined : wrongInRides(offer.rides, count);
}

function wrongInRides(rides: unknown, count: number): WrongField | undefined {
  if (!Array.isArray(rides) || rides.length === 0) return wrong('rides', 'a list of rides', rides);
  for (let index = 0; index < rides.length; index++) {
    const ride: unknown = rides[index];
    const least = index === 0 ? 0 : rides[index - 1] + 1;
    if (!(Number.isInteger(ride) && (ride as number) >= least && (ride as number) < count)) {
      return wrong(`rides[${index}]`, `an integer from ${least} to ${count - 1}`, ride);
    }
  }
  return undefined;
}

function isTime(time: Unchecked<TimeAt>): boolean {
  return Number.isFinite(time?.ms) && typeof time?.iso === 'string';
}

/** Returns the wrong field of what is no time. */
function wrongInTime(time: Unchecked<TimeAt>): WrongField {
  if (typeof time !== 'object' || time === null) return wrong('', 'an object', time);
  return Number.isFinite(time.ms) ? wrong('iso', 'a text', time.iso) : aNumber('ms', time.ms);
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function aNumber(path: string, got: unknown): WrongField {
  return wrong(path, 'a number', got);
}

function wrong(path: string, expected: string, got: unknown): WrongField {
  return { path, expected, got };
}

function within(under: string, { path, ...rest }: WrongField): WrongField {
  return { path: path === '' ? under : `${under}.${path}`, ...rest };
}
