// What counting the answers costs: `/compute` with the hook and without, interleaved; writes the table into docs/measurements.
// `--quick` only prints it.
import { benchFlags, median, medianRatio, startPipelinedLoad } from '@ticketing/bench-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createCarriers } from '../src/carriers/carriers.ts';
import { buildServer } from '../src/compose/build-server.ts';
import { compose, type Parts } from '../src/compose/compose.ts';
import { carrierSettings } from '../src/flags/carrier-settings.ts';
import { readFlags } from '../src/flags/read-flags.ts';
import { createDurationCounts } from '../src/http/duration-counts.ts';
import { noTelemetry } from '../src/telemetry/telemetry.ts';
import { prepareWorms } from '../src/worms/worm-databases.ts';
import { BARE_FLAGS, reportDemo, samplesOf } from './demo-bench.ts';

const flags = benchFlags({ rounds: 250 }, { quickLengths: { rounds: 20 } });
const REQUESTS = 1000;
const PATH = '/compute';
const ANSWERS = 5_000_000;

const { flags: settings } = readFlags(BARE_FLAGS, {});
const worms = await prepareWorms(settings, {
  count: 0,
  onFilled: () => {},
  signal: new AbortController().signal,
});
const carriersUrl = 'http://127.0.0.1:9';
const carriers = createCarriers(carrierSettings(settings, carriersUrl), Date.now);
const parts = await compose(settings, {
  ...{ carriers, now: Date.now, worms: worms.location },
  telemetry: noTelemetry,
});

const counts = createDurationCounts();
const nothing: Pick<Parts['durations'], 'count'> = { count: () => {} };
const contenders = [
  { name: 'without', durations: nothing },
  { name: 'with', durations: counts },
];

// One server for both: two of them in a process differ by up to 2.5 % although they do the same.
let counting = nothing;
const app = await buildServer({
  flags: settings,
  carriersUrl,
  parts: {
    ...parts,
    durations: { ...counts, count: (request, reply) => counting.count(request, reply) },
  },
  startedAt: Date.now(),
  draining: () => false,
  processes: async () => [],
  operator: {
    view: () => Promise.reject(new Error('not looked at')),
    next: async () => undefined,
    history: async () => ({ at: [], lines: {} }),
    control: () => Promise.reject(new Error('not controlled')),
  },
  tls: undefined,
});
const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);

const load = startPipelinedLoad();

/** Requests per second, and microseconds of this thread's CPU for each: the load runs in another process. */
async function measure(): Promise<{ perSecond: number; cpuUs: number }> {
  globalThis.gc?.();
  const [start, before] = [performance.now(), process.threadCpuUsage()];
  await load.send({ port, path: PATH, requests: REQUESTS });
  const { user, system } = process.threadCpuUsage(before);
  return {
    perSecond: (1000 * REQUESTS) / (performance.now() - start),
    cpuUs: (user + system) / REQUESTS,
  };
}

const samples = await samplesOf(
  contenders,
  ({ durations }) => {
    counting = durations;
    return measure();
  },
  { rounds: flags.rounds, warmUps: 20 },
);
const rates = samples.map((own) => own.map(({ perSecond }) => perSecond));
const costs = samples.map((own) => own.map(({ cpuUs }) => cpuUs));
const counted = counts.rows().flatMap(({ latency }) => latency.counts);
if (counted.reduce((all, one) => all + one, 0) === 0) {
  throw new Error('Cannot measure: nothing was counted');
}
load.close();
await app.close();
await parts.close();
await worms.close();

const [baseRates = []] = rates;
const [baseCosts = []] = costs;
const percent = (ratio: number): string => `${(100 * (ratio - 1)).toFixed(1)} %`;
const rows = contenders.map(({ name }, place) => [
  name,
  `${median(rates[place] ?? []).toFixed(0)}/s`,
  place === 0 ? '' : percent(medianRatio(rates[place] ?? [], baseRates)),
  `${median(costs[place] ?? []).toFixed(2)} µs`,
  place === 0 ? '' : percent(medianRatio(costs[place] ?? [], baseCosts)),
]);

reportDemo(flags, {
  ...{ script: 'bench:metrics', marks: 'metrics' },
  rows: [['', 'requests', 'more', 'CPU per request', 'more'], ...rows],
  before: `To count one answer takes ${timeOfCount().toFixed(0)} ns (a loop over ${ANSWERS / 1e6} million).`,
  after: `A round is ${REQUESTS} pipelined requests to each, from another process.`,
});

/** Nanoseconds that it takes to count an answer, without Fastify. */
function timeOfCount(): number {
  const own = createDurationCounts();
  const route: { method: string; url: string; config?: object } = { method: 'GET', url: '/' };
  own.watch({ addHook: (_: string, hook: (given: object) => void) => hook(route) } as never);
  const request = { method: 'GET', routeConfig: route.config } as FastifyRequest;
  const reply = { statusCode: 200, elapsedTime: 0.3 };
  const start = performance.now();
  for (let at = 0; at < ANSWERS; at += 1) {
    reply.elapsedTime = at % 4;
    own.count(request, reply as FastifyReply);
  }
  return ((performance.now() - start) * 1e6) / ANSWERS;
}
