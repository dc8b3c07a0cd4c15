import { europeanOperators } from '../../timetable/europe/carriers.ts';
import type { EuropeanOperator } from '../../timetable/europe/lines.ts';
import { shortestChange } from '../../timetable/europe/run-details.ts';
import { localTimeAt } from '../../timetable/local-clock.ts';
import { stationOf } from '../../timetable/network.ts';
import type { CarrierSimId } from '../../timetable/sim-carriers.ts';
import type { Train, TrainRun } from '../../timetable/train.ts';
import {
  changeMs,
  expectedMs,
  lateMs,
  partsOf,
  runsOf,
  usualWalks,
  type Walks,
} from '../trip-times.ts';
import {
  type Answer,
  jsonAnswer,
  type NoOptions,
  type Wire,
  type WireContext,
  type WireRequest,
} from '../wire.ts';
import { detailsOfLeg } from './osdm-details.ts';
import { offersOf } from './osdm-offers.ts';
import { overviewOf } from './osdm-overview.ts';
import {
  isProblem,
  type OsdmCriteria,
  type OsdmProblem,
  readCriteria,
  readOfferRequest,
  readOverviewRequest,
  readStopBehavior,
  refuseHeaders,
} from './osdm-request.ts';

/** Faults of OSDM alone. */
export const osdmFaults: {
  /** A problem with status 503 in place of offers, in a 200. */
  readonly 'problem-in-200': NoOptions;
  /** Trips, and no offer for any. */
  readonly 'trips-without-offers': NoOptions;
  /** Values that the lists of the standard lack. */
  readonly 'unknown-enum': NoOptions;
  /** Times without an offset, on the clocks of their stops. */
  readonly 'local-times': NoOptions;
  /** Walks to and from addresses. */
  readonly walks: NoOptions;
  /** Every train is a vehicle that comes when it is ordered. */
  readonly 'on-demand': NoOptions;
} = {
  'problem-in-200': {},
  'trips-without-offers': {},
  'unknown-enum': {},
  'local-times': {},
  walks: {},
  'on-demand': {},
};

const linkHost = 'https://links.osdm.example';

/**
 * Creates the wire of OSDM 3.9: offers for a search, for trips, or for trips both ways, trips in pages, and an overview of prices by day. A request is checked as the specification has it;
 * a wrong one gets a problem (RFC 9457).
 */
export function createOsdmWire(context: WireContext): Wire {
  const answerTo =
    (answer: (body: unknown, request: WireRequest) => Answer | OsdmProblem) =>
    (request: WireRequest): Answer => {
      const refused = refuseHeaders(request.headers);
      if (refused) return problem(refused);
      const answered = answer(readJson(request.body), request);
      return isProblem(answered) ? problem(answered) : answered;
    };
  return {
    throttled: (retryAfterSeconds) =>
      problem(
        { status: 429, code: 'TOO_MANY_REQUESTS', title: 'Too many requests' },
        { 'retry-after': String(retryAfterSeconds) },
      ),
    malformPrice: (body) => body.replace(/"amount":(\d+)/, '"amount":"$1 cents"'),
    calls: [
      {
        method: 'POST',
        path: '/offers',
        search: true,
        answer: answerTo((asJson, { fault }) => {
          const asked = readOfferRequest(asJson);
          if (isProblem(asked)) return asked;
          if (fault?.kind === 'problem-in-200') {
            const { status, code, title } = unavailable;
            return jsonAnswer({ problems: [{ status, code, title }], offers: [], trips: [] });
          }
          const trains = asked.tripIds
            ? trainsById(context, asked.tripIds)
            : search(context, asked.criteria);
          if (isProblem(trains)) return trains;
          const { passengers, travelClasses, stops } = asked;
          const back = asked.tripIds && asked.inboundTripIds;
          if (back) {
            const returning = trainsById(context, back, '#/inboundTripIds');
            if (isProblem(returning)) return returning;
            const offers = { seller: context.carrier, passengers, travelClasses };
            return jsonAnswer({
              offers: [
                ...offersOfTrains(trains, { ...offers, way: 'outbound' }),
                ...offersOfTrains(returning, { ...offers, way: 'inbound' }),
              ],
            });
          }
          const walks = fault?.kind === 'walks' ? usualWalks : undefined;
          const { trips, offers } = answerOf(trains, {
            seller: context.carrier,
            passengers,
            travelClasses,
            walks,
            stops,
          });
          const sold = fault?.kind === 'trips-without-offers' ? [] : offers;
          const body = JSON.stringify(asked.tripIds ? { offers: sold } : { trips, offers: sold });
          if (fault?.kind === 'local-times') return jsonAnswer(withoutOffsets(body));
          if (fault?.kind === 'on-demand') return jsonAnswer(onDemand(body));
          return jsonAnswer(fault?.kind === 'unknown-enum' ? withUnknownNames(body) : body);
        }),
      },
      {
        method: 'POST',
        path: '/trips-collections',
        answer: answerTo((body, { query }) => {
          const criteria = readCriteria(body, '#');
          if (isProblem(criteria)) return criteria;
          const page = query.get('page');
          const asked = page === null ? criteria : pageOf(criteria, page);
          if (asked === undefined) {
            return { status: 400, code: 'PAGE_UNKNOWN', title: 'No such page' };
          }
          const trains = search(context, asked);
          if (isProblem(trains)) return trains;
          const id = `c-${asked.origin}-${asked.destination}-${asked.atMs}`;
          const behavior = readStopBehavior(query.get('stopBehavior') ?? undefined);
          if (isProblem(behavior)) return behavior;
          const trips = trains.map((train) => tripOf(train, behavior));
          return jsonAnswer({ id, trips, _links: linksOf(trains) });
        }),
      },
      {
        method: 'POST',
        path: '/offer-overview-route',
        answer: answerTo((body) => {
          const asked = readOverviewRequest(body);
          return isProblem(asked) ? asked : overviewOf(context, asked);
        }),
      },
    ],
    otherCalls: () => problem({ status: 404, code: 'NOT_FOUND', title: 'No such resource' }),
  };
}

const unavailable = {
  status: 503,
  code: 'PROVIDER_UNAVAILABLE',
  title: 'The provider does not answer',
};

function problem({ pointers, ...rest }: OsdmProblem, headers: Answer['headers'] = {}): Answer {
  const body = {
    ...rest,
    type: 'about:blank',
    ...(pointers && { pointers: pointers.map((requestPointer) => ({ requestPointer })) }),
  };
  return jsonAnswer(body, rest.status, { 'content-type': 'application/problem+json', ...headers });
}

/** Returns the journeys before and after an instant. */
function search(context: WireContext, criteria: OsdmCriteria): readonly Train[] | OsdmProblem {
  const { origin, destination, atMs, by, before, after, via, transferLimit } = criteria;
  const accepts = (train: Train): boolean =>
    (transferLimit === undefined || (train.connection ? 1 : 0) <= transferLimit) &&
    (via === undefined || changesAt(train, via));
  const found: Train[] = [];
  for (const [direction, wanted] of [
    ['earlier', before],
    ['later', after],
  ] as const) {
    if (wanted === 0 && direction === 'earlier') continue;
    const limit = context.pageSize(wanted);
    const finding = context.findAround({
      origin,
      destination,
      atMs,
      by,
      direction,
      limit,
      accepts,
    });
    if (finding.kind === 'not-served') {
      return {
        status: 404,
        code: 'PLACE_NOT_SERVED',
        title: 'The provider does not go there',
        pointers: [`${criteria.pointer}/destination`],
      };
    }
    if (finding.kind === 'date-not-on-sale') {
      return {
        status: 400,
        code: 'DATE_NOT_BOOKABLE',
        title: 'Not on sale',
        pointers: [`${criteria.pointer}/${by}Time`],
      };
    }
    found.push(...finding.trains);
  }
  if (found.length > 0) return found;
  return { status: 404, code: 'NO_TRIP_FOUND', title: 'No trip found' };
}

function changesAt({ connection }: Train, via: string): boolean {
  return connection?.[0].destination === via || connection?.[1].origin === via;
}

/** Ids of trips have the way to find them, so that nothing is kept. */
function idOf({ origin, destination, date, departureMs }: Train): string {
  return `t-${origin}-${destination}-${date}-${departureMs}`;
}

function trainsById(
  context: WireContext,
  ids: readonly string[],
  pointer = '#/tripIds',
): readonly Train[] | OsdmProblem {
  const found: Train[] = [];
  for (const id of ids) {
    const [, origin = '', destination = '', date = '', ms] =
      /^t-(\d{7})-(\d{7})-(\d{4}-\d\d-\d\d)-(\d+)$/.exec(id) ?? [];
    const finding = context.find({ origin, destination, date });
    const trains = finding.kind === 'trains' ? finding.trains : [];
    const train = trains.find(({ departureMs }) => departureMs === Number(ms));
    if (!train)
      return { status: 404, code: 'TRIP_UNKNOWN', title: 'No such trip', pointers: [pointer] };
    found.push(train);
  }
  return found;
}

/** Pages are named by the departure that they begin after, or end before. */
function linksOf(trains: readonly Train[]): readonly object[] {
  const [first, last] = [trains[0], trains.at(-1)];
  if (!first || !last) return [];
  const link = (rel: string, page: string): object => ({
    rel,
    href: `${linkHost}/trips-collections?page=${page}`,
  });
  return [link('next', `after.${last.departureMs}`), link('prev', `before.${first.departureMs}`)];
}

function pageOf(criteria: OsdmCriteria, page: string): OsdmCriteria | undefined {
  const [, side, ms] = /^(after|before)\.(\d{1,15})$/.exec(page) ?? [];
  if (side === undefined) return undefined;
  const size = Math.max(criteria.before, criteria.after);
  const isAfter = side === 'after';
  return {
    ...criteria,
    by: 'departure',
    // No two journeys of a pair leave in one minute.
    atMs: Number(ms) + (isAfter ? 60_000 : 0),
    after: isAfter ? size : 0,
    before: isAfter ? 0 : size,
  };
}

function withUnknownNames(body: string): string {
  return body
    .replaceAll('"SECOND"', '"THIRD"')
    .replaceAll('"NON_FLEXIBLE"', '"FLEXIBLE_ON_SUNDAYS"')
    .replaceAll('"STANDARD"', '"DELUXE"')
    .replaceAll('"TRAIN"', '"HYPERLOOP"');
}

function onDemand(body: string): string {
  return body.replaceAll('"ptMode":"TRAIN"', '"ptMode":"ON_DEMAND_SERVICE"');
}

/** Leaves the offsets of times away, which then are on the clocks of their stops. */
function withoutOffsets(body: string): string {
  return body.replace(/"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)[+-]\d\d:\d\d"/g, '"$1"');
}

function readJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Options for writing an answer of OSDM. */
export interface OsdmEncoding {
  /** Carrier whose offers are written. Default `osdm`. */
  readonly seller?: CarrierSimId | undefined;
  /** References of the passengers that offers are for. Default one, `p1`. */
  readonly passengers?: readonly string[] | undefined;
  /** Classes of offers, by the standard's names. Default: every class. */
  readonly travelClasses?: readonly string[] | undefined;
  /** True if times have their offset. Default true. */
  readonly offsets?: boolean | undefined;
  /** Walks to and from addresses. Default: none. */
  readonly walks?: Walks | undefined;
  /** True if trains have the stops between their ends. Default false. */
  readonly stops?: boolean | undefined;
}

/** Returns OSDM's answer to a search for offers: trips, and offers that hold integers and their scale. */
export function encodeOsdm(trains: readonly Train[], options: OsdmEncoding = {}): string {
  const body = JSON.stringify(answerOf(trains, options));
  return options.offsets === false ? withoutOffsets(body) : body;
}

function answerOf(
  trains: readonly Train[],
  { seller = 'osdm', passengers = ['p1'], travelClasses, walks, stops }: OsdmEncoding,
): { readonly trips: readonly object[]; readonly offers: readonly object[] } {
  const offers = offersOfTrains(trains, { seller, passengers, travelClasses });
  return { trips: trains.map((train) => tripOf(train, { walks, stops })), offers };
}

function offersOfTrains(
  trains: readonly Train[],
  query: Omit<Parameters<typeof offersOf>[1], 'tripId'>,
): readonly object[] {
  return trains.flatMap((train) => offersOf(train, { ...query, tripId: idOf(train) }));
}

function tripOf(train: Train, { walks, stops }: Pick<OsdmEncoding, 'walks' | 'stops'>): object {
  const runs = runsOf(train);
  const [first, last] = [runs[0], runs.at(-1) ?? runs[0]];
  const legs = runs.flatMap((run, index) => {
    const before = runs[index - 1];
    const rides = partsOf(run).flatMap((part, section, parts): readonly object[] => {
      const stayed = parts[section - 1];
      const ride = { timedLeg: timedLeg(part, stops) };
      return stayed === undefined ? [ride] : [stayLeg(stayed, part), ride];
    });
    return before === undefined ? rides : [changeLeg(before, run), ...rides];
  });
  if (walks !== undefined) {
    const [from, to] = [placeRef(first.origin), placeRef(last.destination)];
    if (walks.before > 0) {
      const ms = walks.before * 60_000;
      legs.unshift(transferLeg({ mode: 'WALK', from: addressAt(first.origin), to: from, ms }));
    }
    if (walks.after > 0) {
      const ms = walks.after * 60_000;
      legs.push(transferLeg({ mode: 'WALK', from: to, to: addressAt(last.destination), ms }));
    }
  }
  return {
    id: idOf(train),
    duration: durationOf(expectedMs(train, walks)),
    startTime: timestampOf(train.departureMs, train.origin),
    endTime: timestampOf(train.arrivalMs, train.destination),
    transfers: runs.length - 1,
    legs: legs.map((leg, index) => ({ id: `l${index + 1}`, ...leg })),
  };
}

/** A change of trains is of several modes, and each is one. */
const changeModes = ['WALK', 'PROTECTED_CONNECTION', 'GUARANTEED_CONNECTION', 'CHECK_IN'];
const stayModes = ['REMAIN_IN_VEHICLE', 'CHANGE_WITHIN_VEHICLE'];

function changeLeg(before: TrainRun, after: TrainRun): object {
  return transferLeg({
    mode: modeOf(changeModes, after),
    from: placeRef(before.destination),
    to: placeRef(after.origin),
    ms: Math.min(changeMs(before, after), shortestChange(before, after) * 60_000),
  });
}

function stayLeg(before: TrainRun, after: TrainRun): object {
  const at = placeRef(after.origin);
  const ms = after.departureMs - before.arrivalMs;
  return transferLeg({ mode: modeOf(stayModes, after), from: at, to: at, ms });
}

function modeOf(modes: readonly string[], { number }: TrainRun): string {
  return modes[Math.floor(Number(number) / 2) % modes.length] ?? 'WALK';
}

interface Way {
  readonly mode: string;
  readonly from: object;
  readonly to: object;
  readonly ms: number;
}

function transferLeg({ mode, from, to, ms }: Way): object {
  return {
    transferLeg: { transferMode: mode, start: from, end: to, duration: durationOf(ms) },
  };
}

function addressAt(uic: string): object {
  const { name, longitude, latitude } = stationOf(uic);
  const geoPosition = { longitude: (longitude ?? 0) + 0.002, latitude };
  return { objectType: 'GeoPositionRef', name: `${name}, Lane 3`, geoPosition };
}

function timedLeg(run: TrainRun, stops: boolean | undefined): object {
  const operator = europeanOperators[run.operator as EuropeanOperator];
  const time = (ms: number, uic: string): object => ({
    timetabledTime: timestampOf(ms, uic),
    ...(run.delayMinutes && { estimatedTime: timestampOf(ms + lateMs(run), uic) }),
  });
  const stop = (uic: string): object => ({
    stopPlaceRef: placeRef(uic),
    stopPlaceName: stationOf(uic).name,
  });
  const details = detailsOfLeg(run, { time, ref: placeRef });
  return {
    start: {
      ...stop(run.origin),
      ...details.start,
      serviceDeparture: time(run.departureMs, run.origin),
    },
    ...(stops && { intermediates: details.intermediates }),
    end: {
      ...stop(run.destination),
      ...details.end,
      serviceArrival: time(run.arrivalMs, run.destination),
    },
    service: {
      mode: { ptMode: 'TRAIN' },
      productCategory: { name: run.brand, shortName: run.brand, productCategoryRef: run.brand },
      publishedServiceName: run.line ?? `${run.brand} ${run.number}`,
      vehicleNumbers: [run.number, ...details.coupled],
      carriers: [{ ref: `urn:uic:rics:${operator.rics}`, name: operator.name }],
      ...details.service,
      ...(run.cancelled && { serviceStatus: { cancelled: true } }),
    },
    ...details.leg,
  };
}

function placeRef(uic: string): object {
  return { objectType: 'StopPlaceRef', stopPlaceRef: `urn:uic:stn:${uic}` };
}

function timestampOf(ms: number, uic: string): string {
  return localTimeAt(ms, stationOf(uic).zone).timestamp;
}

function durationOf(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return `PT${Math.floor(minutes / 60)}H${minutes % 60}M`;
}
