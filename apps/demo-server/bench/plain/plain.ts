// The demo beside the same search written plainly: processor time, memory, overload, a carrier that hangs, clients that leave. Writes the
// table into docs/measurements; `--quick` only prints it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  benchFlags,
  interleaved,
  median,
  medianRatio,
  startPipelinedLoad,
  times,
} from '@ticketing/bench-kit';
import { BARE_FLAGS, reportDemo } from '../demo-bench.ts';
import { changePlan, startServer } from '../demo-process.ts';
import { cpuMsOf } from '../pages/process-cpu.ts';
import { ASKED, startSimulator } from '../simulator.ts';
import { arrivedAfterLeaving, askMany, askThenLeave, questionsOf } from './plain-load.ts';

const flags = benchFlags({ rounds: 5, seconds: 10 }, { quickLengths: { rounds: 1, seconds: 3 } });
const DEADLINE_MS = 2000;
const CLIENTS = 512;
const SEARCHES = 480;
const IN_FLIGHT = 8;
const LEAVERS = 200;
const SLOW = { latency: { kind: 'fixed', ms: 100 }, fault: null };
const FAST = { latency: { kind: 'fixed', ms: 0 }, fault: null };
const HANGS = { fault: { kind: 'hang', share: 1 } };

interface Server {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

async function startPlain(carriersUrl: string): Promise<Server> {
  const program = fileURLToPath(new URL('plain-service.ts', import.meta.url));
  const argv = ['--conditions=@ticketing/source', program, carriersUrl, String(DEADLINE_MS)];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill());
  const [line] = await once(child.stdout, 'data');
  return {
    ...{ name: 'written plainly', url: String(line).trim(), pid: child.pid ?? 0 },
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

async function startDemo(carriersUrl: string): Promise<Server> {
  const bounded = BARE_FLAGS.filter((flag, place) => {
    const isBound = flag === '--max-in-flight' || BARE_FLAGS[place - 1] === '--max-in-flight';
    return !isBound;
  });
  const { url, pid, stop } = await startServer(
    [
      ...[...bounded, '--deadline-ms', String(DEADLINE_MS)],
      ...['--carriers', ASKED.join(), '--carriers-url', carriersUrl],
    ],
    { isBuilt: true },
  );
  return { name: 'the demo', url, pid: pid ?? 0, stop };
}

const simulator = await startSimulator();
const carriers = { carriersUrl: simulator.url };
const planAll = async (plan: object): Promise<void> => {
  for (const carrier of ASKED) await changePlan(carriers, carrier, plan);
};
const servers = [await startPlain(simulator.url), await startDemo(simulator.url)];
const questions = questionsOf();

// Equal answers first.
const found = await Promise.all(
  servers.map(async ({ url }) => {
    const { journeys } = (await (await fetch(url + (questions[0] ?? ''))).json()) as {
      journeys: { id: string }[];
    };
    return journeys.map(({ id }) => id);
  }),
);
assert.ok((found[0]?.length ?? 0) > 5);
assert.deepEqual(found[1], found[0]);

/** What is measured of a server in one round. */
interface Sample {
  readonly searchMs: number;
  readonly joinedUs: number;
  readonly memoryMb: number;
  readonly perSecond: number;
  readonly goodAtOverload: number;
  readonly p99AtOverload: number;
  readonly p99Hanging: number;
  readonly lateCalls: number;
}

const searches = { paths: questions.slice(0, SEARCHES), inFlight: IN_FLIGHT };
await planAll(FAST);
const rates: number[] = [];
for (const { url } of servers) {
  // The second time it is warm.
  await askMany(url, searches);
  rates.push((await askMany(url, searches)).perSecond);
}
/** Both get the same: four times what the slower one can do. */
const overloadPerSecond = 4 * Math.min(...rates);

async function measure({ url, pid }: Server): Promise<Sample> {
  await planAll(FAST);
  const before = cpuMsOf(pid);
  const closed = await askMany(url, searches);
  const searchMs = (cpuMsOf(pid) - before) / SEARCHES;
  await planAll(SLOW);
  const beforeJoined = cpuMsOf(pid);
  const requests = 4 * CLIENTS;
  // New ones each time: a server closes connections that rest for as long as the other parts of a round take.
  const clients = startPipelinedLoad();
  await clients.send({
    ...{ port: Number(new URL(url).port), path: questions[0] ?? '', requests },
    ...{ headers: { accept: 'application/json' }, connections: CLIENTS, atOnce: 1 },
  });
  clients.close();
  const joinedUs = ((cpuMsOf(pid) - beforeJoined) / requests) * 1000;
  await planAll(FAST);
  const [, kB = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const { seconds } = flags;
  const overload = await askMany(url, {
    ...{ paths: questions, perSecond: overloadPerSecond, seconds, goodMs: DEADLINE_MS },
  });
  await sleep(DEADLINE_MS);
  await changePlan(carriers, 'ouigo', HANGS);
  const hanging = await askMany(url, { paths: questions, perSecond: 20, seconds });
  await planAll(SLOW);
  const left = await arrivedAfterLeaving(carriers.carriersUrl, () =>
    askThenLeave(url, questions.slice(0, LEAVERS), 50),
  );
  await planAll(FAST);
  // A circuit that has opened closes again.
  await sleep(5000);
  await askMany(url, { paths: questions, perSecond: 20, seconds: 3 });
  return {
    ...{ searchMs, joinedUs, memoryMb: Number(kB) / 1024, perSecond: closed.perSecond },
    ...{ goodAtOverload: overload.goodPerSecond, p99AtOverload: overload.p99 },
    ...{ p99Hanging: hanging.p99, lateCalls: left },
  };
}

const samples = servers.map((): Sample[] => []);
for (const { item, place, round } of interleaved(servers, { rounds: flags.rounds, warmUps: 1 })) {
  const sample = await measure(item);
  if (round >= 0) samples[place]?.push(sample);
}
for (const { stop } of servers) await stop();
simulator.close();

const figures: readonly (readonly [title: string, of: (sample: Sample) => number, unit: string])[] =
  [
    ['processor time of a search', ({ searchMs }) => searchMs, 'ms'],
    [`of an answer that ${CLIENTS} clients share`, ({ joinedUs }) => joinedUs, 'µs'],
    ['resident memory', ({ memoryMb }) => memoryMb, 'MB'],
    ['searches per second', ({ perSecond }) => perSecond, ''],
    ['good answers per second under overload', ({ goodAtOverload }) => goodAtOverload, ''],
    ['p99 of answers then', ({ p99AtOverload }) => p99AtOverload, 'ms'],
    ['p99 while a carrier hangs', ({ p99Hanging }) => p99Hanging, 'ms'],
    [`calls for ${LEAVERS} clients that have left`, ({ lateCalls }) => lateCalls, ''],
  ];
const lines = readFileSync(new URL('plain-service.ts', import.meta.url), 'utf8').split('\n').length;
reportDemo(flags, {
  ...{ script: 'bench:plain', marks: 'plain' },
  rows: [
    ['', ...servers.map(({ name }) => name), 'demo / plain'],
    ...figures.map(([title, of, unit]) => {
      const [plain = [], demo = []] = samples.map((some) => some.map(of));
      const text = (some: readonly number[]) => `${median(some).toPrecision(3)} ${unit}`.trim();
      return [title, text(plain), text(demo), times(medianRatio(demo, plain))];
    }),
  ],
  before: `The plain service has ${lines} lines: Fastify, undici, p-limit, dataloader, the adapters and one merge.`,
  after: `A round is ${SEARCHES} searches, ${IN_FLIGHT} at a time, of different questions, and ${flags.seconds} s of each load. The overload is ${Math.round(overloadPerSecond)} searches a second for both, four times what the slower one can do.`,
});
