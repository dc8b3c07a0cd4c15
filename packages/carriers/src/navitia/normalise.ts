import { type CarrierAnswer, CarrierError, type CarrierQuery, type Journey } from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import { readSoundPages } from '../wire/paging/further-pages.ts';
import { windowOf } from '../wire/paging/time-pages.ts';
import { tokenOf } from '../wire/paging/time-question.ts';
import { placesNamedBy, readJourneys } from '../wire/read-journeys.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import { type NavitiaAnswer, readAnswer } from './answer.ts';
import { isNative } from './ask-window.ts';
import { readTickets } from './fares.ts';
import { type JourneyContext, journeyOf } from './journeys.ts';
import { readNotes } from './notes.ts';
import type { NavitiaWire } from './request.ts';
import type { StopAreas } from './stops.ts';

/** Options for reading answers. */
export interface NavitiaReading {
  /** Zone of a region that does not name its own. */
  readonly zone: string;
  /** Currency of prices in `centime`. */
  readonly currency: string;
  readonly stopArea: StopAreas;
  readonly query: CarrierQuery;
}

type Window = Pick<CarrierAnswer, 'journeys' | 'covers' | 'pages'>;

/** Reads the answers to a question: the journeys that it asks for, each once, and where those before and after them are. */
export function normaliseNavitia(
  decoder: CarrierDecoder,
  reading: NavitiaReading,
  wire: NavitiaWire,
): CarrierAnswer {
  const read = (some: NavitiaWire['answers']): CarrierAnswer => {
    const rows = some.flatMap((answer) => rowsOf(decoder, reading, { wire, answer }));
    return readJourneys(decoder, rows, ({ journey, context }, reader) =>
      journeyOf(reader, journey, context),
    );
  };
  const sound = readSoundPages(wire.answers, read);
  const { failure = wire.failure } = sound;
  const { journeys: found, places = [], ...answer } = sound.answer;
  // Pages overlap, and a journey may be the best one for several reasons.
  const once = [...new Map(found.map((journey) => [journey.id, journey])).values()];
  const whole = wire.whole && failure === undefined;
  const window = isNative(wire.question) ? forward(wire, whole, once) : against(wire, whole, once);
  const named = placesNamedBy(window.journeys);
  const kept = places.filter(({ id }) => named.has(id));
  return {
    ...answer,
    ...window,
    ...(kept.length > 0 && { places: kept }),
    ...(failure && { failure }),
  };
}

function forward({ question }: NavitiaWire, whole: boolean, found: readonly Journey[]): Window {
  const asked = { page: question, untilMs: question.untilMs, whole };
  const { journeys, covers, ahead, behind } = windowOf(asked, found);
  const pages = {
    [behind.direction]: tokenOf(behind),
    ...(ahead && { [ahead.direction]: tokenOf(ahead) }),
  };
  return { journeys, covers, pages };
}

/** Returns the journeys between the far end of a window and the instant of the page. */
function against(
  { question, farMs }: NavitiaWire,
  whole: boolean,
  found: readonly Journey[],
): Window {
  const { by, direction, atMs } = question;
  const isEarlier = direction === 'earlier';
  const other = isEarlier ? 'later' : 'earlier';
  const step = isEarlier ? -1 : 1;
  const behind = { [other]: tokenOf({ by, direction: other, atMs: atMs - step }) };
  if (farMs === undefined) {
    return { journeys: [], covers: { fromMs: atMs, untilMs: atMs }, pages: behind };
  }
  const [from, until] = isEarlier ? [farMs, atMs] : [atMs, farMs];
  const journeys = found.filter(({ [by]: { ms } }) => ms >= from && ms <= until);
  const reached = journeys
    .map(({ departure }) => departure.ms)
    .reduce((a, b) => Math.max(a, b), from);
  // Arrivals in a time cover no departures: a train that arrives after it may have left in it.
  const covers = isEarlier
    ? { fromMs: from, untilMs: whole ? until + 1 : reached }
    : { fromMs: atMs, untilMs: atMs };
  const ahead = tokenOf({ by, direction, atMs: farMs + step });
  return { journeys, covers, pages: { ...behind, [direction]: ahead } };
}

interface Page {
  readonly wire: NavitiaWire;
  readonly answer: NavitiaAnswer;
}

interface Row {
  readonly journey: WireRecord;
  readonly context: JourneyContext;
}

/** Returns the journeys of one answer. After the last journey of a day there is none; without one after a time, there may be some before it. */
function rowsOf(
  decoder: CarrierDecoder,
  { zone, currency, stopArea, query }: NavitiaReading,
  { wire: { question, answers, receivedAt }, answer }: Page,
): readonly Row[] {
  const { read } = decoder;
  try {
    const { journeys, body, region } = readAnswer({ decoder, zone }, answer);
    const context: JourneyContext = {
      region,
      stopArea,
      notes: readNotes(read, body),
      tickets: readTickets(read.items(body['tickets'], 'tickets')),
      stops: query.stops === true,
      query,
      currency,
      fetchedAt: receivedAt,
    };
    return journeys.map((journey) => ({ journey, context }));
  } catch (error) {
    const mayBeEmpty = answer !== answers[0] || question.untilMs === undefined;
    if (mayBeEmpty && CarrierError.is(error) && error.code === 'NO_RESULTS') return [];
    throw error;
  }
}
