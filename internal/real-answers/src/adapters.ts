import {
  createHafas,
  createNavitia,
  createOjp,
  createOsdm,
  createOuigo,
  createRenfe,
} from '@ticketing/carriers';
import type { Carrier, CarrierAnswer, CarrierQuery } from '@ticketing/core';
import type { StationBook } from '@ticketing/stations';
import type { Capture, WireName } from './captures.ts';
import { hafasRows } from './wires/hafas.ts';
import { navitiaRows } from './wires/navitia.ts';
import { ojpRows } from './wires/ojp.ts';
import { osdmRows } from './wires/osdm.ts';
import { ouigoRows } from './wires/ouigo.ts';
import { renfeRows } from './wires/renfe.ts';
import type { Row } from './wires/stated.ts';

/** An adapter that no server stands behind. */
interface Adapter {
  readonly carrier: Carrier<never>;
  /** Returns what `request` of the adapter would have returned for one answer. */
  wireOf(body: Uint8Array<ArrayBuffer>, query: CarrierQuery): unknown;
  /** The journeys of an answer one by one; `undefined` for one that cannot be taken apart. */
  readonly rowsOf: (
    body: Uint8Array<ArrayBuffer>,
    passengers: number,
  ) => readonly Row[] | undefined;
}

const baseUrl = 'http://127.0.0.1:1';
const now = (): number => 0;
/** Bounds that exclude no time: all journeys of the answer count. */
const [LONG_AGO, LATER] = [0, Date.UTC(2200, 0)];

const PROFILE = {
  path: '/mgate.exe',
  zone: 'Europe/Berlin',
  version: '1.45',
  client: { type: 'WEB', id: 'CAPTURE' },
  auth: { type: 'AID', aid: 'none' },
  products: {
    1: 'train',
    2: 'train',
    4: 'train',
    8: 'train',
    16: 'train',
    32: 'bus',
    128: 'metro',
  },
  currency: 'EUR',
  prices: 'fares',
  stationSystem: 'uic',
};

type Create = (capture: Capture, stations: StationBook) => Adapter;

const ADAPTERS: Readonly<Record<WireName, Create>> = {
  hafas({ query }, stations) {
    const { profile, ...options } = query.options;
    const all = { ...PROFILE, ...(profile as object) };
    const named = { id: 'hafas', name: 'HAFAS', baseUrl, stations, now };
    return {
      carrier: createHafas({ ...named, ...options, profile: all as never }) as Carrier<never>,
      wireOf: (body) => ({
        pages: [{ body, receivedAt: LONG_AGO }],
        ask: { kind: 'earlier', atMs: LATER },
        ended: false,
      }),
      rowsOf: hafasRows,
    };
  },
  navitia({ query }, stations) {
    const named = { id: 'navitia', name: 'Navitia', baseUrl, stations, now };
    const region = { coverage: 'capture', zone: 'Europe/Paris', stopArea: 'stop_area:SNCF:' };
    return {
      carrier: createNavitia({ ...region, ...named, ...query.options }) as Carrier<never>,
      wireOf: (body) => ({
        question: { direction: 'later', by: 'departure', atMs: LONG_AGO },
        answers: [{ status: 200, body }],
        whole: false,
        receivedAt: LONG_AGO,
      }),
      rowsOf: navitiaRows,
    };
  },
  ojp({ query }, stations) {
    const named = { id: 'ojp', name: 'OJP', baseUrl, stations, now, requestor: 'capture' };
    const carrier = createOjp({ zone: 'Europe/Zurich', ...named, ...query.options });
    return {
      carrier: carrier as Carrier<never>,
      wireOf: (body) => ({
        question: { direction: 'later', by: 'departure', atMs: LONG_AGO },
        answers: [{ status: 200, body }],
        whole: false,
      }),
      rowsOf: ojpRows,
    };
  },
  osdm({ query }, stations) {
    const named = { id: 'osdm', name: 'OSDM', baseUrl, stations, now };
    return {
      carrier: createOsdm({ ...named, ...query.options }) as Carrier<never>,
      wireOf: (body) => ({
        pages: [{ ask: { atMs: LONG_AGO, by: 'departure', direction: 'later' }, offers: body }],
        whole: false,
        receivedAt: LONG_AGO,
      }),
      rowsOf: osdmRows,
    };
  },
  ouigo({ query }) {
    const credentials = { username: 'none', password: 'none' };
    return {
      carrier: createOuigo({ baseUrl, credentials, ...query.options }) as Carrier<never>,
      wireOf: (body) => ({ body, receivedAt: LONG_AGO }),
      rowsOf: ouigoRows,
    };
  },
  renfe({ query }) {
    return {
      carrier: createRenfe({ baseUrl, ...query.options }) as Carrier<never>,
      wireOf: (body) => ({ body, receivedAt: LONG_AGO }),
      rowsOf: renfeRows,
    };
  },
};

/** Reads answers as the adapter of a capture's wire does. */
export interface Reader {
  /** @throws CarrierError as `normalise` of the adapter */
  read(body: Uint8Array<ArrayBuffer>): CarrierAnswer;
  rows(): readonly Row[] | undefined;
}

export function readerOf(capture: Capture, stations: StationBook): Reader {
  const { carrier, wireOf, rowsOf } = ADAPTERS[capture.wire](capture, stations);
  const { origin, destination, date, passengers } = capture.query;
  const query: CarrierQuery = {
    origin: stationOf(stations, origin),
    destination: stationOf(stations, destination),
    date,
    passengers: Array.from({ length: passengers }, () => ({})),
  };
  return {
    read: (body) => carrier.normalise(wireOf(body, query) as never, query),
    rows: () => rowsOf(capture.body, passengers),
  };
}

function stationOf(stations: StationBook, named: string): CarrierQuery['origin'] {
  const [, system = '', code = ''] = /^(\w+):(.*)$/.exec(named) ?? [];
  const found = stations.byCode(system, code);
  if (found !== undefined) return found;
  return { id: named, name: code, zone: 'UTC', codes: { [system]: code } } as never;
}
