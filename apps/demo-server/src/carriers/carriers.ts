import {
  type CarrierHttpPools,
  createAvlo,
  createCarrierHttp,
  createHafas,
  createOjp,
  createOsdm,
  createOuigo,
  createRenfe,
  type HafasProfile,
} from '@ticketing/carriers';
import type { Carrier, CarrierAnswer, CarrierQuery } from '@ticketing/core';
import type { TaskContext } from '@ticketing/dispatch';

/** Settings of the carriers, in this process or in a worker. */
export interface CarrierSettings {
  /** Base URL; each carrier answers below `/<carrier>`. */
  readonly carriersUrl: string;
  readonly ouigo: { readonly username: string; readonly password: string };
}

/** The simulator takes any. */
const authorization = () => ({ authorization: 'Bearer demo' });

/** What the simulator expects. */
const hafasProfile: HafasProfile = {
  ...{ path: '/bin/mgate.exe', version: '1.45', zone: 'Europe/Vienna', lang: 'de' },
  client: { type: 'WEB', id: 'SIM', name: 'sim', v: '1' },
  auth: { type: 'AID', aid: 'simulated' },
  checksum: { kind: 'mic-mac', salt: Buffer.from('simulated salt').toString('hex') },
  products: { 1: 'train', 2: 'train', 32: 'bus' },
  ...{ prices: 'fares', currency: 'EUR', stationSystem: 'ibnr' },
};

/** Every carrier that the server can ask. `now`: epoch ms. */
const carriers = {
  renfe: ({ carriersUrl }) => createRenfe({ baseUrl: `${carriersUrl}/renfe` }),
  ouigo: ({ carriersUrl, ouigo }, now) =>
    createOuigo({ baseUrl: `${carriersUrl}/ouigo`, credentials: ouigo, now }),
  avlo: ({ carriersUrl }) => createAvlo({ baseUrl: `${carriersUrl}/avlo` }),
  osdm: ({ carriersUrl }, now) =>
    createOsdm({
      ...{ id: 'osdm', name: 'OSDM', baseUrl: `${carriersUrl}/osdm`, now },
      headers: authorization,
    }),
  hafas: ({ carriersUrl }, now) =>
    createHafas({
      ...{ id: 'hafas', name: 'HAFAS', baseUrl: `${carriersUrl}/hafas`, now },
      profile: hafasProfile,
    }),
  ojp: ({ carriersUrl }, now) =>
    createOjp({
      ...{ id: 'ojp', name: 'OJP', baseUrl: `${carriersUrl}/ojp` },
      ...{ requestor: 'demo', zone: 'Europe/Zurich', now },
      headers: authorization,
    }),
} satisfies Record<string, (settings: CarrierSettings, now: () => number) => Carrier>;

export type CarrierName = keyof typeof carriers;
/** Names as travellers read them. */
export const carrierTitles: Readonly<Record<CarrierName, string>> = {
  renfe: 'Renfe',
  ouigo: 'Ouigo',
  avlo: 'Avlo',
  osdm: 'OSDM',
  hafas: 'HAFAS',
  ojp: 'OJP',
};
/** How each of them is asked, after its name: why a search takes longer than one call. ASCII, for headers. */
export const carrierCalls: Readonly<Record<CarrierName, string>> = {
  renfe: 'makes four calls, one after the other',
  ouigo: 'makes one call, and one before it to log in when its token has run out',
  avlo: 'makes one call for each UTC day of the date, all at once',
  osdm: 'makes one call from a time on, up to four for a day',
  hafas: 'makes one call from a time on, up to four for a day',
  ojp: 'makes one call from a time on, up to four for a day',
};
export const CARRIER_NAMES = Object.keys(carriers) as readonly CarrierName[];

/** Answers of OJP have a few megabytes. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** The carriers, and the connections to them. */
export interface Carriers {
  readonly settings: CarrierSettings;
  readonly byName: Readonly<Record<CarrierName, Carrier>>;
  readonly http: CarrierHttpPools;
}

/** Creates every carrier, and opens no connection. `now`: epoch ms. */
export function createCarriers(settings: CarrierSettings, now: () => number): Carriers {
  const made = CARRIER_NAMES.map((name) => [name, carriers[name](settings, now)]);
  return {
    settings,
    byName: Object.fromEntries(made) as Record<CarrierName, Carrier>,
    http: createCarrierHttp({ now, maxBodyBytes: MAX_BODY_BYTES }),
  };
}

/** A question to one carrier. */
export interface CarrierQuestion {
  readonly carrier: CarrierName;
  readonly query: CarrierQuery;
  /** Epoch ms; absent for a worker with a clock of its own, which has the deadline of its task. */
  readonly deadline?: number;
}

/** One carrier's bytes, which are to be decoded. */
export interface CarrierBytes extends Omit<CarrierQuestion, 'deadline'> {
  readonly wire: unknown;
}

/** Tasks of a dispatcher: all of a carrier's work, or the half without sockets. A type, since tasks are indexed. */
export type CarrierTasks = {
  askCarrier(question: CarrierQuestion, context: TaskContext): Promise<CarrierAnswer>;
  normalise(bytes: CarrierBytes, context: TaskContext): CarrierAnswer | Promise<CarrierAnswer>;
};

/** Names of the tasks. */
export const CARRIER_TASKS = ['askCarrier', 'normalise'] as const satisfies (keyof CarrierTasks)[];

/** Creates the tasks of these carriers. */
export function carrierTasks({ byName, http }: Carriers): CarrierTasks {
  return {
    async askCarrier({ carrier: name, query, deadline: told }, { signal, deadline: own }) {
      const carrier = byName[name];
      const deadline = told ?? own ?? Number.POSITIVE_INFINITY;
      const wire = await carrier.request(query, { signal, deadline, http: http.clientOf(name) });
      return carrier.normalise(wire, query);
    },
    normalise: ({ carrier, query, wire }) => byName[carrier].normalise(wire, query),
  };
}
