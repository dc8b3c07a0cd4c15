import { type CarrierAnswer, CarrierError } from '@ticketing/core';
import { statusError } from '../http/http-error.ts';
import type { CarrierDecoder } from '../wire/decoder.ts';
import { refusePage } from '../wire/page-for-people.ts';
import { readSoundPages } from '../wire/paging/further-pages.ts';
import { windowOf } from '../wire/paging/time-pages.ts';
import { tokenOf } from '../wire/paging/time-question.ts';
import { placesNamedBy, readJourneys } from '../wire/read-journeys.ts';
import {
  childOf,
  childrenOf,
  readXml,
  textAt,
  type XmlElement,
  xmlText,
} from '../wire/xml-reader.ts';
import { isOjpElement, isOjpElementOrStop } from './ojp-elements.ts';
import { type OjpPlaces, readPlaces } from './places.ts';
import { problemError, problemsOf, unknownProblem } from './problems.ts';
import type { OjpWire } from './request.ts';
import { readOperators, type TripContext } from './rides.ts';
import { readSituations, type Situations } from './situations.ts';
import { journeyOf } from './trips.ts';

/** The trips of one answer, and what they refer to. */
interface Delivery {
  readonly trips: readonly XmlElement[];
  readonly places: OjpPlaces;
  readonly situations: Situations;
  readonly delivery?: XmlElement;
}

/** Options for reading answers. */
export interface OjpReading {
  /** Zone of stops that the table lacks. */
  readonly zone: string;
  /** True if rides have the stations where they call on the way. */
  readonly stops: boolean;
}

/** Reads the answers to a question: the journeys that it asks for, each once, and where those before and after them are. */
export function normaliseOjp(
  decoder: CarrierDecoder,
  { zone, stops }: OjpReading,
  wire: OjpWire,
): CarrierAnswer {
  const { question, answers } = wire;
  const isWanted = stops ? isOjpElementOrStop : isOjpElement;
  const operators = new Map<string, string>();
  const nameOperator = (id: string, name: string): void => {
    operators.set(id, name);
  };
  const read = (some: OjpWire['answers']): CarrierAnswer => {
    const rows = some.flatMap((page) => {
      const { trips, delivery, ...read } = deliveryOf(decoder, { wire, page, isWanted });
      if (delivery !== undefined) readOperators(decoder.carrier, delivery, { nameOperator });
      const context: TripContext = { ...read, zone, stops, nameOperator };
      return trips.map((trip) => ({ trip, context }));
    });
    return readJourneys(decoder, rows, ({ trip, context }, reader) =>
      journeyOf(reader, trip, context),
    );
  };
  const sound = readSoundPages(answers, read);
  const { failure = wire.failure } = sound;
  const { journeys: found, places = [], ...answer } = sound.answer;
  const whole = wire.whole && failure === undefined;
  // Pages overlap, and servers repeat trips.
  const once = [...new Map(found.map((journey) => [journey.id, journey])).values()];
  const { journeys, covers, ahead, behind } = windowOf(
    { page: question, untilMs: question.untilMs, whole },
    once,
  );
  const pages = {
    [behind.direction]: tokenOf(behind),
    ...(ahead && { [ahead.direction]: tokenOf(ahead) }),
  };
  const named = placesNamedBy(journeys);
  const kept = places.filter(({ id }) => named.has(id));
  return {
    ...answer,
    journeys,
    covers,
    pages,
    ...(kept.length > 0 && { places: kept }),
    ...(operators.size > 0 && { operators: Object.fromEntries(operators) }),
    ...(failure && { failure }),
  };
}

interface Page {
  readonly wire: OjpWire;
  readonly page: OjpWire['answers'][number];
  readonly isWanted: (name: string) => boolean;
}

const noTrips: Delivery = { trips: [], places: new Map(), situations: { of: () => [] } };

/** Reads one answer. After the last trip of a day there is no trip; without one after a time, there may be some before it. */
function deliveryOf(
  decoder: CarrierDecoder,
  { wire: { question, answers }, page, isWanted }: Page,
): Delivery {
  try {
    return readDelivery(decoder, page, isWanted);
  } catch (error) {
    const mayBeEmpty = page !== answers[0] || question.untilMs === undefined;
    if (mayBeEmpty && CarrierError.is(error) && error.code === 'NO_RESULTS') return noTrips;
    throw error;
  }
}

/** @throws CarrierError the problem that an answer without trips names */
function readDelivery(
  decoder: CarrierDecoder,
  { status, body }: OjpWire['answers'][number],
  isWanted: Page['isWanted'],
): Delivery {
  const { read, carrier } = decoder;
  const fallback = status >= 400 ? statusError(carrier, status, undefined) : undefined;
  let root: XmlElement;
  try {
    const text = xmlText(read, body);
    refusePage(carrier, text);
    root = readXml(read, text, isWanted);
  } catch (error) {
    throw fallback ?? error;
  }
  const service = childOf(childOf(root, 'OJPResponse'), 'ServiceDelivery');
  const delivery = childOf(service, 'OJPTripDelivery');
  const results = childrenOf(delivery, 'TripResult');
  const trips = results.flatMap((result) => childrenOf(result, 'Trip'));
  if (delivery !== undefined && trips.length > 0 && fallback === undefined) {
    return { trips, places: readPlaces(delivery), situations: readSituations(delivery), delivery };
  }
  const problems = problemsOf(service, delivery, ...results);
  const known = problemError(carrier, problems);
  if (known !== undefined) throw known;
  if (fallback !== undefined) throw fallback;
  const unknown = unknownProblem(carrier, problems, service, delivery, ...results);
  if (unknown !== undefined) throw unknown;
  if (delivery === undefined) throw read.error('an OJPTripDelivery', service ? 'another' : 'none');
  for (const element of [service, delivery]) {
    if (textAt(element, 'Status') === 'false') throw read.error('trips or an error', 'neither');
  }
  return noTrips;
}
