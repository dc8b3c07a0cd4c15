import { between, type Rule } from '@ticketing/kit';
import { europeanLines } from '../../timetable/europe/lines.ts';
import { hasTrain, sectionOf } from '../../timetable/europe/list-runs.ts';
import { europeanStations } from '../../timetable/europe/stations.ts';
import { localTimeAt } from '../../timetable/local-clock.ts';
import { findStation } from '../../timetable/network.ts';
import type { Train, TrainRun } from '../../timetable/train.ts';
import { usualWalks } from '../trip-times.ts';
import {
  type Answer,
  type AroundQuery,
  type Finding,
  type NoOptions,
  searchKeyOf,
  type Wire,
  type WireContext,
  type WireRequest,
} from '../wire.ts';
import { encodeOjp, encodeOjpError, type OjpEncoding } from './encode-ojp.ts';
import { type OjpRequest, readRequest } from './read-request.ts';

/** The most trips of an answer, whatever a request wants. */
const mostTrips = 200;

/**
 * Faults of OJP alone: a trip before the time that was asked for, a DOCTYPE with an entity, an answer of `megabytes`, the prefixes
 * and names of version 1.0, opaque references without a number of their station, numbers of trains in their names alone, walks to and
 * from addresses, and trains that run only if they were booked.
 */
export const ojpFaults: {
  readonly 'early-trip': NoOptions;
  readonly doctype: NoOptions;
  readonly padding: { readonly megabytes: Rule };
  readonly 'prefixes-1.0': NoOptions;
  readonly 'opaque-references': NoOptions;
  readonly 'named-numbers': NoOptions;
  readonly walks: NoOptions;
  readonly 'on-demand': NoOptions;
} = {
  'early-trip': {},
  doctype: {},
  padding: { megabytes: between(0.1, 50, 2.6) },
  'prefixes-1.0': {},
  'opaque-references': {},
  'named-numbers': {},
  walks: {},
  'on-demand': {},
};

/** Creates the wire of an OJP 2.0 server: one call, XML, a bearer token, times without prices. */
export function createOjpWire(context: WireContext): Wire {
  return {
    throttled: (retryAfterSeconds) => ({
      status: 429,
      headers: { ...plain, 'retry-after': String(retryAfterSeconds) },
      body: 'Too Many Requests\n',
    }),
    calls: [
      {
        method: 'POST',
        path: '',
        search: true,
        searchKey({ body }) {
          const request = readRequest(body);
          return 'wrong' in request ? undefined : keyOf(context, request);
        },
        answer: (request) => answerTo(context, request),
      },
    ],
  };
}

const plain = { 'content-type': 'text/plain; charset=utf-8' };

function answerTo(context: WireContext, { headers, body, fault }: WireRequest): Answer {
  if (!/^Bearer \S+$/i.test(headers.authorization ?? '')) {
    return { status: 401, headers: plain, body: 'Unauthorized\n' };
  }
  if (!/^(?:application|text)\/xml(?:;|$)/i.test(headers['content-type'] ?? '')) {
    return { status: 415, headers: plain, body: 'Unsupported Media Type\n' };
  }
  const request = readRequest(body);
  if ('wrong' in request) {
    return xml(encodeOjpError('OJPGENERIC_REQUESTNOTSUPPORTED', request.wrong), 400);
  }
  const found = find(context, request);
  const version = fault?.kind === 'prefixes-1.0' ? '1.0' : '2.0';
  if ('type' in found) return xml(encodeOjpError(found.type, found.text, version));
  const early = fault?.kind === 'early-trip' ? earlyTrip(context, request) : [];
  const encoding: OjpEncoding = {
    version,
    bytes: fault?.kind === 'padding' ? Number(fault['megabytes']) * 1e6 : 0,
    references: fault?.kind === 'opaque-references' ? 'opaque' : 'parents',
    numbers: fault?.kind === 'named-numbers' ? 'named' : 'own',
    walks: fault?.kind === 'walks' ? usualWalks : undefined,
    stops: request.stops,
    onDemand: fault?.kind === 'on-demand',
  };
  const answer = encodeOjp([...early, ...found.trains], encoding);
  const doctype = '<!DOCTYPE OJP [<!ENTITY x "xxxxxxxxxx">]>\n';
  return xml(fault?.kind === 'doctype' ? answer.replace('<OJP ', `${doctype}<OJP `) : answer);
}

function keyOf(
  { now }: WireContext,
  { origin, destination, atMs = now() }: OjpRequest,
): string | undefined {
  const station = findStation(origin);
  const date = station && localTimeAt(atMs, station.zone).date;
  return date && searchKeyOf({ origin, destination, date });
}

interface Problem {
  readonly type: string;
  readonly text: string;
}

function find(
  context: WireContext,
  request: OjpRequest,
): { readonly trains: readonly Train[] } | Problem {
  const { origin, destination, via } = request;
  if (!isKnown(origin)) return { type: 'TRIP_ORIGINUNKNOWN', text: 'Unknown origin' };
  if (!isKnown(destination))
    return { type: 'TRIP_DESTINATIONUNKNOWN', text: 'Unknown destination' };
  if (via !== undefined && !isKnown(via)) return { type: 'TRIP_VIAUNKNOWN', text: 'Unknown via' };
  if (origin === destination) {
    return { type: 'TRIP_ORIGINDESTINATIONIDENTICAL', text: 'Origin and destination are one' };
  }
  const trains: Train[] = [];
  for (const direction of ['earlier', 'later'] as const) {
    const found = findAround(context, request, direction);
    if (found.kind === 'not-served') return { type: 'TRIP_NOTRIPFOUND', text: 'No such trip' };
    if (found.kind === 'date-not-on-sale') {
      return { type: 'TRIP_DATEOUTOFRANGE', text: 'No timetable for that day' };
    }
    trains.push(...found.trains);
  }
  const once = [...new Map(trains.map((train) => [train.departureMs, train])).values()];
  return once.length > 0 ? { trains: once } : { type: 'TRIP_NOTRIPFOUND', text: 'No such trip' };
}

function findAround(
  context: WireContext,
  {
    origin,
    destination,
    via,
    atMs = context.now(),
    by,
    before,
    after,
    maxTransfers = 9,
  }: OjpRequest,
  direction: AroundQuery['direction'],
): Finding {
  const wanted = Math.min(direction === 'earlier' ? before : after, mostTrips);
  return context.findAround({
    origin,
    destination,
    atMs,
    by,
    direction,
    limit: context.pageSize(wanted),
    accepts: (train) =>
      (train.connection ? 1 : 0) <= maxTransfers && (via === undefined || callsAt(train, via)),
  });
}

/** The last trip before the time that was asked for. */
function earlyTrip(context: WireContext, request: OjpRequest): readonly Train[] {
  const found = findAround(context, { ...request, by: 'departure', before: 1 }, 'earlier');
  return found.kind === 'trains' ? found.trains : [];
}

function isKnown(reference: string): boolean {
  return europeanStations.some(({ uic }) => uic === reference);
}

function xml(body: string, status = 200): Answer {
  return { status, headers: { 'content-type': 'application/xml; charset=utf-8' }, body };
}

/** Returns whether a journey calls at a station between its ends, or changes there. */
export function callsAt(train: Train, uic: string): boolean {
  const runs = train.connection ?? [train];
  return (
    runs.some((run) => callsBetween(run, uic)) ||
    runs.slice(1).some(({ origin }) => origin === uic) ||
    runs.slice(0, -1).some(({ destination }) => destination === uic)
  );
}

/** Returns whether a train calls at a station between two of its stops. */
function callsBetween(run: TrainRun, uic: string): boolean {
  return europeanLines.some((line, index) => {
    const whole = sectionOf(line, run);
    const first = sectionOf(line, { origin: run.origin, destination: uic });
    if (whole === undefined || first === undefined) return false;
    if (line.brand !== run.brand || !hasTrain(line, index, run.number)) return false;
    return first.from === whole.from && first.to > first.from && first.to < whole.to;
  });
}
