import {
  type CarrierAnswer,
  type CarrierQuery,
  createJourney,
  type Journey,
  type Place,
} from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import { readSoundPages } from '../wire/paging/further-pages.ts';
import { type TimePage, windowOf } from '../wire/paging/time-pages.ts';
import { readJourneys } from '../wire/read-journeys.ts';
import {
  endOfDay,
  followLink,
  isWholeDay,
  type OsdmAsk,
  type OsdmLinks,
  writeToken,
} from './ask.ts';
import type { StationNames } from './encode-request.ts';
import { offersByTrip, readOffers } from './offers.ts';
import { type OsdmPage, readPage } from './page.ts';
import type { OsdmWire } from './request.ts';
import { companiesOf } from './service.ts';
import { readTrip } from './trip.ts';

/** Readers of a provider's answers. */
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
  const { answer: pages, failure = wire.failure } = readSoundPages(wire.pages, (some) =>
    some.map((page) => readAnswer(osdm, { page, wire, query })),
  );
  const whole = wire.whole && failure === undefined;
  const journeys = new Map<string, Journey>();
  const places = new Map<string, Place>();
  let filtered = 0;
  const leftOut = new Map<string, number>();
  for (const { answer } of pages) {
    filtered += answer.filtered ?? 0;
    for (const [reason, count] of Object.entries(answer.leftOut ?? {})) {
      leftOut.set(reason, (leftOut.get(reason) ?? 0) + count);
    }
    for (const place of answer.places ?? []) places.set(place.id, place);
    for (const journey of answer.journeys) {
      if (!journeys.has(journey.id)) journeys.set(journey.id, journey);
    }
  }
  return {
    ...windowAround(whole, pages, {
      query,
      found: [...journeys.values()],
      clock: osdm.decoder.clock,
    }),
    ...(places.size > 0 && { places: [...places.values()] }),
    ...(filtered > 0 && { filtered, leftOut: Object.fromEntries(leftOut) }),
    ...(failure && { failure }),
  };
}

interface PageAnswer {
  readonly page: OsdmPage;
  readonly answer: CarrierAnswer;
  readonly links: OsdmLinks;
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
  const companies = companiesOf(trips);
  const answer = readJourneys(decoder, trips, (trip, row) => {
    const { legs, rideOf } = readTrip(row, trip, { query, codes, companies });
    const own = byTrip.get(row.read.optionalText(trip, 'id') ?? '') ?? [];
    const { read: priced, isPriced } = readOffers(row, own, {
      query,
      rideOf,
      fetchedAt: wire.receivedAt,
    });
    return createJourney({
      source: decoder.carrier,
      legs,
      offers: priced,
      // Without any offer at all, trains are not known to be sold out.
      ...(!(isPriced && offers.length > 0) && { priced: false }),
    });
  });
  return { page, answer, links };
}

/** Returns the journeys that were asked for, of those found. */
function windowAround(
  whole: boolean,
  pages: readonly PageAnswer[],
  {
    query,
    found,
    clock,
  }: {
    readonly query: CarrierQuery;
    readonly found: readonly Journey[];
    readonly clock: CarrierDecoder['clock'];
  },
): Pick<CarrierAnswer, 'journeys' | 'pages' | 'covers'> {
  const [first, last] = [pages[0], pages.at(-1)];
  if (first === undefined || last === undefined) return { journeys: [] };
  const { ask } = first.page;
  const linkedAsk = (direction: TimePage['direction']): OsdmAsk | undefined =>
    followLink(last.page.ask, direction === 'later' ? last.links.next : last.links.prev);
  if (ask.link !== undefined) return { journeys: found, ...besideLinked(found, linkedAsk) };
  const onwards = whole ? undefined : linkedAsk(ask.direction);
  // A page that a link led to has links, unless it is the last.
  const hasCursor = onwards !== undefined || last.page.ask.link !== undefined;
  const untilMs = isWholeDay(query) ? endOfDay(query, clock) : undefined;
  const { journeys, covers, ahead, behind } = windowOf({ page: ask, untilMs, whole }, found);
  const next = whole || !hasCursor ? ahead : onwards;
  const tokens = {
    [behind.direction]: writeToken(behind),
    ...(next && { [ask.direction]: writeToken(next) }),
  };
  return { journeys, covers, pages: tokens };
}

/** Returns what a page that a link led to covers, and the pages that its own links lead to. */
function besideLinked(
  found: readonly Journey[],
  linkedAsk: (direction: TimePage['direction']) => OsdmAsk | undefined,
): Pick<CarrierAnswer, 'pages' | 'covers'> {
  const departures = found.map(({ departure }) => departure.ms);
  const [earlier, later] = [linkedAsk('earlier'), linkedAsk('later')];
  return {
    ...(departures.length > 0 && {
      covers: {
        fromMs: departures.reduce((a, b) => Math.min(a, b)),
        untilMs: departures.reduce((a, b) => Math.max(a, b)),
      },
    }),
    pages: {
      ...(earlier && { earlier: writeToken(earlier) }),
      ...(later && { later: writeToken(later) }),
    },
  };
}
