import { createHash } from 'node:crypto';
import {
  addDays,
  type CarrierContext,
  CarrierError,
  type CarrierFailure,
  type CarrierHttpResponse,
  type CarrierQuery,
  type LocalClock,
} from '@ticketing/core';
import { stationCode } from '../stations/station-table.ts';
import type { CarrierDecoder } from '../wire/decoder.ts';
import { refusePage, refuseRedirect } from '../wire/page-for-people.ts';
import { type FurtherPages, furtherPages } from '../wire/paging/further-pages.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import { type HafasFrame, readFrame } from './frame.ts';
import type { HafasChecksum, ResolvedProfile } from './hafas-profile.ts';
import { readTime, writeTime } from './hafas-time.ts';
import { type HafasAsk, readToken } from './pages.ts';

type DayAsk = Extract<HafasAsk, { readonly untilMs: number }>;

/** The bytes of the answers, in the order of the pages, and what was asked. */
export interface HafasWire {
  readonly pages: readonly HafasBytes[];
  readonly ask: HafasAsk;
  /** True if the pages reach the end of the day that was asked for. */
  readonly ended: boolean;
  /** Reason why there are no further pages, if one failed or was too late. */
  readonly failure?: CarrierFailure;
}

/** One answer, and when it arrived (epoch ms). */
export interface HafasBytes {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly receivedAt: number;
}

/** A server and how it is asked. */
export interface HafasServer {
  readonly baseUrl: string;
  readonly profile: ResolvedProfile;
  readonly decoder: CarrierDecoder;
  readonly pageSize: number;
  readonly maxPages: number;
  readonly userAgent: string;
  now(): number;
}

/** Most pages of departures before an instant: three days of a train every five minutes have fewer. */
const MOST_PAGES_BEFORE = 150;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Spans before an instant without later departures in which departures are looked for, one after another. */
const LOOK_BACK_MS = [6 * HOUR_MS, DAY_MS, 3 * DAY_MS];

/** Asks for a page; without a time or a page for a day: one page after another while they fit. */
export async function requestHafas(
  server: HafasServer,
  query: CarrierQuery,
  context: CarrierContext,
): Promise<HafasWire> {
  const ask = askOf(server, query);
  if (ask.kind === 'before') return requestBefore(server, query, context, ask);
  const further = furtherPages(server.decoder.carrier, { context, now: server.now });
  const first = await send(server, query, context, ask);
  if (ask.kind !== 'day') return { pages: [first], ask, ended: false };
  return requestRest(server, query, { ask, first, further });
}

/**
 * Asks for the last departures before an instant that none follows: for all of some hours before it, or of more hours when there
 * is none. A server has no question for them, and without an answer it gives no context.
 */
async function requestBefore(
  server: HafasServer,
  query: CarrierQuery,
  context: CarrierContext,
  { untilMs }: DayAsk,
): Promise<HafasWire> {
  for (const [index, backMs] of LOOK_BACK_MS.entries()) {
    const ask: DayAsk = { kind: 'before', atMs: untilMs - backMs, untilMs };
    const bytes = await send(server, query, context, ask);
    const isLast = index === LOOK_BACK_MS.length - 1;
    if (!isLast && isEmpty(server, bytes)) continue;
    // Between what is found before the instant and the instant nothing may be missing.
    const further: FurtherPages = {
      context,
      late: () => undefined,
      failure(error) {
        throw error;
      },
    };
    return requestRest(server, query, { ask, first: bytes, further });
  }
  throw new TypeError('Cannot ask: there is nothing to look back at');
}

interface Rest {
  readonly ask: DayAsk;
  readonly first: HafasBytes;
  readonly further: FurtherPages;
}

/** Follows the pages of a day until it ends. */
async function requestRest(
  server: HafasServer,
  query: CarrierQuery,
  { ask, first, further }: Rest,
): Promise<HafasWire> {
  const pages = [first];
  let frame = frameOf(server, first);
  while (frame !== undefined) {
    if (isOver(server, frame, query, ask.untilMs)) return { pages, ask, ended: true };
    const maxPages = ask.kind === 'day' ? server.maxPages : MOST_PAGES_BEFORE;
    if (frame.later === undefined || pages.length >= maxPages) break;
    const late = further.late();
    if (late !== undefined) return { pages, ask, ended: false, failure: late };
    try {
      const next = { ...ask, context: frame.later };
      const bytes = await send(server, query, further.context, next);
      frame = readFrame(server.decoder, bytes.body);
      pages.push(bytes);
    } catch (error) {
      if (isEnd(error)) return { pages, ask, ended: true };
      return { pages, ask, ended: false, failure: further.failure(error) };
    }
  }
  return { pages, ask, ended: false };
}

/** Returns whether a server reports that there is no further page. */
function isEnd(error: unknown): boolean {
  return (
    CarrierError.is(error) && (error.code === 'NO_RESULTS' || error.code === 'DATE_OUT_OF_RANGE')
  );
}

/** Returns what a query means: a day begins now, or at its midnight at the origin. */
function askOf({ decoder: { clock, carrier }, now }: HafasServer, query: CarrierQuery): HafasAsk {
  const { page, time, date, origin, destination } = query;
  if (page !== undefined) return readToken(carrier, page, query.arriveBy === true);
  if (time !== undefined) {
    const { zone } = query.arriveBy ? destination : origin;
    const atMs = clock.epoch(`${date}T${time}`, zone);
    return { kind: query.arriveBy ? 'arrive-by' : 'time', atMs };
  }
  const midnightMs = clock.epoch(`${date}T00:00`, origin.zone);
  const untilMs = clock.epoch(`${addDays(date, 1)}T00:00`, origin.zone);
  const nowMs = now() - (now() % 60_000);
  return { kind: 'day', atMs: nowMs < untilMs ? Math.max(midnightMs, nowMs) : midnightMs, untilMs };
}

async function send(
  { baseUrl, profile, decoder, pageSize, userAgent, now }: HafasServer,
  query: CarrierQuery,
  { http, signal, deadline }: CarrierContext,
  ask: HafasAsk,
): Promise<HafasBytes> {
  const { version, ext, client, auth, lang, checksum, stationSystem, products, prices } = profile;
  const location = (station: CarrierQuery['origin']): object => {
    const code = stationCode(decoder.carrier, station, stationSystem);
    return { type: 'S', lid: `A=1@L=${code}@` };
  };
  const atMs = askedMs(ask, query, { clock: decoder.clock, now });
  const { date, time } = writeTime(decoder.clock, atMs, profile.zone);
  const bits = Object.keys(products).reduce((sum, bit) => sum + Number(bit), 0);
  const body = JSON.stringify({
    ver: version,
    ...(ext !== undefined && { ext }),
    lang,
    auth,
    client,
    svcReqL: [
      {
        meth: 'TripSearch',
        cfg: { polyEnc: 'GPA' },
        req: {
          depLocL: [location(query.origin)],
          arrLocL: [location(query.destination)],
          viaLocL: query.via === undefined ? [] : [{ loc: location(query.via) }],
          ...(ask.context === undefined
            ? { outDate: date, outTime: time }
            : { ctxScr: ask.context }),
          outFrwd: query.arriveBy !== true || isAfterArrivals(ask),
          numF: pageSize,
          maxChg: query.maxTransfers ?? -1,
          getPasslist: query.stops === true,
          getTariff: prices === 'fares',
          jnyFltrL: [{ type: 'PROD', mode: 'INC', value: String(bits) }],
        },
      },
    ],
  });
  const response = await http.send({
    method: 'POST',
    url: `${baseUrl}${profile.path}${checksumQuery(body, checksum)}`,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': userAgent,
    },
    body,
    signal,
    deadline,
  });
  refuseRedirect(decoder.carrier, response);
  refuseWall(decoder.carrier, response);
  return { body: response.body, receivedAt: response.receivedAt };
}

/** Returns whether arrivals after an instant are asked for that none precedes. */
function isAfterArrivals({ kind, context }: HafasAsk): boolean {
  return kind === 'later' && context === undefined;
}

/** Returns the instant that a question names. For arrivals after an instant it names a departure: no earlier one arrives then. */
function askedMs(
  ask: HafasAsk,
  { arriveBy, origin: { zone } }: CarrierQuery,
  { clock, now }: { readonly clock: LocalClock; now(): number },
): number {
  if (!arriveBy || !isAfterArrivals(ask)) return ask.atMs;
  // Trains of yesterday are gone, and servers may refuse to look for them.
  const midnightMs = clock.epoch(`${clock.dateOf(now(), zone)}T00:00`, zone);
  return Math.max(ask.atMs - DAY_MS, midnightMs);
}

/** A page for people in place of an answer is a wall. It is reported, and never evaded. */
function refuseWall(carrier: string, { headers, status, body }: CarrierHttpResponse): void {
  const type = headers['content-type'];
  if (type === undefined || /^application\/json\b/i.test(String(type))) return;
  refusePage(carrier, new TextDecoder().decode(body));
  throw new CarrierError(
    'AUTH',
    `Cannot ask \`${carrier}\`: it answered ${String(type).slice(0, 60)} in place of JSON`,
    { httpStatus: status },
  );
}

/** Reads a page only so far as the next one needs; `normalise` reports what is wrong with it. */
function frameOf({ decoder }: HafasServer, { body }: HafasBytes): HafasFrame | undefined {
  try {
    return readFrame(decoder, body);
  } catch {
    return undefined;
  }
}

function isEmpty({ decoder }: HafasServer, { body }: HafasBytes): boolean {
  try {
    readFrame(decoder, body);
    return false;
  } catch (error) {
    return CarrierError.is(error) && error.code === 'NO_RESULTS';
  }
}

function isOver(
  { decoder }: HafasServer,
  { connections }: HafasFrame,
  { origin }: CarrierQuery,
  untilMs: number,
): boolean {
  return connections.some((one) => departureOf(decoder, one, origin.zone) >= untilMs);
}

/** Returns when the first ride of a connection leaves; NaN when the connection has no time. */
function departureOf(decoder: CarrierDecoder, connection: WireRecord, zone: string): number {
  const { read } = decoder;
  try {
    const sections = read.list(connection['secL'], 'secL').map((one) => read.record(one, 'secL'));
    const ride = read.record(
      sections.find(({ type }) => type === 'JNY'),
      'JNY',
    );
    const { dTimeS, dTZOffset } = read.record(ride['dep'], 'dep');
    const offset = typeof dTZOffset === 'number' ? dTZOffset : undefined;
    const time = { day: String(connection['date']), text: String(dTimeS), offset };
    return readTime(decoder, time, zone)[0];
  } catch {
    return Number.NaN;
  }
}

/**
 * Returns the query of a request's URL, which proves that the sender knows the salt.
 *
 * @param body the exact text that is sent
 */
export function checksumQuery(body: string, checksum: HafasChecksum): string {
  switch (checksum.kind) {
    case 'none':
      return '';
    case 'checksum':
      return `?checksum=${md5(Buffer.concat([Buffer.from(body), saltOf(checksum.salt)]))}`;
    case 'mic-mac': {
      const mic = md5(Buffer.from(body));
      const mac = md5(Buffer.concat([Buffer.from(mic), saltOf(checksum.salt)]));
      return `?mic=${mic}&mac=${mac}`;
    }
  }
}

function saltOf(hex: string): Buffer {
  return Buffer.from(hex, 'hex');
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}
