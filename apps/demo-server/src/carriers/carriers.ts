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
  type HafasProfile,
  stationTable,
} from '@ticketing/carriers';
import type { Carrier, CarrierAnswer, CarrierQuery } from '@ticketing/core';
import type { TaskContext } from '@ticketing/dispatch';
import { createGtfsCarrier } from '@ticketing/gtfs';
import { type CarrierGuards, createCarrierGuards } from '../guard/carrier-guards.ts';
import type { GuardSettings } from '../guard/guard-settings.ts';
import type { KeepSettings } from '../kept/keep-settings.ts';
import { createKeptAnswers, type KeptAnswers } from '../kept/kept-answers.ts';
import { openRates, type RatesFile } from '../rates/rates-file.ts';
import { type CarrierMark, carrierMarks } from './carrier-marks.ts';
import { timetableLoader, uicCode } from './timetable.ts';

/** Settings of the carriers, in this process or in a worker. */
export interface CarrierSettings {
  /** Base URL; each carrier answers below `/<carrier>`. */
  readonly carriersUrl: string;
  readonly ouigo: { readonly username: string; readonly password: string };
  /** Absent: no answer is kept. */
  readonly keep?: KeepSettings | undefined;
  /** Milliseconds for a load in the background. Default 2,000. */
  readonly deadlineMs?: number | undefined;
  /** Absent: no carrier is guarded, and its HTTP sends a request again that failed on the way. */
  readonly guard?: GuardSettings | undefined;
  /** Path of a GTFS zip. Absent: the carrier has the trains of the simulator. */
  readonly gtfsFile?: string | undefined;
  /** Path of a file of exchange rates. Absent: no price is converted. */
  readonly ratesFile?: string | undefined;
}

/** The simulator takes any. */
const authorization = () => ({ authorization: 'Bearer demo' });

/** Profile that the simulator expects. */
const hafasProfile: HafasProfile = {
  path: '/bin/mgate.exe',
  version: '1.45',
  zone: 'Europe/Vienna',
  lang: 'de',
  client: { type: 'WEB', id: 'SIM', name: 'sim', v: '1' },
  auth: { type: 'AID', aid: 'simulated' },
  checksum: { kind: 'mic-mac', salt: Buffer.from('simulated salt').toString('hex') },
  products: { 1: 'train', 2: 'train', 32: 'bus' },
  prices: 'fares',
  currency: 'EUR',
  stationSystem: 'ibnr',
};

interface CarrierKind {
  /** Name as travellers read it. */
  readonly title: string;
  /** Way of asking, shown after the name: the reason why a search takes longer than one call. ASCII, for headers. */
  readonly calls: string;
  readonly mark: CarrierMark;
  /** True if a question is a session of several calls: to ask it twice costs twice as many. */
  readonly isSession?: true;
  /** True if the carrier answers in this process: no server is behind it. */
  readonly isLocal?: true;
  /** Creates the carrier. `baseUrl`: its own; `gtfsFile`: path of a timetable; `now`: epoch ms. */
  create(wire: {
    baseUrl: string;
    ouigo: CarrierSettings['ouigo'];
    gtfsFile: string | undefined;
    now: () => number;
  }): Carrier;
}

const BY_HOURS = 'makes one call from a time on, up to four for a day';

/** Every carrier that the server can ask. */
const kinds = {
  renfe: {
    title: 'Renfe',
    calls: 'makes four calls, one after the other',
    mark: carrierMarks.renfe,
    isSession: true,
    create: ({ baseUrl }) => createRenfe({ baseUrl, calendarUrl: baseUrl }),
  },
  ouigo: {
    title: 'Ouigo',
    calls: 'makes one call, and one before it to log in when its token has run out',
    mark: carrierMarks.ouigo,
    create: ({ baseUrl, ouigo, now }) => createOuigo({ baseUrl, credentials: ouigo, now }),
  },
  avlo: {
    title: 'Avlo',
    calls: 'makes one call for each UTC day of the date, all at once',
    mark: carrierMarks.avlo,
    create: ({ baseUrl }) => createAvlo({ baseUrl }),
  },
  osdm: {
    title: 'OSDM',
    calls: BY_HOURS,
    mark: carrierMarks.osdm,
    create: ({ baseUrl, now }) =>
      createOsdm({ id: 'osdm', name: 'OSDM', baseUrl, now, headers: authorization }),
  },
  hafas: {
    title: 'HAFAS',
    calls: BY_HOURS,
    mark: carrierMarks.hafas,
    create: ({ baseUrl, now }) =>
      createHafas({ id: 'hafas', name: 'HAFAS', baseUrl, now, profile: hafasProfile }),
  },
  ojp: {
    title: 'OJP',
    calls: BY_HOURS,
    mark: carrierMarks.ojp,
    create: ({ baseUrl, now }) =>
      createOjp({
        id: 'ojp',
        name: 'OJP',
        requestor: 'demo',
        zone: 'Europe/Zurich',
        baseUrl,
        now,
        headers: authorization,
      }),
  },
  navitia: {
    title: 'Navitia',
    calls: BY_HOURS,
    mark: carrierMarks.navitia,
    create: ({ baseUrl, now }) =>
      createNavitia({
        id: 'navitia',
        name: 'Navitia',
        coverage: 'simulated',
        zone: 'Europe/Paris',
        stopArea: 'stop_area:SIM:',
        baseUrl: `${baseUrl}/v1`,
        now,
        headers: authorization,
      }),
  },
  gtfs: {
    title: 'GTFS',
    calls: 'makes no call: it reads a timetable once',
    mark: carrierMarks.gtfs,
    isLocal: true,
    create: ({ now, gtfsFile }) =>
      createGtfsCarrier({
        id: 'gtfs',
        name: 'GTFS',
        feed: timetableLoader(now, gtfsFile),
        stations: stationTable,
        codeOf: uicCode,
      }),
  },
} satisfies Record<string, CarrierKind>;

export type CarrierName = keyof typeof kinds;
export const CARRIER_NAMES = Object.keys(kinds) as readonly CarrierName[];

/** Facts of each carrier. */
export const carrierKinds: Readonly<
  Record<CarrierName, Pick<CarrierKind, 'title' | 'calls' | 'mark' | 'isSession' | 'isLocal'>>
> = kinds;

/** Carriers with a server, which the embedded simulator plays. */
export const UPSTREAM_NAMES: readonly CarrierName[] = CARRIER_NAMES.filter(
  (name) => !carrierKinds[name].isLocal,
);

/** Answers of OJP have a few megabytes. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** The carriers, the connections to them, and what bounds how they are asked. */
export interface Carriers {
  readonly settings: CarrierSettings;
  readonly byName: Readonly<Record<CarrierName, Carrier>>;
  readonly http: CarrierHttpPools;
  /** Answers that this process keeps. */
  readonly kept: KeptAnswers;
  readonly guards: CarrierGuards;
  /** Exchange rates by which prices are converted. */
  readonly rates: RatesFile;
  close(): Promise<void>;
}

/** Creates every carrier, and opens no connection. `now`: epoch ms. */
export function createCarriers(settings: CarrierSettings, now: () => number): Carriers {
  const { carriersUrl, ouigo, guard, keep, gtfsFile, ratesFile, deadlineMs = 2000 } = settings;
  const made = CARRIER_NAMES.map((name) => {
    const baseUrl = `${carriersUrl}/${name}`;
    return [name, kinds[name].create({ baseUrl, ouigo, gtfsFile, now })];
  });
  const kept = createKeptAnswers({ keep, deadlineMs, now });
  const guards = createCarrierGuards({ settings: guard, now });
  const http = createCarrierHttp({
    now,
    maxBodyBytes: MAX_BODY_BYTES,
    // Guards retry: to retry here too would multiply the requests.
    ...(guard !== undefined && { retries: 0 }),
  });
  return {
    settings,
    byName: Object.fromEntries(made) as Record<CarrierName, Carrier>,
    http,
    kept,
    guards,
    rates: openRates(ratesFile, now),
    async close() {
      await kept.close();
      await guards.close();
      await http.close();
    },
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

/** Tasks of a dispatcher: all of a carrier's work, or the half without sockets. A type, because tasks are indexed. */
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
