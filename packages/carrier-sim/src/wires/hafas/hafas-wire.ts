import { createHash } from 'node:crypto';
import { europeanStations } from '../../timetable/europe/stations.ts';
import { isCalendarDate, localDay } from '../../timetable/local-clock.ts';
import { findStation } from '../../timetable/network.ts';
import type { Train } from '../../timetable/train.ts';
import { usualWalks } from '../trip-times.ts';
import {
  type Answer,
  type AroundQuery,
  type Credentials,
  jsonAnswer,
  type NoOptions,
  type Wire,
  type WireContext,
  type WireRequest,
} from '../wire.ts';
import { encodeHafas, hafasService, hafasZone, productBitOf } from './hafas-answer.ts';
import { bookingCode } from './hafas-details.ts';

/**
 * Faults of HAFAS alone, of the first journey: `negative-price` writes -1 for its price, `no-fares` leaves it out, `tickets` writes
 * tickets of all kinds of people and their total, `nameless-fares` leaves their names out, `devi` ends near its destination,
 * `on-demand` makes it one that runs only if it was booked, `unknown-section` ends it by another kind of section, `zero-offset` begins it with a walk whose offset is 0. Of every journey: `walks`
 * has them to and from addresses without a number, `nearby` begins at a stop near its origin. Of the answer: `html-wall` is a page for
 * people, `other-method` has an error of another method first, `pages-overlap` repeats a journey of the page before.
 */
export const hafasFaults: {
  readonly 'negative-price': NoOptions;
  readonly 'no-fares': NoOptions;
  readonly tickets: NoOptions;
  readonly 'nameless-fares': NoOptions;
  readonly devi: NoOptions;
  readonly walks: NoOptions;
  readonly nearby: NoOptions;
  readonly 'unknown-section': NoOptions;
  readonly 'zero-offset': NoOptions;
  readonly 'html-wall': NoOptions;
  readonly 'other-method': NoOptions;
  readonly 'pages-overlap': NoOptions;
  readonly 'on-demand': NoOptions;
} = {
  'negative-price': {},
  'no-fares': {},
  tickets: {},
  'nameless-fares': {},
  devi: {},
  walks: {},
  nearby: {},
  'unknown-section': {},
  'zero-offset': {},
  'html-wall': {},
  'other-method': {},
  'pages-overlap': {},
  'on-demand': {},
};

interface HafasSimProfile {
  readonly path: string;
  readonly zone: string;
  readonly version: string;
  readonly client: Readonly<Record<'type' | 'id' | 'name' | 'v', string>>;
  readonly auth: Readonly<Record<'type' | 'aid', string>>;
  readonly lang: string;
  readonly checksum: { readonly kind: 'mic-mac'; readonly salt: string };
  readonly products: Readonly<Record<'1' | '2' | '32', 'train' | 'bus'>>;
  readonly currency: string;
  readonly prices: 'fares';
  readonly stationSystem: string;
  readonly bookingCodes: readonly string[];
}

/**
 * Profile for clients of the simulated server. With the simulator's option `credentials` the `aid` is the `username`, and the salt
 * the hex digits of the `password`.
 */
export const hafasSimProfile: HafasSimProfile = {
  path: '/bin/mgate.exe',
  zone: hafasZone,
  version: '1.45',
  client: { type: 'WEB', id: 'SIM', name: 'sim', v: '1' },
  auth: { type: 'AID', aid: 'simulated' },
  lang: 'de',
  checksum: { kind: 'mic-mac', salt: Buffer.from('simulated salt').toString('hex') },
  products: { 1: 'train', 2: 'train', 32: 'bus' },
  currency: 'EUR',
  prices: 'fares',
  stationSystem: 'ibnr',
  bookingCodes: [bookingCode],
};

/** The client whose answers have no offsets, as many servers write them: times are on the clocks of their stops. */
const localClient = 'SIM-LOCAL';

/** Client profile for a server whose times have no offset. */
export const hafasLocalSimProfile: HafasSimProfile = {
  ...hafasSimProfile,
  client: { ...hafasSimProfile.client, id: localClient },
};

/** Creates the wire of a HAFAS server: one call, whose errors have status 200. */
export function createHafasWire(context: WireContext): Wire {
  return {
    throttled: () => ({
      status: 429,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: 'Too Many Requests\n',
    }),
    malformPrice: (body) => body.replace(/"amount":-?\d+/, '"amount":"39,90"'),
    calls: [
      {
        method: 'POST',
        path: hafasSimProfile.path,
        search: true,
        answer(request) {
          if (request.fault?.kind === 'html-wall') return wall;
          const envelope = readEnvelope(request, context.credentials);
          if (typeof envelope === 'string') return envelopeError(envelope);
          const query = readSearch(envelope.call);
          if (typeof query === 'string') return jsonAnswer(hafasService(query));
          return search(context, query, { fault: request.fault?.kind, isLocal: envelope.isLocal });
        },
      },
    ],
  };
}

const wall: Answer = {
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html><title>Are you a person?</title>\n',
};

function envelopeError(err: string): Answer {
  return jsonAnswer({ ver: '1.45', lang: 'deu', err, svcResL: [] });
}

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

interface Envelope {
  /** Call of the request, the only one. */
  readonly call: Fields;
  /** True if the client wants times without offsets. */
  readonly isLocal: boolean;
}

/** Returns what an envelope has, or its error. */
function readEnvelope(
  request: WireRequest,
  credentials: Credentials | undefined,
): Envelope | string {
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) return 'PARSE';
  const envelope = readJson(request.body);
  if (!isRecord(envelope)) return 'PARSE';
  const { ver, lang, auth, client, svcReqL } = envelope;
  const aid = credentials?.username ?? hafasSimProfile.auth.aid;
  const hex = credentials && Buffer.from(credentials.password).toString('hex');
  const salt = Buffer.from(hex ?? hafasSimProfile.checksum.salt, 'hex');
  if (!isSigned(request, salt)) return 'AUTH';
  if (!isRecord(auth) || auth['type'] !== 'AID' || auth['aid'] !== aid) return 'AUTH';
  if (!isRecord(client) || !isText(client['v'])) return 'CLIENTVERSION';
  const isWhole = isText(client['type']) && isText(client['id']) && isText(lang);
  if (!isWhole || ver !== hafasSimProfile.version) return 'PARAMETER';
  if (!Array.isArray(svcReqL) || svcReqL.length !== 1 || !isRecord(svcReqL[0])) return 'PARAMETER';
  return { call: svcReqL[0], isLocal: client['id'] === localClient };
}

/** Returns whether the sums in the URL match the body and the salt. */
function isSigned({ bytes, query }: WireRequest, salt: Buffer): boolean {
  const sumOf = (...parts: readonly Uint8Array[]): string =>
    createHash('md5').update(Buffer.concat(parts)).digest('hex');
  if (query.has('checksum')) return query.get('checksum') === sumOf(bytes, salt);
  const mic = sumOf(bytes);
  return query.get('mic') === mic && query.get('mac') === sumOf(Buffer.from(mic), salt);
}

/** One end of a page: the instant that it begins or ends at. */
type Turn = Required<
  Pick<AroundQuery, 'origin' | 'destination' | 'atMs' | 'direction' | 'by' | 'skip'>
>;

interface Search extends Turn {
  readonly limit: number;
  readonly fares: boolean;
  readonly stops: boolean;
  readonly isPage: boolean;
  accepts(train: Train): boolean;
}

/** Returns the search of a call, or the error of the call. */
function readSearch({ meth, req }: Fields): Search | string {
  if (meth !== 'TripSearch') return 'R0001';
  if (!isRecord(req)) return 'R0002';
  const { depLocL, arrLocL, viaLocL = [], numF = 6, maxChg = -1, getTariff = false } = req;
  const { outFrwd = true, jnyFltrL = [], ctxScr, getPasslist = false } = req;
  const [origin, destination] = [stationIn(depLocL), stationIn(arrLocL)];
  if (origin === undefined) return 'H9260';
  if (destination === undefined) return 'H9300';
  if (origin === destination) return 'H895';
  if (!Array.isArray(viaLocL)) return 'R0002';
  const vias = viaLocL.map((via) => stationIn(isRecord(via) ? [via['loc']] : undefined));
  if (vias.includes(undefined)) return 'H9280';
  const isCount = (value: unknown, least: number): value is number =>
    Number.isInteger(value) && (value as number) >= least;
  if (!isCount(numF, 1) || !isCount(maxChg, -1)) return 'R0002';
  if (typeof getTariff !== 'boolean' || typeof outFrwd !== 'boolean') return 'R0002';
  if (typeof getPasslist !== 'boolean') return 'R0002';
  const bits = bitsOf(jnyFltrL);
  if (bits === undefined) return 'PARAMETER';
  const turn = ctxScr === undefined ? turnAt(req, outFrwd) : readContext(ctxScr);
  if (typeof turn === 'string') return turn;
  const ends = { origin, destination };
  if ('pair' in turn && turn.pair !== pairOf(ends)) return 'H9320';
  return {
    ...ends,
    atMs: turn.atMs,
    direction: turn.direction,
    by: turn.by,
    skip: turn.skip,
    limit: numF,
    fares: getTariff,
    stops: getPasslist,
    isPage: ctxScr !== undefined,
    accepts({ connection, ...train }) {
      const runs = connection ?? [train];
      return (
        (maxChg === -1 || runs.length - 1 <= maxChg) &&
        runs.every((run) => (bits & productBitOf(run)) !== 0) &&
        vias.every((via) => connection?.[0].destination === via)
      );
    },
  };
}

const uicByIbnr: ReadonlyMap<string, string> = new Map(
  europeanStations.flatMap(({ ibnr, uic }) => (ibnr === undefined ? [] : [[ibnr, uic]])),
);

/** Returns the UIC code of the one station in a list of locations. */
function stationIn(list: unknown): string | undefined {
  if (!Array.isArray(list) || list.length !== 1 || !isRecord(list[0])) return undefined;
  const { type, lid } = list[0];
  if (type !== 'S' || typeof lid !== 'string' || !lid.startsWith('A=1@')) return undefined;
  const code = lid
    .split('@')
    .find((part) => part.startsWith('L='))
    ?.slice(2);
  return code === undefined ? undefined : uicByIbnr.get(code);
}

/** Returns the products that the filters let through. */
function bitsOf(filters: unknown): number | undefined {
  if (!Array.isArray(filters)) return undefined;
  let bits = 2 ** 31 - 1;
  for (const filter of filters) {
    if (!isRecord(filter) || filter['type'] !== 'PROD' || filter['mode'] !== 'INC')
      return undefined;
    if (typeof filter['value'] !== 'string' || !/^\d{1,9}$/.test(filter['value'])) return undefined;
    bits &= Number(filter['value']);
  }
  return bits;
}

type PageTurn = Required<Omit<Turn, 'origin' | 'destination'>>;

/** Reads date and time on the clocks of the server. */
function turnAt({ outDate, outTime }: Fields, outFrwd: boolean): PageTurn | string {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(String(outDate)) ?? [];
  const [, hours, minutes] = /^([01]\d|2[0-3])([0-5]\d)[0-5]\d$/.exec(String(outTime)) ?? [];
  const date = `${year}-${month}-${day}`;
  if (!isCalendarDate(date) || hours === undefined) return 'H9360';
  const minute = Number(hours) * 60 + Number(minutes);
  const days = localDay(date, hafasZone);
  // A minute that the clocks skip is the one an hour later.
  const atMs = days.msAt(minute) ?? days.msAt(minute + 60) ?? Number.NaN;
  return outFrwd
    ? { atMs, direction: 'later', by: 'departure', skip: 0 }
    : { atMs, direction: 'earlier', by: 'arrival', skip: 0 };
}

function pairOf({ origin, destination }: Pick<Turn, 'origin' | 'destination'>): string {
  return `${findStation(origin)?.ibnr}#${findStation(destination)?.ibnr}`;
}

function writeContext(query: Search, { atMs, direction, by, skip }: PageTurn): string {
  const way = direction === 'earlier' ? 'OB' : 'OF';
  const end = by === 'arrival' ? `A${skip}` : 'D';
  return `1|${way}|MT#${pairOf(query)}#${atMs}|${end}`;
}

function readContext(context: unknown): (PageTurn & { readonly pair: string }) | string {
  const [, way, pair, ms, arrivals] =
    /^1\|O([BF])\|MT#(\d+#\d+)#(\d{1,15})\|(?:A(\d{1,3})|D)$/.exec(String(context)) ?? [];
  if (pair === undefined) return 'H9320';
  return {
    pair,
    atMs: Number(ms),
    direction: way === 'B' ? 'earlier' : 'later',
    by: arrivals === undefined ? 'departure' : 'arrival',
    skip: Number(arrivals ?? 0),
  };
}

interface Style {
  readonly fault: string | undefined;
  readonly isLocal: boolean;
}

function search(context: WireContext, query: Search, { fault, isLocal }: Style): Answer {
  const { by, isPage, direction } = query;
  const isRepeated = fault === 'pages-overlap' && isPage;
  const stepMs = direction === 'later' ? -1 : 1;
  // The page before ended in the minute beside this instant.
  const atMs = isRepeated ? query.atMs + stepMs * 60_000 : query.atMs;
  const limit = context.pageSize(query.limit) + (isRepeated ? 1 : 0);
  const finding = context.findAround({ ...query, atMs, limit, skip: isRepeated ? 0 : query.skip });
  if (finding.kind === 'not-served') return jsonAnswer(hafasService('H891'));
  if (finding.kind === 'date-not-on-sale') return jsonAnswer(hafasService('H9360'));
  if (finding.trains.length === 0) return jsonAnswer(hafasService('H890'));
  const times = finding.trains.map((train) =>
    by === 'departure' ? train.departureMs : train.arrivalMs,
  );
  const beside = turnsBeside(query, times);
  return jsonAnswer(
    encodeHafas(finding.trains, {
      seller: context.carrier,
      fares: query.fares,
      stops: query.stops,
      offsets: !isLocal,
      walks: fault === 'walks' ? usualWalks : undefined,
      nearby: fault === 'nearby',
      fault,
      earlier: writeContext(query, beside.earlier),
      later: writeContext(query, beside.later),
    }),
  );
}

/** Returns where the pages before and after one are, given when its journeys leave or arrive. */
function turnsBeside(
  { by, direction, atMs, skip }: PageTurn,
  times: readonly number[],
): Readonly<Record<'earlier' | 'later', PageTurn>> {
  const [least, most] = [Math.min(...times), Math.max(...times)];
  /** No two trains leave in one minute. Several may arrive in the last minute of a page: the next page begins there, after the trains of this page. */
  const onFrom = (ms: number): PageTurn => {
    const had = times.filter((time) => time === ms).length + (ms === atMs ? skip : 0);
    return { by, direction, atMs: ms, skip: had };
  };
  const isArrival = by === 'arrival';
  const earlier: PageTurn =
    isArrival && direction === 'earlier'
      ? onFrom(least)
      : { by, direction: 'earlier', atMs: least - (isArrival ? 60_000 : 0), skip: 0 };
  const later: PageTurn =
    isArrival && direction === 'later'
      ? onFrom(most)
      : { by, direction: 'later', atMs: most + 60_000, skip: 0 };
  return { earlier, later };
}

function readJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
