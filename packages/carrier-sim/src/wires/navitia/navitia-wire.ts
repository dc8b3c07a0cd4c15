import { localTimeAt } from '../../timetable/local-clock.ts';
import { findStation } from '../../timetable/network.ts';
import type { Train } from '../../timetable/train.ts';
import { usualWalks } from '../trip-times.ts';
import {
  type Answer,
  type Finding,
  jsonAnswer,
  type NoOptions,
  searchKeyOf,
  type Wire,
  type WireContext,
  type WireRequest,
} from '../wire.ts';
import { encodeNavitia, encodeNavitiaError } from './encode-navitia.ts';
import { stopAreaId } from './navitia-places.ts';
import {
  isRefusal,
  type NavitiaRefusal,
  type NavitiaRequest,
  readRequest,
} from './read-request.ts';

/** Faults of Navitia alone. */
export const navitiaFaults: {
  /** No journeys, which is an error in a 200. */
  readonly 'no-solution': NoOptions;
  /** A refusal of an answer that would be too large, with status 413, where the question is for more than six hours. */
  readonly 'too-large': NoOptions;
  /** Real times, whatever is asked for: late trains have both times, cancelled ones are not there. */
  readonly realtime: NoOptions;
  /** Codes and ids of stations as regions had them before 2021, and numbers of trains as headsigns alone. */
  readonly 'older-codes': NoOptions;
  /** No zone of the region in the answer. */
  readonly 'no-zone': NoOptions;
  /** Walks to and from addresses. */
  readonly walks: NoOptions;
  /** Trains that run only if they were booked. */
  readonly 'on-demand': NoOptions;
} = {
  'no-solution': {},
  'too-large': {},
  realtime: {},
  'older-codes': {},
  'no-zone': {},
  walks: {},
  'on-demand': {},
};

/** The only region. */
const COVERAGE = 'simulated';
/** The most journeys of an answer, whatever a request wants. */
const mostJourneys = 200;
const linkHost = 'https://links.navitia.example';
const LARGE_SECONDS = 6 * 3600;
const noSolution: NavitiaRefusal = {
  status: 200,
  id: 'no_solution',
  message: 'no solution found for this journey',
};

/** Creates the wire of a server of Navitia: one GET with a key, JSON, fares of some journeys. */
export function createNavitiaWire(context: WireContext): Wire {
  return {
    // Limits of keys are per second: there is no `Retry-After`.
    throttled: () => jsonAnswer({ message: 'Too Many Requests' }, 429),
    malformPrice: (body) => body.replace(/("found":true,"total":\{"value":")[^"]*/, '$14x'),
    calls: [
      {
        method: 'GET',
        path: '/v1/coverage/:region/journeys',
        search: true,
        searchKey({ query }) {
          const request = readRequest(query, context.now());
          return isRefusal(request) ? undefined : keyOf(request);
        },
        answer: (request) => answerTo(context, request),
      },
    ],
    otherCalls: () =>
      refuse({ status: 404, id: 'unknown_api', message: "The requested URL doesn't exist" }),
  };
}

function answerTo(context: WireContext, { headers, params, query, fault }: WireRequest): Answer {
  if (!/^\S+(?: \S+)?$/.test(headers.authorization ?? '')) {
    return jsonAnswer({ message: 'no token. You can get one at the operator' }, 401);
  }
  if (params['region'] !== COVERAGE) {
    const message = `The region ${params['region']} doesn't exists`;
    return refuse({ status: 404, id: 'unknown_object', message });
  }
  const request = readRequest(query, context.now());
  if (isRefusal(request)) return refuse(request);
  if (fault?.kind === 'no-solution') return refuse(noSolution);
  if (fault?.kind === 'too-large' && request.timeframe > LARGE_SECONDS) {
    return jsonAnswer({ message: 'Request Entity Too Large' }, 413);
  }
  const trains = find(context, request);
  if (isRefusal(trains)) return refuse(trains);
  return jsonAnswer(
    encodeNavitia(trains, {
      freshness: fault?.kind === 'realtime' ? 'realtime' : request.freshness,
      codes: fault?.kind === 'older-codes' ? 'older' : 'uic',
      namesZone: fault?.kind !== 'no-zone',
      walks: fault?.kind === 'walks' ? usualWalks : undefined,
      onDemand: fault?.kind === 'on-demand',
      links: linksOf(trains, request),
    }),
  );
}

function refuse({ status, id, message }: NavitiaRefusal): Answer {
  return jsonAnswer(encodeNavitiaError(id, message), status);
}

/**
 * Returns all journeys of the time that is asked for, and further ones where they are less than the least number. A plan bounds them:
 * then these are the nearest.
 */
function find(
  context: WireContext,
  { origin, destination, atMs, by, least, timeframe, maxTransfers }: NavitiaRequest,
): readonly Train[] | NavitiaRefusal {
  const isForward = by === 'departure';
  const found: Finding = context.findAround({
    origin,
    destination,
    atMs,
    by,
    direction: isForward ? 'later' : 'earlier',
    limit: context.pageSize(timeframe > 0 ? mostJourneys : Math.max(1, least)),
    accepts: (train) => (train.connection ? 1 : 0) <= maxTransfers,
  });
  if (found.kind === 'not-served') return noSolution;
  if (found.kind === 'date-not-on-sale') {
    const message = 'date is not in data production period';
    return { status: 404, id: 'date_out_of_bounds', message };
  }
  const timeOf = ({ departureMs, arrivalMs }: Train): number =>
    isForward ? departureMs : arrivalMs;
  const nearest = [...found.trains].sort(
    (a, b) => Math.abs(timeOf(a) - atMs) - Math.abs(timeOf(b) - atMs),
  );
  const isWithin = (train: Train): boolean => Math.abs(timeOf(train) - atMs) <= timeframe * 1000;
  const kept = nearest.filter((train, index) => index < Math.max(1, least) || isWithin(train));
  if (kept.length === 0) return noSolution;
  return kept.sort((a, b) => a.departureMs - b.departureMs);
}

/** Links to other pages overlap nearly wholly: they begin a second after the first departure, and end a second before the first arrival. */
function linksOf(trains: readonly Train[], request: NavitiaRequest): readonly object[] {
  const [first] = trains;
  if (first === undefined) return [];
  const link = (type: string, ms: number, by: string): object => {
    const query = new URLSearchParams({
      from: stopAreaId(request.origin),
      to: stopAreaId(request.destination),
      datetime: localTimeAt(ms, 'Europe/Paris').timestamp.slice(0, 19).replace(/[-:]/g, ''),
      datetime_represents: by,
    });
    const href = `${linkHost}/v1/coverage/${COVERAGE}/journeys?${query}`;
    return { href, type, rel: type, templated: false };
  };
  return [
    link('next', first.departureMs + 1000, 'departure'),
    link('prev', first.arrivalMs - 1000, 'arrival'),
  ];
}

function keyOf({ origin, destination, atMs }: NavitiaRequest): string | undefined {
  const station = findStation(origin);
  const date = station && localTimeAt(atMs, station.zone).date;
  return date && searchKeyOf({ origin, destination, date });
}
