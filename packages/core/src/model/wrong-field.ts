import type { Journey, Leg, Offer, RideLeg } from './journey.ts';
import type { TimeAt } from './local-clock.ts';

/** A `T` as an adapter made it: no compiler checked it, so any field may be anything. */
type Unchecked<T> = { readonly [Field in keyof T]?: Unchecked<T[Field]> } | null | undefined;

/** The first field of a value that is not what its type says. */
export interface WrongField {
  /** From the value on, `offers[0].fetchedAt`; empty for the value itself. */
  readonly path: string;
  readonly expected: string;
  readonly got: unknown;
}

/**
 * Returns the first wrong field of a journey, as far as merging and sorting read it.
 *
 * Plain checks without a table or closures: they run for each journey and offer of each search.
 */
export function wrongInJourney(journey: Unchecked<Journey>): WrongField | undefined {
  if (typeof journey !== 'object' || journey === null) return wrong('', 'an object', journey);
  const { id, departure, arrival, durationMinutes, legs, offers, sources } = journey;
  if (typeof id !== 'string') return wrong('id', 'a text', id);
  if (!isTime(departure)) return within('departure', wrongInTime(departure));
  if (!isTime(arrival)) return within('arrival', wrongInTime(arrival));
  if (!Number.isFinite(durationMinutes)) return aNumber('durationMinutes', durationMinutes);
  if (!Array.isArray(sources)) return wrong('sources', 'a list', sources);
  for (let index = 0; index < sources.length; index++) {
    const source = sources[index];
    if (typeof source !== 'string') return wrong(`sources[${index}]`, 'a text', source);
  }
  return wrongInParts({ legs, offers });
}

/** Returns the first wrong field of legs and offers. */
export function wrongInParts({
  legs,
  offers,
}: {
  readonly legs: unknown;
  readonly offers: unknown;
}): WrongField | undefined {
  if (!Array.isArray(legs)) return wrong('legs', 'a list', legs);
  if (!Array.isArray(offers)) return wrong('offers', 'a list', offers);
  for (let index = 0; index < legs.length; index++) {
    const found = wrongInLeg(legs[index]);
    if (found !== undefined) return within(`legs[${index}]`, found);
  }
  for (let index = 0; index < offers.length; index++) {
    const found = wrongInOffer(offers[index]);
    if (found !== undefined) return within(`offers[${index}]`, found);
  }
  return undefined;
}

function wrongInLeg(leg: Unchecked<Leg>): WrongField | undefined {
  if (typeof leg !== 'object' || leg === null) return wrong('', 'an object', leg);
  if (leg.kind === 'transfer') return undefined;
  if (leg.kind !== 'ride') return wrong('kind', 'ride or transfer', leg.kind);
  const { departure, arrival, brand, number, operator } = leg as Unchecked<RideLeg> & object;
  if (!isTime(departure)) return within('departure', wrongInTime(departure));
  if (!isTime(arrival)) return within('arrival', wrongInTime(arrival));
  if (!isTextOrAbsent(brand)) return wrong('brand', 'a text or absent', brand);
  if (!isTextOrAbsent(number)) return wrong('number', 'a text or absent', number);
  if (!isTextOrAbsent(operator)) return wrong('operator', 'a text or absent', operator);
  return undefined;
}

function wrongInOffer(offer: Unchecked<Offer>): WrongField | undefined {
  if (typeof offer !== 'object' || offer === null) return wrong('', 'an object', offer);
  const { id, seller, total, fetchedAt } = offer;
  if (typeof id !== 'string') return wrong('id', 'a text', id);
  if (typeof seller !== 'string') return wrong('seller', 'a text', seller);
  if (total === undefined) return wrong('total', 'an object', total);
  if (!Number.isFinite(total?.amount)) return aNumber('total.amount', total?.amount);
  const currency = total?.currency;
  if (typeof currency !== 'string') return wrong('total.currency', 'a text', currency);
  if (!Number.isFinite(fetchedAt)) return aNumber('fetchedAt', fetchedAt);
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
