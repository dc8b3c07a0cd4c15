import { Value } from 'typebox/value';
import { notCoalesced } from '../src/answers/answers-stats.ts';
import type { ProcessStatus } from '../src/figures/process-status.ts';
import { type ServerStats, StatsDocument } from '../src/figures/stats-document.ts';
import { someGuard } from './bare-view.ts';

/** Schemas of `/stats`: what is made of them has 0 for each count, those of later figures too. */
const [Server, Primary] = StatsDocument.properties.processes.items.anyOf;
const server = Value.Create(Server);
const primary = Value.Create(Primary);
const buckets = { leMs: [5, 10], counts: [1, 2, 3], sumMs: 40 };

const coalescer = (name: string) => ({
  ...Value.Create(Server.properties.coalesce),
  name,
  led: 2,
  joined: 3,
  hits: 5,
});
const worker = (slot: number, more: Partial<ServerStats['dispatch']['workers'][number]> = {}) => ({
  workerId: slot + 1,
  slot,
  state: 'ready' as const,
  pid: 100 + slot,
  ageMs: 1000,
  window: 4,
  inFlight: 1,
  done: 2,
  ...more,
});
const pool = (kind: string, more: Partial<ServerStats['dispatch']> = {}) => ({
  ...server.dispatch,
  kind,
  buckets: { wait: buckets, run: buckets, transport: buckets },
  workers: [worker(0), worker(1, { state: 'starting' })],
  ...more,
});

const process = { ...server.process, cpuMs: 1500.12345 };
const search = {
  ...server.search,
  carriers: { renfe: { ...noEnds(), ok: 1 } },
  latency: { renfe: { ok: buckets } },
};
const http = { renfe: { inFlight: 0, sent: 1, retried: 0, refused: 0 } };

const guards = {
  renfe: { ...someGuard, circuit: 'open' as const, openMs: 4000, refusedByRate: 2 },
};

function noEnds() {
  const [ends] = Object.values(Server.properties.search.properties.carriers.patternProperties);
  return Value.Create(ends as NonNullable<typeof ends>);
}

const fleet = {
  ...Value.Create(Server.properties.hosts),
  fleet: 'demo',
  refused: { protocol: 1 },
  lost: { silence: 2 },
  hosts: ['one.aaaaaaaa', 'one.bbbbbbbb', 'far.cccccccc'].map((host) => ({
    host,
    capacity: 8,
    state: 'serving' as const,
  })),
};
const keys = {
  ...Value.Create(Server.properties.keys),
  own: 3,
  others: 4,
  coalesce: coalescer('search'),
  hosts: fleet,
};
const parts = {
  process,
  search,
  http,
  guards,
  coalesce: coalescer('search'),
  dispatch: pool('fork'),
  routes: [{ method: 'GET', route: '/search', status: 200, latency: buckets }],
  streams: { asked: 5, joined: 2, inFlight: 1 },
  worms: { ...server.worms, driver: {} },
};

/** A session with a host, which reports of itself. */
const session = (at: number, host: string, rttMs: number) =>
  worker(at, {
    report: { host, rttMs, credit: 8 - at },
    moduleReport: { ...notCoalesced, name: 'one', pid: 50 + at, ageMs: 9, http, process, search },
  });
const slot = (pid: number, open: number) => {
  const state = 'ready' as const;
  return { slot: '0', pid, state, open, queued: 1, handedOver: 5 };
};
const row = (id: string, pid: number) => ({ id, pid, state: 'ready' as const, ageMs: 10.98765 });

/** A server with everything that has figures. */
export const someStatuses: readonly ProcessStatus[] = [
  {
    ...row('primary', 1),
    role: 'primary',
    stats: {
      ...primary,
      process,
      keys,
      coalesce: coalescer('search'),
      cluster: { ...primary.cluster, dispatcher: pool('cluster') },
      router: {
        ...Value.Create(Primary.properties.router),
        handedOver: 4,
        claimMs: buckets,
        workers: [slot(10, 3), slot(11, 4)],
      },
    },
  },
  { ...row('server-0', 10), role: 'server', stats: { ...server, ...parts } },
  {
    ...row('server-1', 11),
    role: 'server',
    stats: {
      ...server,
      ...parts,
      hosts: fleet,
      dispatch: pool('nats', {
        workers: [session(0, 'one.aaaaaaaa', 2.34567), session(1, 'one.bbbbbbbb', 1)],
        fallback: { inFlight: 1, ran: 2, refused: 3 },
      }),
      shared: { ...Value.Create(Server.properties.shared), loads: { search: loads() } },
    },
  },
  { ...row('server-2', 12), role: 'server', state: 'silent' },
];

function loads() {
  const [Loads] = Object.values(Server.properties.shared.properties.loads.patternProperties);
  return { ...Value.Create(Loads as NonNullable<typeof Loads>), led: 2, local: 3 };
}
