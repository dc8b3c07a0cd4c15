import {
  addMoney,
  type CarrierQuery,
  currencyExponent,
  type Money,
  type Offer,
  type TravelClass,
} from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import { optionalPart } from '../wire/optional-part.ts';
import { shownText } from '../wire/shown-text.ts';
import { wireInstant } from '../wire/wire-instant.ts';
import type { WireReader, WireRecord } from '../wire/wire-reader.ts';
import { combineOffers, type PartyOffer } from './combine-offers.ts';
import { conditionsOf } from './conditions.ts';
import { passengerRef } from './encode-request.ts';

interface OfferContext {
  readonly query: CarrierQuery;
  /** Indexes of rides among the rides of the trip, by the ids of legs. */
  readonly rideOf: ReadonlyMap<string, number>;
  readonly fetchedAt: number;
}

const OFFSET = /(?:Z|[+-]\d\d:?\d\d)$/;
const PARTS = [
  'admissionOfferParts',
  'reservationOfferParts',
  'ancillaryOfferParts',
  'continuousServiceOfferParts',
] as const;
const classes: ReadonlyMap<unknown, TravelClass> = new Map([
  ['FIRST', 'first'],
  ['SECOND', 'second'],
]);
const flexibilities: ReadonlyMap<unknown, Offer['flexibility']> = new Map([
  ['FULL_FLEXIBLE', 'full'],
  ['SEMI_FLEXIBLE', 'semi'],
  ['NON_FLEXIBLE', 'none'],
]);

/** Groups offers by the trip that they cover. Those for trips that the answer lacks are left out. */
export function offersByTrip(
  read: WireReader,
  trips: readonly WireRecord[],
  offers: readonly WireRecord[],
): ReadonlyMap<string, readonly WireRecord[]> {
  const byTrip = new Map<string, WireRecord[]>();
  for (const offer of offers) {
    const trip =
      coverageOf(read, offer)?.['coveredTripId'] ??
      (trips.length === 1 ? trips[0]?.['id'] : undefined);
    if (typeof trip !== 'string') continue;
    const grouped = byTrip.get(trip);
    if (grouped) grouped.push(offer);
    else byTrip.set(trip, [offer]);
  }
  return byTrip;
}

/**
 * Returns the offers that a query can use, each id once, and whether the provider priced the trip for it. Offers for some of the
 * passengers are combined to offers for all, or have the indexes of these. Left out are offers for sections that are not whole rides: what
 * they cost for the query is not known.
 */
export function readOffers(
  decoder: CarrierDecoder,
  offers: readonly WireRecord[],
  context: OfferContext,
): { readonly read: readonly Offer[]; readonly isPriced: boolean } {
  const found = new Map<string, Offer>();
  const parts: PartyOffer[] = [];
  for (const [place, wire] of offers.entries()) {
    const offer = offerOf(decoder, wire, { ...context, place: place + 1 });
    if (offer === undefined) continue;
    const passengers = passengersOf(decoder.read, wire, context.query);
    if (passengers === 'all') found.set(offer.id, found.get(offer.id) ?? offer);
    else if (passengers !== 0) parts.push({ offer, passengers });
  }
  for (const offer of combineOffers(parts, context.query.passengers.length)) {
    found.set(offer.id, found.get(offer.id) ?? offer);
  }
  const { travelClass: wanted } = context.query;
  const isWanted = ({ travelClass }: Offer): boolean =>
    wanted === undefined || travelClass === wanted || travelClass === 'any';
  return {
    read: [...found.values()].filter(isWanted),
    isPriced: found.size > 0 || offers.length === 0,
  };
}

function offerOf(
  { read, carrier, clock }: CarrierDecoder,
  offer: WireRecord,
  { rideOf, fetchedAt, place }: OfferContext & { readonly place: number },
): Offer | undefined {
  const total = totalOf(read, offer);
  const rides = coveredRides(read, offer, rideOf);
  if (total === undefined || rides === undefined) return undefined;
  const summary = Object(offer['offerSummary']) as WireRecord;
  const fareName = nameOf(offer);
  const seatsLeft = seatsOf(read, offer);
  const conditions = optionalPart(() => conditionsOf(read, offer));
  const { preBookableUntil } = offer;
  // Without an offset it is not said whose clocks show it.
  const isInstant = typeof preBookableUntil === 'string' && OFFSET.test(preBookableUntil);
  const validUntil = isInstant ? wireInstant(clock, preBookableUntil, 'UTC') : undefined;
  const count = new Set(rideOf.values()).size;
  return {
    id: read.optionalText(offer, 'offerId') ?? `offer-${place}`,
    seller: carrier,
    total,
    ...(rides.length < count && { rides }),
    travelClass: classes.get(summary['overallTravelClass']) ?? 'any',
    ...(fareName !== undefined && { fareName }),
    flexibility: flexibilities.get(summary['overallFlexibility']) ?? 'unknown',
    ...(seatsLeft !== undefined && { seatsLeft }),
    ...(conditions && { conditions }),
    ...(validUntil !== undefined && { validUntil }),
    fetchedAt,
  };
}

/** Returns the coverage of the offer, else of its first part that has one. */
function coverageOf(read: WireReader, offer: WireRecord): WireRecord | undefined {
  const own = [offer, ...partsOf(read, offer)].find(({ tripCoverage }) => isGiven(tripCoverage));
  return own && read.record(own['tripCoverage'], 'tripCoverage');
}

function coveredRides(
  read: WireReader,
  offer: WireRecord,
  rideOf: ReadonlyMap<string, number>,
): readonly number[] | undefined {
  const all = [...new Set(rideOf.values())];
  const { tripCoverage } = offer;
  if (!isGiven(tripCoverage)) return all;
  const { coveredLegIds, coveredSections } = read.record(tripCoverage, 'tripCoverage');
  if (Array.isArray(coveredSections) && coveredSections.length > 0) return undefined;
  if (!isGiven(coveredLegIds)) return all;
  const legs = new Set(read.items(coveredLegIds, 'coveredLegIds'));
  if (legs.size === 0) return all;
  const [covered, open] = [new Set<number>(), new Set<number>()];
  // Ways between rides are legs too, and have no place among them.
  for (const [leg, ride] of rideOf) (legs.has(leg) ? covered : open).add(ride);
  // Of trains that people stay in, one alone is no ride.
  const isPart = [...covered].some((ride) => open.has(ride));
  return covered.size === 0 || isPart ? undefined : [...covered].sort((a, b) => a - b);
}

/** Returns the passengers of the query that an offer is for, as bits; one that names none is for all. */
function passengersOf(
  read: WireReader,
  offer: WireRecord,
  { passengers }: CarrierQuery,
): number | 'all' {
  const { passengerRefs } = offer;
  if (!isGiven(passengerRefs)) return 'all';
  const named = new Set(read.items(passengerRefs, 'passengerRefs'));
  const bits = passengers.reduce(
    (sum, _one, index) => sum + (named.has(passengerRef(index)) ? 2 ** index : 0),
    0,
  );
  return bits === 2 ** passengers.length - 1 ? 'all' : bits;
}

/** The price in the summary is for all passengers; without a summary it is the sum of all parts and fees. */
function totalOf(read: WireReader, offer: WireRecord): Money | undefined {
  const { offerSummary } = offer;
  if (isGiven(offerSummary)) {
    const { minimalPrice } = read.record(offerSummary, 'offerSummary');
    return isGiven(minimalPrice) ? moneyOf(read, minimalPrice, 'minimalPrice') : undefined;
  }
  const prices = [...partsOf(read, offer), ...recordsAt(read, offer, 'fees')].map(({ price }) =>
    moneyOf(read, price, 'price'),
  );
  const [first, ...others] = prices;
  return first && others.reduce(addMoney, first);
}

/** Rescales `amount / 10^scale` to the minor units of the currency, exactly. */
export function moneyOf(read: WireReader, price: unknown, name: string): Money {
  const money = read.record(price, name);
  const currency = read.text(money, 'currency');
  const amount = read.optionalNumber(money, 'amount') ?? Number.NaN;
  const scale = read.optionalNumber(money, 'scale') ?? 2;
  const shift = currencyExponent(currency) - (isScale(scale) ? scale : Number.NaN);
  const factor = 10 ** Math.abs(shift);
  const minor = shift >= 0 ? amount * factor : amount / factor;
  if (!Number.isSafeInteger(amount) || !Number.isSafeInteger(minor) || minor < 0) {
    throw read.error(`an amount of ${currency} in whole minor units at \`${name}\``, amount);
  }
  return { amount: minor === 0 ? 0 : minor, currency };
}

function isScale(scale: unknown): scale is number {
  return typeof scale === 'number' && Number.isInteger(scale) && scale >= 0 && scale <= 9;
}

/** The fewest of any part. */
function seatsOf(read: WireReader, offer: WireRecord): number | undefined {
  const counts = partsOf(read, offer)
    .map(({ numericAvailability }) => numericAvailability)
    .filter((count): count is number => Number.isInteger(count) && (count as number) >= 0);
  return counts.length === 0 ? undefined : counts.reduce((a, b) => Math.min(a, b));
}

function nameOf(offer: WireRecord): string | undefined {
  const { products } = offer;
  const product = Object(Array.isArray(products) ? products[0] : products) as WireRecord;
  return shownText(product['summary']) ?? shownText(offer['summary']) ?? shownText(product['code']);
}

function partsOf(read: WireReader, offer: WireRecord): readonly WireRecord[] {
  return PARTS.flatMap((name) => recordsAt(read, offer, name));
}

function recordsAt(read: WireReader, record: WireRecord, name: string): readonly WireRecord[] {
  return read.records(record[name], name);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
