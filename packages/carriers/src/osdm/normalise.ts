import {
  type CarrierAnswer,
  type CarrierPages,
  type CarrierQuery,
  type Covered,
  createJourney,
  type Journey,
  type Place,
} from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import { readJourneys } from '../wire/read-journeys.ts';
import { earlierAsk, endOfDay, isWholeDay, laterAsk, type OsdmFound, writeToken } from './ask.ts';
import type { StationNames } from './encode-request.ts';
import { offersByTrip, readOffers } from './offers.ts';
import { readPage } from './page.ts';
import type { OsdmPage, OsdmWire } from './request.ts';
import { readTrip } from './trip.ts';

/** How a provider's answers are read. */
export interface OsdmDecoder {
  readonly decoder: CarrierDecoder;
  readonly codes: StationNames;
}

/** Turns the pages of an answer into journeys, each once. */
export function normaliseOsdm(
  osdm: OsdmDecoder,
  wire: OsdmWire,
  query: CarrierQuery,
): CarrierAnswer {
  const pages = wire.pages.map((page) => readAnswer(osdm, { page, wire, query }));
  const journeys = new Map<string, Journey>();
  const places = new Map<string, Place>();
  let filtered = 0;
  for (const { answer } of pages) {
    filtered += answer.filtered ?? 0;
    for (const place of answer.places ?? []) places.set(place.id, place);
    for (const journey of answer.journeys) {
      if (!journeys.has(journey.id)) journeys.set(journey.id, journey);
    }
  }
  const found = [...journeys.values()];
  const { clock } = osdm.decoder;
  const isAsked = ({ departure }: Journey): boolean =>
    !isWholeDay(query) || clock.dateOf(departure.ms, query.origin.zone) === query.date;
  const covers = coveredBy(wire, { query, found, clock });
  return {
    journeys: found.filter(isAsked),
    ...(places.size > 0 && { places: [...places.values()] }),
    ...(filtered > 0 && { filtered }),
    pages: pagesBeside(wire, pages, covers),
    ...(covers && { covers }),
  };
}

interface PageAnswer {
  readonly page: OsdmPage;
  readonly answer: CarrierAnswer;
  readonly found: OsdmFound;
}

function readAnswer(
  { decoder, codes }: OsdmDecoder,
  {
    page,
    wire,
    query,
  }: { readonly page: OsdmPage; readonly wire: OsdmWire; readonly query: CarrierQuery },
): PageAnswer {
  const { trips, offers, links } = readPage(decoder, page);
  const byTrip = offersByTrip(decoder.read, trips, offers);
  const answer = readJourneys(decoder, trips, (trip, row) => {
    const { legs, rideOf } = readTrip(row, trip, { query, codes });
    const own = byTrip.get(row.read.text(trip, 'id')) ?? [];
    const { read: priced, isPriced } = readOffers(row, own, {
      query,
      rideOf,
      fetchedAt: wire.receivedAt,
    });
    return createJourney({
      source: decoder.carrier,
      legs,
      offers: priced,
      // Without any offer at all, the provider does not say that trains are sold out.
      ...(!(isPriced && offers.length > 0) && { priced: false }),
    });
  });
  const times = answer.journeys.map((journey) => journey[page.ask.by].ms);
  return { page, answer, found: { times, links } };
}

/** The departures that an answer covers: from what was asked on, up to the last that was found. */
function coveredBy(
  { pages, whole }: OsdmWire,
  {
    query,
    found,
    clock,
  }: {
    readonly query: CarrierQuery;
    readonly found: readonly Journey[];
    readonly clock: CarrierDecoder['clock'];
  },
): Covered | undefined {
  const [first] = pages;
  const departures = found.map(({ departure }) => departure.ms);
  if (first === undefined) return undefined;
  const { atMs, by, side } = first.ask;
  const untilMs = whole
    ? endOfDay(query, clock)
    : departures.reduce((a, b) => Math.max(a, b), atMs);
  if (by === 'departure' && side === 'after')
    return { fromMs: atMs, untilMs: Math.max(atMs, untilMs) };
  if (departures.length === 0) return undefined;
  return {
    fromMs: departures.reduce((a, b) => Math.min(a, b)),
    untilMs: departures.reduce((a, b) => Math.max(a, b)),
  };
}

function pagesBeside(
  { whole }: OsdmWire,
  pages: readonly PageAnswer[],
  covers: Covered | undefined,
): CarrierPages {
  const [first, last] = [pages[0], pages.at(-1)];
  const earlier = first && earlierAsk(first.page.ask, first.found);
  const later =
    whole && covers
      ? { atMs: covers.untilMs, by: 'departure' as const, side: 'after' as const }
      : last && laterAsk(last.page.ask, last.found);
  return {
    ...(earlier && { earlier: writeToken(earlier) }),
    ...(later && { later: writeToken(later) }),
  };
}
