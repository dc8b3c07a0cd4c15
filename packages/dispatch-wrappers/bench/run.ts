// What a second attempt gains where one worker is slow, and where all are; written between the marks of docs/measurements. Some
// two minutes. `--quick` for a look.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  benchFlags,
  circumstances,
  interleaved,
  median,
  percent,
  quantile,
  report,
  table,
  three,
  times,
} from '@ticketing/bench-kit';
import type { Dispatcher, TasksOf } from '@ticketing/dispatch';
import { createForkDispatcher } from '@ticketing/dispatch-fork';
import { type HedgeDispatcher, withHedge } from '../src/index.ts';

type Reads = TasksOf<typeof import('./reads-tasks.ts')>;

const flags = benchFlags({ rounds: 12, seconds: 2 }, { quickLengths: { rounds: 1, seconds: 2 } });
const PER_SECOND = 300;
const READ_MS = 20;
const SLOW_MS = 150;
const AFTER_MS = 40;
const SHARE = 0.05;

interface Trouble {
  readonly name: string;
  readonly stops: boolean;
  /** Milliseconds that a read takes, by its number. */
  msOf(number: number): number;
}

const troubles: readonly Trouble[] = [
  { name: 'no worker is slow', stops: false, msOf: () => READ_MS },
  {
    name: `a worker stops for ${SLOW_MS} ms, twice a second`,
    stops: true,
    msOf: () => READ_MS,
  },
  {
    name: `every 50th read takes ${SLOW_MS} ms, on any worker`,
    stops: false,
    msOf: (number) => (number % 50 === 0 ? SLOW_MS : READ_MS),
  },
];

interface Round {
  readonly times: Float64Array;
  readonly hedged: number;
}

/** Reads at a constant rate, whatever answers take. */
async function load(dispatcher: Dispatcher<Reads>, { msOf }: Trouble): Promise<Float64Array> {
  const total = PER_SECOND * flags.seconds;
  const took = new Float64Array(total);
  const startedAt = performance.now();
  const reads: Promise<void>[] = [];
  const read = async (number: number, dueAt: number): Promise<void> => {
    const ms = msOf(number);
    if ((await dispatcher.run('read', ms, { idempotent: true })) !== ms) throw new Error('wrong');
    took[number] = performance.now() - dueAt;
  };
  for (let number = 0; number < total; ) {
    const due = Math.floor(((performance.now() - startedAt) * PER_SECOND) / 1000);
    for (; number <= Math.min(due, total - 1); number += 1) {
      reads.push(read(number, startedAt + (number * 1000) / PER_SECOND));
    }
    await sleep(1);
  }
  await Promise.all(reads);
  return took.sort();
}

/** Stops one worker after the other, as a long pause of its collector does, or a quota of processor time. */
async function stopWorkers(pids: readonly number[], signal: AbortSignal): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    const pid = pids[turn % pids.length] as number;
    process.kill(pid, 'SIGSTOP');
    await sleep(SLOW_MS);
    process.kill(pid, 'SIGCONT');
    await sleep(500 - SLOW_MS);
  }
}

async function measure(
  workers: Dispatcher<Reads>,
  trouble: Trouble,
  hedged: HedgeDispatcher<Reads> | undefined,
): Promise<Round> {
  const ending = new AbortController();
  const pids = workers.stats().workers.map(({ pid }) => pid as number);
  const stopping = trouble.stops ? stopWorkers(pids, ending.signal) : undefined;
  const before = hedged?.stats().hedge.hedged ?? 0;
  const took = await load(hedged ?? workers, trouble);
  ending.abort();
  await stopping;
  return { times: took, hedged: (hedged?.stats().hedge.hedged ?? 0) - before };
}

const workers = createForkDispatcher<Reads>(new URL('./reads-tasks.ts', import.meta.url), {
  ...{ min: 3, max: 3 },
});
await workers.ready();
const hedged = withHedge(workers, { afterMs: AFTER_MS, share: SHARE });
const rows: string[][] = [];
for (const trouble of troubles) {
  const rounds: [plain: Round[], hedged: Round[]] = [[], []];
  const contenders = [undefined, hedged];
  for (const { item, place, round } of interleaved(contenders, flags)) {
    const measured = await measure(workers, trouble, item);
    if (round >= 0) rounds[place]?.push(measured);
  }
  const [plain, second] = rounds;
  const at = (which: readonly Round[], share: number): number =>
    median(which.map((each) => quantile(each.times, share)));
  const both = (share: number): string =>
    `${three(at(plain, share))} → ${three(at(second, share))} ms`;
  rows.push([
    trouble.name,
    both(0.5),
    both(0.99),
    times(at(plain, 0.99) / at(second, 0.99)),
    percent(median(second.map((each) => each.hedged / each.times.length))),
  ]);
}
await workers.close();

report(
  new URL('../../../docs/measurements/dispatch-wrappers.md', import.meta.url),
  [
    circumstances('pnpm --filter @ticketing/dispatch-wrappers bench', flags),
    `Three child processes on cores shared with the caller; ${PER_SECOND} reads of ${READ_MS} ms per second; \`withHedge(workers, { afterMs: ${AFTER_MS}, share: ${SHARE} })\`.`,
    '',
    ...table([['', 'p50', 'p99', 'gain', 'second attempts'], ...rows]),
  ],
  flags,
);
