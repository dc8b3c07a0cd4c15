import { readFileSync } from 'node:fs';
import {
  type CarrierSim,
  type CarrierSimOptions,
  hafasSimProfile,
  startCarrierSim,
} from '@ticketing/carrier-sim';
import {
  type Carrier,
  type CarrierAnswer,
  type CarrierContext,
  CarrierError,
  type CarrierQuery,
  type Station,
} from '@ticketing/core';
import { onTestFinished } from 'vitest';
import {
  type CarrierHttpPools,
  createAvlo,
  createCarrierHttp,
  createHafas,
  createNavitia,
  createOjp,
  createOsdm,
  createOuigo,
  createRenfe,
  type OsdmOptions,
  stationTable,
} from '../src/index.ts';

/** The day on which these tests live. */
const NOW = Date.UTC(2026, 10, 20, 12);
const startedAt = performance.now();
/** A clock that runs, on that day. */
export const now = (): number => NOW + Math.floor(performance.now() - startedAt);
const credentials = { username: 'test', password: 'test' };

const bearer = () => ({ authorization: 'Bearer test' });

/** What tests of pages set. */
export interface AdapterSettings {
  readonly now?: () => number;
  /** Journeys that one request asks for. */
  readonly results?: Readonly<Record<'osdm' | 'hafas' | 'ojp' | 'navitia', number>>;
  readonly maxPages?: number;
  readonly mode?: OsdmOptions['mode'];
}

/** Every adapter by the base URL of its carrier. The tests of all carriers follow from these. */
const adapters = {
  renfe: ({ baseUrl }) => createRenfe({ baseUrl }),
  ouigo: ({ baseUrl, now }) => createOuigo({ baseUrl, credentials, now }),
  avlo: ({ baseUrl }) => createAvlo({ baseUrl }),
  osdm: ({ results, ...settings }) =>
    createOsdm({ id: 'osdm', name: 'Rail', headers: bearer, results: results?.osdm, ...settings }),
  hafas({ results, mode: _, ...settings }) {
    const pageSize = results?.hafas;
    return createHafas({
      ...{ id: 'hafas', name: 'HAFAS', profile: hafasSimProfile, pageSize },
      ...settings,
    });
  },
  ojp({ results, mode: _, ...settings }) {
    const who = { id: 'ojp', name: 'OJP', zone: 'Europe/Zurich', requestor: 'tests' };
    return createOjp({ ...who, headers: bearer, results: results?.ojp, ...settings });
  },
  navitia({ results, mode: _, baseUrl, ...settings }) {
    const who = { id: 'navitia', name: 'Navitia', coverage: 'simulated', zone: 'Europe/Paris' };
    const server = { baseUrl: `${baseUrl}/v1`, stopArea: 'stop_area:SIM:', headers: bearer };
    return createNavitia({ ...who, ...server, results: results?.navitia, ...settings });
  },
} satisfies Record<string, (settings: AdapterSettings & { readonly baseUrl: string }) => Carrier>;

type Id = keyof typeof adapters;

/** Those of the Spanish network; the tests of searches ask them together. */
export const spanishIds = ['renfe', 'ouigo', 'avlo'] as const satisfies readonly Id[];

/** Where each of the others runs. */
const pairs: Partial<Record<Id, readonly [origin: string, destination: string]>> = {
  osdm: ['8503000', '8301700'],
  hafas: ['8101003', '8020347'],
  ojp: ['8503000', '8507000'],
  navitia: ['8768600', '8503000'],
};

/** A query that a carrier answers with trains. */
export function queryFor(id: Id, date?: string): ReturnType<typeof queryOf> {
  const [origin, destination] = pairs[id] ?? [];
  return queryOf(origin, destination, date);
}

export const carrierIds = Object.keys(adapters) as readonly Id[];

export function createCarriers(
  url: string,
  settings: AdapterSettings = {},
): Readonly<Record<Id, Carrier>> {
  const made = carrierIds.map((id) => {
    return [id, adapters[id]({ now, ...settings, baseUrl: `${url}/${id}` })];
  });
  return Object.fromEntries(made) as Record<Id, Carrier>;
}

export interface Upstream {
  readonly sim: CarrierSim;
  readonly http: CarrierHttpPools;
  readonly carriers: ReturnType<typeof createCarriers>;
}

/** Starts a simulator with every adapter on it; all is closed when the test ends. */
export async function startUpstream(options: CarrierSimOptions = {}): Promise<Upstream> {
  const instant = { latency: { kind: 'fixed', ms: 0 } } as const;
  const plan = Object.fromEntries(carrierIds.map((id) => [id, instant]));
  const sim = await startCarrierSim({
    now,
    plan,
    ...options,
  });
  const http = createCarrierHttp({ now });
  onTestFinished(async () => {
    await http.close();
    await sim.close();
  });
  return { sim, http, carriers: createCarriers(sim.url) };
}

export function queryOf(
  origin = '7160000',
  destination = '7171801',
  date = '2026-12-01',
  passengers = 1,
): Omit<CarrierQuery, 'page'> {
  return {
    origin: stationOf(origin),
    destination: stationOf(destination),
    date,
    passengers: Array.from({ length: passengers }, () => ({})),
  };
}

function stationOf(uic: string): Station {
  const station = stationTable.byId(`uic:${uic}`);
  if (!station) throw new Error(`no station ${uic}`);
  return station;
}

/** Both halves in turn, as a search without a dispatcher runs them. */
export async function ask(
  { http }: Pick<Upstream, 'http'>,
  carrier: Carrier,
  query: CarrierQuery = queryOf(),
  context: Partial<CarrierContext> = {},
): Promise<CarrierAnswer> {
  const wire = await carrier.request(query, {
    signal: new AbortController().signal,
    deadline: now() + 5000,
    http: http.clientOf(carrier.id),
    ...context,
  });
  return carrier.normalise(structuredClone(wire), query);
}

/** The CarrierError that a call ends with. */
export async function failureOf(call: () => unknown): Promise<CarrierError> {
  try {
    await call();
  } catch (error) {
    if (CarrierError.is(error)) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

export function fixture(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(new URL(`fixtures/${name}.txt`, import.meta.url)));
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}

/** A provider like that of the other tests, with other options. */
export function rail(baseUrl: string, options: Partial<OsdmOptions> = {}): Carrier {
  const headers = () => ({ authorization: 'Bearer test' });
  return createOsdm({ id: 'osdm', name: 'Rail', baseUrl, headers, now, ...options });
}
