import {
  type CarrierAnswer,
  CarrierError,
  type CarrierQuery,
  createJourney,
  type Journey,
} from '@ticketing/core';
import { readSoundPages, type SoundPages } from '../wire/further-pages.ts';
import { type JourneyDecoder, readJourneys } from '../wire/read-journeys.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import { readFares } from './fares.ts';
import { type HafasFrame, readFrame } from './frame.ts';
import { readLegs } from './legs.ts';
import { askedJourneys, emptyAnswer, pagesOf } from './pages.ts';
import type { HafasServer, HafasWire } from './request.ts';

/** A page that was read. */
interface ReadPage {
  readonly frame: HafasFrame;
  readonly receivedAt: number;
}

/** A connection, and the page that it stands on. */
interface Row extends ReadPage {
  readonly connection: WireRecord;
}

/** Turns the connections of all pages into journeys. */
export function normaliseHafas(
  { decoder, profile }: Pick<HafasServer, 'decoder' | 'profile'>,
  { pages, ask, ended, failure }: HafasWire,
  query: CarrierQuery,
): CarrierAnswer {
  const { read, carrier } = decoder;
  let found: readonly ReadPage[];
  try {
    found = pages.map(({ body, receivedAt }) => ({ frame: readFrame(decoder, body), receivedAt }));
  } catch (error) {
    const isTimed = ask.kind === 'time' || ask.kind === 'arrive-by';
    if (isTimed && CarrierError.is(error) && error.code === 'NO_RESULTS') return emptyAnswer(ask);
    throw error;
  }
  const decode = ({ connection, frame, receivedAt }: Row, row: JourneyDecoder): Journey => {
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
  };
  const readRows = (some: readonly ReadPage[]): CarrierAnswer => {
    const rows = some.flatMap((page) =>
      page.frame.connections.map((connection): Row => ({ ...page, connection })),
    );
    return readJourneys(decoder, rows, decode);
  };
  // Between what is found before an instant and the instant nothing may be missing.
  const sound: SoundPages<ReadPage, CarrierAnswer> =
    ask.kind === 'before'
      ? { answer: readRows(found), pages: found }
      : readSoundPages(found, readRows);
  const [first, last] = [sound.pages[0]?.frame, sound.pages.at(-1)?.frame];
  if (first === undefined || last === undefined) throw read.error('a page', 'none');
  const journeys = askedJourneys(sound.answer.journeys, ask, query.arriveBy);
  const reached = { first, last, ended: ended && sound.failure === undefined };
  const beside = pagesOf(ask, journeys, reached, query.arriveBy);
  const why = sound.failure ?? failure;
  return { ...sound.answer, journeys, ...beside, ...(why && { failure: why }) };
}
