import {
  addMoney,
  type CarrierAnswer,
  type CarrierContext,
  type CarrierPair,
  type CarrierQuery,
  createJourney,
  type Journey,
  type Offer,
} from '@ticketing/core';
import { withEnds } from '../../wire/decoder.ts';
import { readJourneys } from '../../wire/read-journeys.ts';
import type { WireRecord } from '../../wire/wire-reader.ts';
import { firstAsk, type OsdmAsk } from '../ask.ts';
import { offersBody, tripCriteria } from '../encode-request.ts';
import type { OsdmDecoder } from '../normalise.ts';
import { readOffers } from '../offers.ts';
import { readPage } from '../page.ts';
import { type Bytes, type OsdmAccess, orNothing, send } from '../request.ts';
import { companiesOf } from '../service.ts';
import { readTrip } from '../trip.ts';

/** Bytes of the trips of both ways and of the offers for them; without trips of one way there are no offers. */
export interface OsdmReturnsWire {
  readonly outbound?: Bytes;
  readonly inbound?: Bytes;
  readonly offers?: Bytes;
  readonly receivedAt: number;
}

/** Asks for trips both ways at the same time, then for offers for all of them. */
export async function requestReturns(
  access: OsdmAccess,
  query: CarrierQuery,
  context: CarrierContext,
): Promise<OsdmReturnsWire> {
  const { carrier, codes, decoder, results, now } = access;
  const { clock, read } = decoder;
  const trips = (way: CarrierQuery): Promise<Bytes | undefined> => {
    const ask: OsdmAsk = firstAsk(carrier, way, { clock, nowMs: now() });
    const body = tripCriteria(ask, way, { carrier, clock, codes, results });
    return orNothing(() => send(access, context, { path: '/trips-collections', body }));
  };
  const [outbound, inbound] = await Promise.all([trips(query), trips(wayBack(query))]);
  const idsOf = (bytes: Bytes | undefined): readonly string[] =>
    bytes ? tripsOf(decoder, bytes).map((trip) => read.text(trip, 'id')) : [];
  const [tripIds, inboundTripIds] = [idsOf(outbound), idsOf(inbound)];
  const found = { ...(outbound && { outbound }), ...(inbound && { inbound }) };
  if (tripIds.length === 0 || inboundTripIds.length === 0) {
    return { ...found, receivedAt: now() };
  }
  const body = offersBody({ tripIds, inboundTripIds }, query);
  const offers = await orNothing(() => send(access, context, { path: '/offers', body }));
  return { ...found, ...(offers && { offers }), receivedAt: now() };
}

/** Returns the query of the way back. */
function wayBack({ returns, ...query }: CarrierQuery): CarrierQuery {
  const { origin, destination, arriveBy: _, time: _time, date, ...rest } = query;
  return {
    ...rest,
    origin: destination,
    destination: origin,
    date: returns?.date ?? date,
    ...(returns?.time !== undefined && { time: returns.time }),
  };
}

function tripsOf(decoder: OsdmDecoder['decoder'], trips: Bytes): readonly WireRecord[] {
  return readPage(decoder, { ask: { atMs: 0, by: 'departure', direction: 'later' }, trips }).trips;
}

/** One way: its trips as journeys, by their ids. */
interface Way {
  readonly journeys: readonly Journey[];
  /** Index among the journeys, and rides by the ids of legs, of each trip that is one. */
  readonly trips: ReadonlyMap<
    string,
    { readonly index: number; readonly rideOf: ReadonlyMap<string, number> }
  >;
  readonly places: CarrierAnswer['places'];
}

/** Trips of both ways that an offer covers, as far as it names them, and the tags of the offers that it goes with. */
interface Coverage {
  readonly outbound: string | undefined;
  readonly inbound: string | undefined;
  readonly tags: string;
}

/**
 * Returns the pairs that the provider prices, of each pair of journeys the cheapest: an offer that covers both ways, or one for each way
 * with equal `returnTags`, which are sold together alone. Offers without tags are of one way, and make no pair.
 */
export function normaliseReturns(
  osdm: OsdmDecoder,
  wire: OsdmReturnsWire,
  query: CarrierQuery,
): CarrierAnswer {
  const { read } = osdm.decoder;
  const outbound = readWay(osdm, wire.outbound, query);
  const inbound = readWay(osdm, wire.inbound, wayBack(query));
  const offers = wire.offers ? readOfferList(osdm.decoder, wire.offers) : [];
  const pairs = new Map<string, CarrierPair>();
  const add = (out: string, back: string, offer: Offer | undefined): void => {
    const [from, to] = [outbound.trips.get(out), inbound.trips.get(back)];
    if (offer === undefined || from === undefined || to === undefined) return;
    const key = `${from.index} ${to.index}`;
    const known = pairs.get(key)?.offer.total;
    const isOther = known !== undefined && known.currency !== offer.total.currency;
    if (isOther || (known !== undefined && known.amount <= offer.total.amount)) return;
    pairs.set(key, { outbound: from.index, inbound: to.index, offer });
  };
  const whole = new Map<string, WireRecord[]>();
  const byTags = new Map<string, Record<'outbound' | 'inbound', Map<string, WireRecord[]>>>();
  for (const offer of offers) {
    const { outbound: out, inbound: back, tags } = coverageOf(offer, inbound);
    if (out !== undefined && back !== undefined) {
      listAt(whole, JSON.stringify([out, back])).push(offer);
    } else if (tags !== '') {
      const ways = byTags.get(tags) ?? { outbound: new Map(), inbound: new Map() };
      byTags.set(tags, ways);
      if (out !== undefined) listAt(ways.outbound, out).push(offer);
      if (back !== undefined) listAt(ways.inbound, back).push(offer);
    }
  }
  for (const [key, some] of whole) {
    const [out, back] = JSON.parse(key) as [string, string];
    add(out, back, cheapest(some, outbound.trips.get(out)?.rideOf));
  }
  for (const ways of byTags.values()) {
    const backs = [...ways.inbound].map(([back, some]) => ({
      back,
      offer: cheapest(some, inbound.trips.get(back)?.rideOf),
    }));
    for (const [out, some] of ways.outbound) {
      const first = cheapest(some, outbound.trips.get(out)?.rideOf);
      for (const { back, offer } of backs) add(out, back, first && offer && together(first, offer));
    }
  }
  const places = [...(outbound.places ?? []), ...(inbound.places ?? [])];
  return {
    journeys: outbound.journeys,
    ...(places.length > 0 && { places }),
    returns: { journeys: inbound.journeys, pairs: [...pairs.values()] },
  };

  /** Returns the cheapest offer for all passengers and rides. */
  function cheapest(
    some: readonly WireRecord[],
    rideOf: ReadonlyMap<string, number> | undefined,
  ): Offer | undefined {
    if (rideOf === undefined) return undefined;
    const context = { query, rideOf, fetchedAt: wire.receivedAt };
    return read
      .guard(() => readOffers(osdm.decoder, some, context))
      .read.filter(({ rides, passengers }) => rides === undefined && passengers === undefined)
      .sort((a, b) => a.total.amount - b.total.amount)[0];
  }
}

function listAt<Key, Item>(lists: Map<Key, Item[]>, key: Key): Item[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

function readWay(
  { decoder: plain, codes }: OsdmDecoder,
  bytes: Bytes | undefined,
  query: CarrierQuery,
): Way {
  if (bytes === undefined) return { journeys: [], trips: new Map(), places: undefined };
  const decoder = withEnds(plain, query);
  const rows = tripsOf(decoder, bytes);
  const companies = companiesOf(rows);
  const read = new Map<Journey, readonly [id: string, rideOf: ReadonlyMap<string, number>]>();
  const { journeys, places } = readJourneys(decoder, rows, (trip, row) => {
    const { legs, rideOf } = readTrip(row, trip, { query, codes, companies });
    const journey = createJourney({ source: decoder.carrier, legs, offers: [], priced: false });
    read.set(journey, [row.read.text(trip, 'id'), rideOf]);
    return journey;
  });
  const trips = new Map(
    journeys.flatMap((journey, index) => {
      const found = read.get(journey);
      return found ? [[found[0], { index, rideOf: found[1] }] as const] : [];
    }),
  );
  return { journeys, trips, places };
}

/** Returns the offers of an answer; it has the trips of both ways, by which an offer without coverage could not be told. */
function readOfferList(decoder: OsdmDecoder['decoder'], offers: Bytes): readonly WireRecord[] {
  const ask: OsdmAsk = { atMs: 0, by: 'departure', direction: 'later' };
  return readPage(decoder, { ask, offers }).offers;
}

/** An offer of the way back names its trip as that of the way back, or as a trip. */
function coverageOf(offer: WireRecord, inbound: Way): Coverage {
  const tripIn = (name: string): string | undefined => {
    const { coveredTripId } = Object(offer[name]) as WireRecord;
    return typeof coveredTripId === 'string' ? coveredTripId : undefined;
  };
  const [trip, back] = [tripIn('tripCoverage'), tripIn('inboundTripCoverage')];
  const { returnTags } = offer;
  const tags = Array.isArray(returnTags)
    ? [...new Set(returnTags.filter((tag) => typeof tag === 'string'))].sort()
    : [];
  const isBack = back === undefined && trip !== undefined && inbound.trips.has(trip);
  return {
    outbound: isBack ? undefined : trip,
    inbound: isBack ? trip : back,
    tags: tags.length > 0 ? JSON.stringify(tags) : '',
  };
}

/** Returns two offers, one for each way, as one; none where their currencies differ. */
function together(out: Offer, back: Offer): Offer | undefined {
  if (out.total.currency !== back.total.currency) return undefined;
  const { fareName, seatsLeft, validUntil, conditions, ...rest } = out;
  const isAlike = back.fareName === fareName;
  const least = (a: number | undefined, b: number | undefined): number | undefined =>
    a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
  const [seats, until] = [least(seatsLeft, back.seatsLeft), least(validUntil, back.validUntil)];
  const isSame = JSON.stringify(conditions) === JSON.stringify(back.conditions);
  return {
    ...rest,
    id: `${out.id}+${back.id}`,
    total: addMoney(out.total, back.total),
    travelClass: out.travelClass === back.travelClass ? out.travelClass : 'any',
    flexibility: out.flexibility === back.flexibility ? out.flexibility : 'unknown',
    ...(isAlike && fareName !== undefined && { fareName }),
    ...(seats !== undefined && { seatsLeft: seats }),
    ...(until !== undefined && { validUntil: until }),
    ...(isSame && conditions && { conditions }),
    fetchedAt: Math.min(out.fetchedAt, back.fetchedAt),
  };
}
