import {
  type CarrierAnswer,
  CarrierError,
  type CarrierQuery,
  createJourney,
  type Journey,
  type Leg,
  type StationId,
} from '@ticketing/core';
import { readSoundPages, type SoundPages } from '../wire/paging/further-pages.ts';
import { type JourneyDecoder, readJourneys } from '../wire/read-journeys.ts';
import { listRemarks } from '../wire/remarks.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import { type ConnectionDecoder, isGiven } from './calls.ts';
import { readFares } from './fares.ts';
import { type HafasFrame, readFrame } from './frame.ts';
import { minutesOf } from './hafas-time.ts';
import { type ConnectionLegs, readLegs } from './legs.ts';
import { askedJourneys, emptyAnswer, pagesOf } from './pages.ts';
import type { HafasServer, HafasWire } from './request.ts';

/** A page that was read. */
interface ReadPage {
  readonly frame: HafasFrame;
  readonly receivedAt: number;
}

/** A connection, and its page. */
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
  const stops = query.stops === true;
  let found: readonly ReadPage[];
  try {
    found = pages.map(({ body, receivedAt }) => ({ frame: readFrame(decoder, body), receivedAt }));
  } catch (error) {
    const isTimed = ask.kind === 'time' || ask.kind === 'arrive-by';
    if (isTimed && CarrierError.is(error) && error.code === 'NO_RESULTS') return emptyAnswer(ask);
    throw error;
  }
  const asked = [query.origin, query.destination, query.via];
  const isAsked = (id: StationId): boolean => asked.some((station) => station?.id === id);
  const decode = ({ connection, frame, receivedAt }: Row, row: JourneyDecoder): Journey => {
    const day = read.text(connection, 'date');
    const offers = readFares(decoder, connection, {
      profile,
      fetchedAt: receivedAt,
      total: (perPerson) => decoder.total(perPerson, query),
    });
    const remarks = remarksOf(frame, connection);
    const journeyOf = (legs: readonly Leg[]): Journey =>
      createJourney({
        source: carrier,
        legs,
        offers,
        remarks,
        // Nothing on this wire tells a journey that is sold out from one without a known price.
        ...(offers.length === 0 && { priced: false }),
      });
    return readByClocks(
      (clocks) => readLegs({ row, frame, profile, day, clocks, stops, isAsked }, connection),
      journeyOf,
      minutesOf(connection['dur']),
    );
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

/**
 * Returns the journey of a connection whose times may be on the clocks of the stops or of the server: of the stops, unless the
 * connection's own duration agrees with the other reading alone.
 */
function readByClocks(
  legsBy: (clocks: ConnectionDecoder['clocks']) => ConnectionLegs,
  journeyOf: (legs: readonly Leg[]) => Journey,
  minutes: number | undefined,
): Journey {
  const { legs, isAmbiguous } = legsBy('stop');
  if (!isAmbiguous || minutes === undefined) return journeyOf(legs);
  const [atStops, atServer] = [() => legs, () => legsBy('server').legs].map((read) => {
    try {
      return journeyOf(read());
    } catch {
      return undefined;
    }
  });
  if (atServer?.durationMinutes === minutes && atStops?.durationMinutes !== minutes)
    return atServer;
  return atStops ?? journeyOf(legs);
}

/** Remarks of the whole connection, for example of a cancelled section. */
function remarksOf({ notes }: HafasFrame, { msgL }: WireRecord): Journey['remarks'] {
  if (!isGiven(msgL)) return undefined;
  return listRemarks([...notes.at(msgL)].map(({ remark }) => remark));
}
