import {
  addMoney,
  type CarrierQuery,
  currencyExponent,
  type Money,
  type Offer,
  type TravelClass,
} from '@ticketing/core';
import type { JourneyDecoder } from '../wire/read-journeys.ts';
import type { WireReader, WireRecord } from '../wire/wire-reader.ts';
import { passengerRef } from './encode-request.ts';

interface OfferContext {
  readonly query: CarrierQuery;
  /** Places of rides among those of the trip, by the ids of legs. */
  readonly rideOf: ReadonlyMap<string, number>;
  readonly fetchedAt: number;
}

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
 * Returns the offers that a query can use, each id once, and whether the provider priced the trip for it. Left out are offers for some of
 * the passengers, and for sections that are not whole rides: what they cost for the query is not known.
 */
export function readOffers(
  decoder: JourneyDecoder,
  offers: readonly WireRecord[],
  context: OfferContext,
): { readonly read: readonly Offer[]; readonly isPriced: boolean } {
  const found = new Map<string, Offer>();
  let unread = 0;
  for (const wire of offers) {
    const offer = offerOf(decoder, wire, context);
    if (offer === undefined) unread += 1;
    else if (!found.has(offer.id)) found.set(offer.id, offer);
  }
  const { travelClass: wanted } = context.query;
  const isWanted = ({ travelClass }: Offer): boolean =>
    wanted === undefined || travelClass === wanted || travelClass === 'any';
  return { read: [...found.values()].filter(isWanted), isPriced: found.size > 0 || unread === 0 };
}

function offerOf(
  { read, carrier }: JourneyDecoder,
  offer: WireRecord,
  { query, rideOf, fetchedAt }: OfferContext,
): Offer | undefined {
  const total = totalOf(read, offer);
  const rides = coveredRides(read, offer, rideOf);
  if (total === undefined || rides === undefined || !isForAll(read, offer, query)) return undefined;
  const summary = Object(offer['offerSummary']) as WireRecord;
  const fareName = nameOf(offer);
  const seatsLeft = seatsOf(read, offer);
  const { preBookableUntil } = offer;
  const validUntil = typeof preBookableUntil === 'string' ? Date.parse(preBookableUntil) : NaN;
  return {
    id: read.text(offer, 'offerId'),
    seller: carrier,
    total,
    ...(rides.length < rideOf.size && { rides }),
    travelClass: classes.get(summary['overallTravelClass']) ?? 'any',
    ...(fareName !== undefined && { fareName }),
    flexibility: flexibilities.get(summary['overallFlexibility']) ?? 'unknown',
    ...(seatsLeft !== undefined && { seatsLeft }),
    ...(!Number.isNaN(validUntil) && { validUntil }),
    fetchedAt,
  };
}

/** Of the offer, else of its first part that has one. */
function coverageOf(read: WireReader, offer: WireRecord): WireRecord | undefined {
  const own = [offer, ...partsOf(read, offer)].find(({ tripCoverage }) => isGiven(tripCoverage));
  return own && read.record(own['tripCoverage'], 'tripCoverage');
}

function coveredRides(
  read: WireReader,
  offer: WireRecord,
  rideOf: ReadonlyMap<string, number>,
): readonly number[] | undefined {
  const all = [...rideOf.values()];
  const { tripCoverage } = offer;
  if (!isGiven(tripCoverage)) return all;
  const { coveredLegIds, coveredSections } = read.record(tripCoverage, 'tripCoverage');
  if (Array.isArray(coveredSections) && coveredSections.length > 0) return undefined;
  if (!isGiven(coveredLegIds)) return all;
  const legs = read.list(coveredLegIds, 'coveredLegIds');
  if (legs.length === 0) return all;
  // Ways between rides are legs too, and have no place among them.
  const covered = new Set(
    legs.flatMap((leg) => (typeof leg === 'string' ? rideOf.get(leg) : undefined) ?? []),
  );
  return covered.size === 0 ? undefined : [...covered].sort((a, b) => a - b);
}

/** Whether an offer is for every passenger of the query; one that names none is. */
function isForAll(read: WireReader, offer: WireRecord, { passengers }: CarrierQuery): boolean {
  const { passengerRefs } = offer;
  if (!isGiven(passengerRefs)) return true;
  const named = new Set(read.list(passengerRefs, 'passengerRefs'));
  return passengers.every((_one, index) => named.has(passengerRef(index)));
}

/** The price in the summary is for all passengers; without a summary it is the sum of all parts and fees. */
function totalOf(read: WireReader, offer: WireRecord): Money | undefined {
  const { offerSummary } = offer;
  if (isGiven(offerSummary)) {
    return moneyOf(read, read.record(offerSummary, 'offerSummary')['minimalPrice'], 'minimalPrice');
  }
  const prices = [...partsOf(read, offer), ...recordsAt(read, offer, 'fees')].map(({ price }) =>
    moneyOf(read, price, 'price'),
  );
  const [first, ...others] = prices;
  return first && others.reduce(addMoney, first);
}

/** Rescales `amount / 10^scale` to the minor units of the currency, exactly. */
function moneyOf(read: WireReader, price: unknown, name: string): Money {
  const money = read.record(price, name);
  const currency = read.text(money, 'currency');
  const amount = read.number(money, 'amount');
  const scale = money['scale'] ?? 2;
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
  const product = Object(Array.isArray(products) ? products[0] : undefined) as WireRecord;
  const names = [product['summary'], offer['summary'], product['code']];
  return names.find((name): name is string => typeof name === 'string' && name !== '');
}

function partsOf(read: WireReader, offer: WireRecord): readonly WireRecord[] {
  return PARTS.flatMap((name) => recordsAt(read, offer, name));
}

function recordsAt(read: WireReader, record: WireRecord, name: string): readonly WireRecord[] {
  return read.list(record[name] ?? [], name).map((one) => read.record(one, name));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
