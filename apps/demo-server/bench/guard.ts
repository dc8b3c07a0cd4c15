// A carrier that hangs, fails, asks for pauses or is slow, with and without the guard: requests that reach it, times of searches, and
// complete answers. Writes the tables into docs/measurements/guard.md. `--quick` only prints them.
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { benchFlags, circumstances, median, percent, report, table } from '@ticketing/bench-kit';
import { BARE_FLAGS, samplesOf } from './demo-bench.ts';
import { changePlan, type DemoServer, startServer } from './demo-process.ts';
import { startSimulator } from './simulator.ts';

const flags = benchFlags({ rounds: 3, seconds: 12 }, { quickLengths: { rounds: 1, seconds: 5 } });
const PATH = '/search?origin=Atocha&destination=Barcelona';
const CARRIERS = ['renfe', 'ouigo', 'avlo'] as const;
/** The carrier that is in trouble: each question to it is one request. */
const ILL = 'ouigo';
const PER_SECOND = 50;
const DEADLINE_MS = 2000;
/** In which percentiles of latency become known. */
const WARM_SECONDS = 4;
const MOST_WARM_SECONDS = 30;
/** After the trouble: longer than a circuit stays open that a trouble of 12 s has opened. */
const AFTER_SECONDS = Math.ceil(1.25 * flags.seconds);
/** From here on a circuit is open: ten calls have failed, at the deadline at the latest. */
const OPENS_MS = DEADLINE_MS + 1000;
const HEALTHY = { latency: { kind: 'fixed', ms: 40 }, fault: null };

interface Case {
  readonly name: string;
  /** Change of the carrier's plan. */
  readonly trouble: object;
  readonly argv: readonly string[];
}

const withGuard = ['--guard', 'on'];
const withoutGuard = ['--guard', 'off'];
const hangs = { fault: { kind: 'hang', share: 1 } };
const fails = { fault: { kind: 'error', share: 1 } };
const pauses = { fault: { kind: 'rate-limited', share: 1, retryAfterSeconds: 5 } };
const troubles: readonly Case[] = [
  { name: 'none', trouble: HEALTHY, argv: withGuard },
  { name: 'hangs, `--guard off`', trouble: hangs, argv: withoutGuard },
  { name: 'hangs', trouble: hangs, argv: withGuard },
  { name: 'fails, `--guard off`', trouble: fails, argv: withoutGuard },
  { name: 'fails', trouble: fails, argv: withGuard },
  { name: '429, 5 s, `--guard off`', trouble: pauses, argv: withoutGuard },
  { name: '429, 5 s', trouble: pauses, argv: withGuard },
];
const slow = { latency: { kind: 'lognormal', p50Ms: 40, p99Ms: 400 } };
const slowness: readonly Case[] = [
  { name: '`--guard off`', trouble: slow, argv: withoutGuard },
  { name: '`--guard on`', trouble: slow, argv: withGuard },
  { name: '`--hedge ouigo`', trouble: slow, argv: [...withGuard, '--hedge', ILL] },
];

/** One answer. */
interface Answer {
  /** Milliseconds from the start of the trouble. */
  readonly at: number;
  readonly ms: number;
  readonly isComplete: boolean;
}

interface Sample {
  /** Requests to the carrier during the trouble, and searches meanwhile. */
  readonly reached: number;
  readonly searches: number;
  readonly p99: number;
  /** Of the searches that began when a circuit would be open. */
  readonly p99Later: number;
  readonly complete: number;
  readonly completeAfter: number;
  /** Seconds from the end of the trouble to the first complete answer. */
  readonly recovered: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

function ask(url: string, startedAt: number): Promise<Answer> {
  const sentAt = performance.now();
  return new Promise((resolve, reject) => {
    request(url, { agent }, async (response) => {
      const body = await text(response);
      const isComplete = body.includes('"complete":true');
      resolve({ at: sentAt - startedAt, ms: performance.now() - sentAt, isComplete });
    })
      .once('error', reject)
      .end();
  });
}

/** Asks so many times a second, however long answers take. Resolves when all have come. */
async function load(url: string, seconds: number): Promise<readonly Answer[]> {
  const startedAt = performance.now();
  const answers: Promise<Answer>[] = [];
  for (let sent = 0; sent < seconds * PER_SECOND; sent++) {
    const dueMs = startedAt + (sent * 1000) / PER_SECOND - performance.now();
    if (dueMs > 0) await sleep(dueMs);
    answers.push(ask(url, startedAt));
  }
  return Promise.all(answers);
}

/** Asks until every answer of a second is complete: connections are open, and code is compiled. */
async function warm(url: string): Promise<void> {
  await load(url + PATH, WARM_SECONDS);
  for (let second = 0; second < MOST_WARM_SECONDS; second++) {
    const answers = await load(url + PATH, 1);
    if (answers.every(({ isComplete }) => isComplete)) return;
  }
  throw new Error('Cannot measure: a server without trouble lacks answers');
}

async function arrivedAt({ carriersUrl }: Pick<DemoServer, 'carriersUrl'>): Promise<number> {
  const counts = (await (await fetch(`${carriersUrl}/requests`)).json()) as Record<
    string,
    { arrived: number }
  >;
  return counts[ILL]?.arrived ?? 0;
}

const simulator = await startSimulator();
const carriers = { carriersUrl: simulator.url };

async function measure({ trouble, argv }: Case): Promise<Sample> {
  for (const carrier of CARRIERS) await changePlan(carriers, carrier, HEALTHY);
  const server = await startServer([
    ...BARE_FLAGS,
    ...['--coalesce', 'off', '--deadline-ms', String(DEADLINE_MS)],
    ...['--carriers', CARRIERS.join(), '--carriers-url', simulator.url, ...argv],
  ]);
  const { url, stop } = server;
  await warm(url);
  const before = await arrivedAt(carriers);
  await changePlan(carriers, ILL, trouble);
  const during = await load(url + PATH, flags.seconds);
  const reached = (await arrivedAt(carriers)) - before;
  await changePlan(carriers, ILL, HEALTHY);
  const after = await load(url + PATH, AFTER_SECONDS);
  await stop();
  return {
    reached,
    searches: during.length,
    p99: p99Of(during),
    p99Later: p99Of(during.filter(({ at }) => at > OPENS_MS)),
    complete: shareOf(during),
    completeAfter: shareOf(after),
    recovered: (after.find(({ isComplete }) => isComplete)?.at ?? Number.NaN) / 1000,
  };
}

function p99Of(answers: readonly Answer[]): number {
  const sorted = answers.map(({ ms }) => ms).toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
}

function shareOf(answers: readonly Answer[]): number {
  return answers.filter(({ isComplete }) => isComplete).length / answers.length;
}

const cases = [...troubles, ...slowness];
const samples = await samplesOf(cases, measure, { rounds: flags.rounds, warmUps: 0 });
agent.destroy();
simulator.close();
const of = (place: number, value: (sample: Sample) => number): number =>
  median((samples[place] ?? []).map(value));
const inMs = (value: number): string => `${value.toFixed(0)} ms`;
/** Writes seconds; none came within the time that was measured. */
function secondsOf(value: number): string {
  return Number.isNaN(value) ? `none in ${AFTER_SECONDS} s` : `${value.toFixed(1)} s`;
}
const made = circumstances('pnpm --filter demo-server bench:guard', flags);
const file = new URL('../../../docs/measurements/guard.md', import.meta.url);
const writes = { quick: flags.quick };

report(
  file,
  [
    ...table([
      [
        'trouble of Ouigo, one of three carriers',
        ...['requests that reach it', 'p99 of searches', `p99 from ${OPENS_MS / 1000} s on`],
        ...['complete answers after it', 'first complete answer after it'],
      ],
      ...troubles.map(({ name }, place) => [
        name,
        of(place, ({ reached }) => reached).toFixed(0),
        inMs(of(place, ({ p99 }) => p99)),
        inMs(of(place, ({ p99Later }) => p99Later)),
        percent(of(place, ({ completeAfter }) => completeAfter)),
        secondsOf(of(place, ({ recovered }) => recovered)),
      ]),
    ]),
    '',
    `${made} A run is ${PER_SECOND} searches per second: ${WARM_SECONDS} s without trouble, ${flags.seconds} s with it, ${AFTER_SECONDS} s after it. \`--guard on\` unless the row has another; carriers of 40 ms, a deadline of ${DEADLINE_MS} ms, \`--coalesce off\`. Load, server and simulator share the cores.`,
  ],
  { ...writes, marks: 'bench' },
);
const first = troubles.length;
report(
  file,
  [
    ...table([
      ['Ouigo with p50 40 ms, p99 400 ms', 'p99 of searches', 'to `off`', 'requests per search'],
      ...slowness.map(({ name }, place) => [
        name,
        inMs(of(first + place, ({ p99 }) => p99)),
        `${(of(first + place, ({ p99 }) => p99) / of(first, ({ p99 }) => p99)).toFixed(2)}x`,
        of(first + place, ({ reached, searches }) => reached / searches).toFixed(3),
      ]),
    ]),
    '',
    'The same runs, with latency that follows a log-normal distribution in place of a fault.',
  ],
  { ...writes, marks: 'slow' },
);
