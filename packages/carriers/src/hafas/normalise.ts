import {
  type CarrierAnswer,
  CarrierError,
  type CarrierQuery,
  createJourney,
} from '@ticketing/core';
import { readJourneys } from '../wire/read-journeys.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import { readFares } from './fares.ts';
import { type HafasFrame, readFrame } from './frame.ts';
import { readLegs } from './legs.ts';
import { askedJourneys, emptyAnswer, pagesOf } from './pages.ts';
import type { HafasServer, HafasWire } from './request.ts';

/** A connection, and the page that it stands on. */
interface Row {
  readonly connection: WireRecord;
  readonly frame: HafasFrame;
  readonly receivedAt: number;
}

/** Turns the connections of all pages into journeys. */
export function normaliseHafas(
  { decoder, profile }: Pick<HafasServer, 'decoder' | 'profile'>,
  { pages, ask, ended }: HafasWire,
  query: CarrierQuery,
): CarrierAnswer {
  const { read, carrier } = decoder;
  let frames: readonly HafasFrame[];
  try {
    frames = pages.map(({ body }) => readFrame(decoder, body));
  } catch (error) {
    const isTimed = ask.kind === 'time' || ask.kind === 'arrive-by';
    if (isTimed && CarrierError.is(error) && error.code === 'NO_RESULTS') return emptyAnswer(ask);
    throw error;
  }
  const [first, last] = [frames[0], frames.at(-1)];
  if (first === undefined || last === undefined) throw read.error('a page', 'none');
  const rows = pages.flatMap(({ receivedAt }, index): Row[] => {
    const frame = frames[index] as HafasFrame;
    return frame.connections.map((connection) => ({ connection, frame, receivedAt }));
  });
  const answer = readJourneys(decoder, rows, ({ connection, frame, receivedAt }, row) => {
    const day = read.text(connection, 'date');
    const offers = readFares(decoder, connection, {
      profile,
      fetchedAt: receivedAt,
      total: (perPerson) => decoder.total(perPerson, query),
    });
    return createJourney({
      source: carrier,
      legs: readLegs({ row, frame, profile, day }, connection),
      offers,
      // Nothing on this wire tells a journey that is sold out from one without a known price.
      ...(offers.length === 0 && { priced: false }),
    });
  });
  const journeys = askedJourneys(answer.journeys, ask, query.arriveBy);
  const beside = pagesOf(ask, journeys, { first, last, ended }, query.arriveBy);
  return { ...answer, journeys, ...beside };
}
