import type { Journey, Offer, RideLeg, TransferLeg } from './journey.ts';
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

/** Returns the first wrong field of a journey, as far as merging and sorting read it. */
export function wrongInJourney(journey: Unchecked<Journey>): WrongField | undefined {
  const path = pathInJourney(journey);
  return path === undefined ? undefined : explain(journey, path);
}

/** Returns the first wrong field of legs and offers. */
export function wrongInParts(
  parts: Unchecked<Pick<Journey, 'legs' | 'offers'>>,
): WrongField | undefined {
  const path = pathInParts(parts);
  return path === undefined ? undefined : explain(parts, path);
}

// The checks run for each journey and offer of each search. Small functions that return a constant are inlined, which
// takes half the time of those that make the error themselves; so `explain` finds out what is wrong at a path.

function pathInJourney(journey: Unchecked<Journey>): string | undefined {
  if (typeof journey?.id !== 'string') return 'id';
  if (!isTime(journey.departure)) return pathInTime('departure', journey.departure);
  if (!isTime(journey.arrival)) return pathInTime('arrival', journey.arrival);
  if (!Number.isFinite(journey.durationMinutes)) return 'durationMinutes';
  if (!Array.isArray(journey.sources)) return 'sources';
  for (const source of journey.sources) {
    if (typeof source !== 'string') return `sources[${journey.sources.indexOf(source)}]`;
  }
  return pathInParts(journey);
}

function pathInParts(parts: Unchecked<Pick<Journey, 'legs' | 'offers'>>): string | undefined {
  if (!Array.isArray(parts?.legs)) return 'legs';
  if (!Array.isArray(parts.offers)) return 'offers';
  for (const leg of parts.legs) {
    const path = pathInLeg(leg);
    if (path !== undefined) return `legs[${parts.legs.indexOf(leg)}].${path}`;
  }
  for (const offer of parts.offers) {
    const path = pathInOffer(offer);
    if (path !== undefined) return `offers[${parts.offers.indexOf(offer)}].${path}`;
  }
  return undefined;
}

function pathInLeg(leg: Unchecked<RideLeg | TransferLeg>): string | undefined {
  if (leg?.kind !== 'ride') return leg?.kind === 'transfer' ? undefined : 'kind';
  const { departure, arrival, brand, number, operator } = leg as Unchecked<RideLeg> & object;
  if (!isTime(departure)) return pathInTime('departure', departure);
  if (!isTime(arrival)) return pathInTime('arrival', arrival);
  if (brand !== undefined && typeof brand !== 'string') return 'brand';
  if (number !== undefined && typeof number !== 'string') return 'number';
  if (operator !== undefined && typeof operator !== 'string') return 'operator';
  return undefined;
}

function pathInOffer(offer: Unchecked<Offer>): string | undefined {
  if (typeof offer?.id !== 'string') return 'id';
  if (typeof offer.seller !== 'string') return 'seller';
  if (!Number.isFinite(offer.total?.amount)) return 'total.amount';
  if (typeof offer.total?.currency !== 'string') return 'total.currency';
  return Number.isFinite(offer.fetchedAt) ? undefined : 'fetchedAt';
}

function isTime(time: Unchecked<TimeAt>): boolean {
  return Number.isFinite(time?.ms) && typeof time?.iso === 'string';
}

/** Returns the path in what is no time. */
function pathInTime(name: string, time: Unchecked<TimeAt>): string {
  return Number.isFinite(time?.ms) ? `${name}.iso` : `${name}.ms`;
}

const expectedByName: Readonly<Record<string, string>> = {
  ms: 'a number',
  amount: 'a number',
  durationMinutes: 'a number',
  fetchedAt: 'a number',
  legs: 'a list',
  offers: 'a list',
  sources: 'a list',
  kind: 'ride or transfer',
  brand: 'a text or absent',
  number: 'a text or absent',
  operator: 'a text or absent',
};

/** Returns what is wrong at a path: its field, or the first value on the way that has no fields. */
function explain(value: unknown, path: string): WrongField {
  let got = value;
  let read = '';
  for (const [step] of path.matchAll(/\w+|\[\d+\]/g)) {
    if (typeof got !== 'object' || got === null) return { path: read, expected: 'an object', got };
    const name = step.replace(/[[\]]/g, '');
    got = (got as Readonly<Record<string, unknown>>)[name];
    read += step === name && read !== '' ? `.${step}` : step;
  }
  const last = path.slice(path.lastIndexOf('.') + 1);
  return { path, expected: expectedByName[last] ?? 'a text', got };
}
