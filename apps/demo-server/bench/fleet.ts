// Three serving hosts, 300 clients, 50 keys: what each --coalesce sends to the carriers, and what the death of a host costs.
// Writes the table into docs/measurements; `--quick` only prints it.
import {
  benchFlags,
  circumstances,
  interleaved,
  median,
  quantile,
  report,
  table,
} from '@ticketing/bench-kit';
import { startCarrierSim } from '@ticketing/carrier-sim';
import { engineProgram, startRedisServer } from '@ticketing/test-kit';
import { COALESCES, type Coalesce } from '../src/flags/flag-specs.ts';
import { startNatsServer } from '../src/nats/nats-server.ts';
import { type DemoServer, startServer } from './demo-process.ts';
import { countLoads, createClients } from './fleet-load.ts';

const flags = benchFlags({ rounds: 3, seconds: 5 }, { quickLengths: { rounds: 1, seconds: 2 } });
const [SERVERS, CLIENTS, KEYS] = [3, 300, 50];
/** In a burst all clients have asked before the first load ends. */
const [CALL_MS, BURST_CALL_MS] = [50, 5000];
const DAY_MS = 86_400_000;

/** Days two apart: see `countLoads`. */
const keys = Array.from({ length: KEYS }, (_, at) =>
  new Date(Date.now() + (7 + 2 * at) * DAY_MS).toISOString().slice(0, 10),
);
const pathOf = (key: string): string => `/search?origin=Atocha&destination=Barcelona&date=${key}`;

const sim = await startCarrierSim({});
const loads = countLoads(Number(new URL(sim.url).port), keys);
const nats = await startNatsServer();
const redis = engineProgram('redis') === undefined ? undefined : await startRedisServer();
const clients = createClients();

/** Flags that a value of `--coalesce` needs; undefined where an engine is missing. */
function flagsOf(mode: Coalesce): readonly string[] | undefined {
  const needed: Readonly<Record<string, readonly string[] | undefined>> = {
    fleet: ['--nats-url', nats.url, '--fleet', `bench-${Math.random().toString(36).slice(2, 8)}`],
    shared: redis && ['--redis-url', redis.url],
  };
  return mode in needed ? needed[mode] : [];
}

const SERVER_FLAGS = [
  ...['--port', '0', '--worms', '0', '--accept', 'cluster', '--workers', '2'],
  ...['--max-in-flight', 'off', '--carriers', 'avlo', '--carriers-url', sim.url],
  ...['--deadline-ms', '30000'],
];

async function startServers(mode: Coalesce): Promise<readonly DemoServer[]> {
  const argv = [...SERVER_FLAGS, '--coalesce', mode, ...(flagsOf(mode) ?? [])];
  const servers: DemoServer[] = [];
  // One after the other: nine processes that start at once may take longer than one of them is given.
  while (servers.length < SERVERS) servers.push(await startServer(argv));
  if (mode === 'fleet') await Promise.all(servers.map(({ url }) => findsAll(url)));
  return servers;
}

/** Resolves when a member of the fleet has found all of them. */
async function findsAll(url: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const answer = await fetch(`${url}/operator/state`, { headers: { connection: 'close' } });
    const { hosts } = (await answer.json()) as { readonly hosts: readonly { state: string }[] };
    if (hosts.filter(({ state }) => state === 'joined').length === SERVERS) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('Cannot measure: the servers do not find each other');
}

interface Run {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
  /** Searches that reached the carriers, for each answered request. */
  readonly upstreamShare: number;
  /** Loads of a key at a time, at most, while all ask. */
  readonly mostAtOnce: number;
  /** Loads of a key when all clients ask at once: the mean, and the most. */
  readonly burstMean: number;
  readonly burstMost: number;
}

/** Each of 300 clients asks at the server of its connection, again and again, for one of 50 keys. */
async function measure(mode: Coalesce): Promise<Run> {
  const servers = await startServers(mode);
  const urlOf = (client: number): string => servers[client % SERVERS]?.url ?? '';
  try {
    await Promise.all(servers.map(({ url }) => clients.ask(url + pathOf(keys[0] ?? ''))));
    sim.setPlan('avlo', { latency: { kind: 'fixed', ms: BURST_CALL_MS } });
    loads.reset();
    await Promise.all(
      Array.from({ length: CLIENTS }, (_, client) => {
        // Six clients have a key, two at each server.
        const key = keys[Math.floor(client / SERVERS) % KEYS] ?? '';
        return clients.ask(urlOf(client) + pathOf(key));
      }),
    );
    const burstMost = Math.max(...loads.perKey.values());
    const burstMean = loads.total() / KEYS;
    sim.setPlan('avlo', { latency: { kind: 'fixed', ms: CALL_MS } });
    loads.reset();
    const times: number[] = [];
    let failed = 0;
    const until = performance.now() + flags.seconds * 1000;
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        while (performance.now() < until) {
          const key = keys[Math.floor(Math.random() * KEYS)] ?? '';
          const { status, ms } = await clients.ask(urlOf(client) + pathOf(key));
          if (status === 200) times.push(ms);
          else failed += 1;
        }
      }),
    );
    times.sort((one, other) => one - other);
    if (mode === 'shared') for (const { url } of servers) unreached += await unreachedAt(url);
    return {
      ...{ perSecond: times.length / flags.seconds, failed, burstMean, burstMost },
      ...{ p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) },
      upstreamShare: loads.total() / times.length,
      mostAtOnce: Math.max(0, ...loads.mostAtOnce.values()),
    };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** Questions whose process did not reach Redis in time, and so loaded for itself. */
let unreached = 0;

async function unreachedAt(url: string): Promise<number> {
  const answer = await fetch(`${url}/stats`, { headers: { connection: 'close' } });
  const { processes } = (await answer.json()) as {
    readonly processes: readonly {
      readonly shared?: { readonly coordinator: { readonly unreached: number } };
    }[];
  };
  return processes.reduce((sum, { shared }) => sum + (shared?.coordinator.unreached ?? 0), 0);
}

interface Death {
  readonly mostLoads: number;
  readonly mean: number;
  readonly failed: number;
  readonly slowestMs: number;
}

/** All ask at once, and one of the servers is killed once every key is being loaded: its clients ask the others again. */
async function measureDeath(): Promise<Death> {
  const servers = await startServers('fleet');
  try {
    await Promise.all(servers.map(({ url }) => clients.ask(url + pathOf(keys[0] ?? ''))));
    sim.setPlan('avlo', { latency: { kind: 'fixed', ms: BURST_CALL_MS } });
    loads.reset();
    const [victim, ...others] = servers;
    const asked = Array.from({ length: CLIENTS }, async (_, client) => {
      const path = pathOf(keys[Math.floor(client / SERVERS) % KEYS] ?? '');
      const startedAt = performance.now();
      let { status } = await clients.ask((servers[client % SERVERS]?.url ?? '') + path);
      for (let tries = 0; status === 0 && tries < 3; tries += 1) {
        ({ status } = await clients.ask((others[client % others.length]?.url ?? '') + path));
      }
      return { status, ms: performance.now() - startedAt };
    });
    while (loads.perKey.size < KEYS) await new Promise((resolve) => setTimeout(resolve, 5));
    await victim?.stop('SIGKILL');
    const answers = await Promise.all(asked);
    return {
      mostLoads: Math.max(...loads.perKey.values()),
      mean: loads.total() / KEYS,
      failed: answers.filter(({ status }) => status !== 200).length,
      slowestMs: Math.max(...answers.map(({ ms }) => ms)),
    };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

const modes = COALESCES.filter((mode) => flagsOf(mode) !== undefined);
const runs = new Map<Coalesce, Run[]>(modes.map((mode) => [mode, []]));
const deaths: Death[] = [];
try {
  for (const { item } of interleaved(modes, { rounds: flags.rounds, warmUps: 0 })) {
    runs.get(item)?.push(await measure(item));
  }
  for (let round = 0; round < flags.rounds; round += 1) deaths.push(await measureDeath());
} finally {
  clients.close();
  loads.close();
  await sim.close();
  await nats.close();
  await redis?.close();
}

const middle = (mode: Coalesce, figure: keyof Run): number =>
  median((runs.get(mode) ?? []).map((run) => run[figure]));
const most = (mode: Coalesce, figure: keyof Run): number =>
  Math.max(...(runs.get(mode) ?? []).map((run) => run[figure]));
const rows = modes.map((mode) => [
  `\`--coalesce ${mode}\``,
  middle(mode, 'perSecond').toFixed(0),
  `${middle(mode, 'p50Ms').toFixed(0)} ms`,
  `${middle(mode, 'p99Ms').toFixed(0)} ms`,
  `${(100 * middle(mode, 'upstreamShare')).toFixed(2)} %`,
  String(most(mode, 'mostAtOnce')),
  `${middle(mode, 'burstMean').toFixed(2)}, ${most(mode, 'burstMost')}`,
  String(most(mode, 'failed')),
]);
report(
  new URL('../../../docs/measurements/demo-server.md', import.meta.url),
  [
    ...table([
      [
        ...['', 'requests/s', 'p50', 'p99', 'searches upstream per request'],
        ...['loads of a key at a time', 'loads per key of a burst: mean, most', 'failed'],
      ],
      ...rows,
    ]),
    '',
    `An owner is killed while every key is being loaded: loads per key ${Math.max(...deaths.map(({ mostLoads }) => mostLoads))} at most, ` +
      `${median(deaths.map(({ mean }) => mean)).toFixed(2)} on average; ${Math.max(...deaths.map(({ failed }) => failed))} clients without an answer, ` +
      `the slowest after ${Math.max(...deaths.map(({ slowestMs }) => slowestMs)).toFixed(0)} ms (a load takes ${BURST_CALL_MS}).`,
    '',
    `With \`shared\`, ${unreached} questions met a process that had not had answers of Redis within 50 ms, and so loaded for itself.`,
    '',
    `${circumstances('pnpm --filter demo-server bench:fleet', flags)} ${SERVERS} servers of two processes each, ${CLIENTS} clients, ${KEYS} keys, ` +
      `carriers of ${CALL_MS} ms per call (${BURST_CALL_MS} in bursts); load, servers, NATS and simulator share the cores.`,
  ],
  { quick: flags.quick, marks: 'fleet' },
);
