import { type CarrierAnswer, CarrierError, type Journey } from '@ticketing/core';
import { statusError } from '../http/http-error.ts';
import type { CarrierDecoder } from '../wire/decoder.ts';
import { readSoundPages } from '../wire/further-pages.ts';
import { refusePage } from '../wire/page-for-people.ts';
import { readJourneys } from '../wire/read-journeys.ts';
import { windowOf } from '../wire/time-pages.ts';
import {
  childOf,
  childrenOf,
  readXml,
  textAt,
  type XmlElement,
  xmlText,
} from '../wire/xml-reader.ts';
import { isOjpElement } from './ojp-elements.ts';
import { type OjpPlaces, readPlaces } from './places.ts';
import { problemError, problemsOf, unknownProblem } from './problems.ts';
import { tokenOf } from './question.ts';
import type { OjpWire } from './request.ts';
import { journeyOf } from './trips.ts';

/** The trips of one answer, and its stops. */
interface Delivery {
  readonly trips: readonly XmlElement[];
  readonly places: OjpPlaces;
}

/** Reads the answers to a question: the journeys that it asks for, each once, and where those before and after them are. */
export function normaliseOjp(decoder: CarrierDecoder, zone: string, wire: OjpWire): CarrierAnswer {
  const { question, answers } = wire;
  const read = (some: OjpWire['answers']): CarrierAnswer => {
    const rows = some.flatMap((page) => {
      const { trips, places } = deliveryOf(decoder, wire, page);
      return trips.map((trip) => ({ trip, places }));
    });
    return readJourneys(decoder, rows, ({ trip, places }, reader) =>
      journeyOf(reader, trip, { places, zone }),
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
  const named = namedBy(journeys);
  const kept = places.filter(({ id }) => named.has(id));
  return {
    ...answer,
    journeys,
    covers,
    pages,
    ...(kept.length > 0 && { places: kept }),
    ...(failure && { failure }),
  };
}

/** Reads one answer. After the last trip of a day there is no trip; without one after a time, there may be some before it. */
function deliveryOf(
  decoder: CarrierDecoder,
  { question, answers }: OjpWire,
  page: OjpWire['answers'][number],
): Delivery {
  try {
    return readDelivery(decoder, page.status, page.body);
  } catch (error) {
    const mayBeEmpty = page !== answers[0] || question.untilMs === undefined;
    if (mayBeEmpty && CarrierError.is(error) && error.code === 'NO_RESULTS')
      return { trips: [], places: new Map() };
    throw error;
  }
}

function namedBy(journeys: readonly Journey[]): ReadonlySet<string> {
  return new Set(
    journeys.flatMap(({ legs }) =>
      legs.flatMap((leg) => {
        const sections = (leg.kind === 'ride' && leg.sections) || [];
        return [leg, ...sections].flatMap(({ origin, destination }) => [origin, destination]);
      }),
    ),
  );
}

/** @throws CarrierError the problem that an answer without trips names */
function readDelivery(decoder: CarrierDecoder, status: number, body: Uint8Array): Delivery {
  const { read, carrier } = decoder;
  const fallback = status >= 400 ? statusError(carrier, status, undefined) : undefined;
  let root: XmlElement;
  try {
    const text = xmlText(read, body);
    refusePage(carrier, text);
    root = readXml(read, text, isOjpElement);
  } catch (error) {
    throw fallback ?? error;
  }
  const service = childOf(childOf(root, 'OJPResponse'), 'ServiceDelivery');
  const delivery = childOf(service, 'OJPTripDelivery');
  const results = childrenOf(delivery, 'TripResult');
  const trips = results.flatMap((result) => childrenOf(result, 'Trip'));
  if (delivery !== undefined && trips.length > 0 && fallback === undefined) {
    return { trips, places: readPlaces(delivery) };
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
  return { trips: [], places: new Map() };
}
