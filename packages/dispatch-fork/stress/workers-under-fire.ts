import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DispatchError, type Dispatcher } from '@ticketing/dispatch';
import { createForkDispatcher } from '../src/index.ts';
import { isChild, whatIsLeft } from './leftovers.ts';
import { readStartedCalls } from './started-calls.ts';
import type { StressTasks } from './tasks.ts';

export interface FireOptions {
  readonly seconds: number;
  readonly workers: number;
  /** Calls in flight. Default 64. */
  readonly concurrency?: number;
  /** Milliseconds between two kills. Default 200. */
  readonly killEveryMs?: number;
}

export interface FireReport {
  readonly calls: number;
  readonly starts: number;
  readonly kills: number;
  /** Calls that may not run twice and were rejected, since their worker was killed. */
  readonly lost: number;
  readonly retried: number;
  /** Megabytes that the heap has grown by since a quarter of the time had passed. */
  readonly heapGrowthMb: number;
  /** Broken promises: none. */
  readonly faults: readonly string[];
}

/** Milliseconds after which a call that has not settled never will. */
const SETTLE_MS = 20_000;

type Ending = 'pending' | 'resolved' | 'lost';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A call as its caller knows it. Even numbers may run twice. */
const mayRunAgain = (call: number): boolean => call % 2 === 0;

/**
 * Keeps workers busy while one of them is killed again and again, and looks at what became of each call. Half of the calls
 * are `idempotent` with retries. Leaves nothing behind.
 */
export async function workersUnderFire(options: FireOptions): Promise<FireReport> {
  const { seconds, workers, concurrency = 64, killEveryMs = 200 } = options;
  const folder = mkdtempSync(join(tmpdir(), 'dispatch-stress-'));
  const path = join(folder, 'starts');
  const leftAfter = whatIsLeft();
  const faults: string[] = [];
  const endings: Ending[] = [];
  const dispatcher = createForkDispatcher<StressTasks>(new URL('./tasks.ts', import.meta.url), {
    max: workers,
    env: { ...process.env, STRESS_STARTS: path },
    // Workers that are killed before their first answer are no crash loop here.
    restart: { backoffMs: [1, 20], maxFailures: 10_000 },
  });
  try {
    await dispatcher.ready();
    const gun = startKilling(dispatcher, killEveryMs);
    const until = performance.now() + seconds * 1000;
    const early = performance.now() + seconds * 250;
    let earlyHeap: number | undefined;
    const lane = async () => {
      while (performance.now() < until) {
        if (earlyHeap === undefined && performance.now() > early) earlyHeap = heapBytes();
        const call = endings.push('pending') - 1;
        endings[call] = await shoot(dispatcher, call, faults);
      }
    };
    const late = new AbortController();
    const tooLate = setTimeout(seconds * 1000 + SETTLE_MS, undefined, late).catch(() => {});
    await Promise.race([tooLate, Promise.all(Array.from({ length: concurrency }, lane))]);
    late.abort();
    const { kills, pids } = gun.stop();
    const { retried, queued, running } = dispatcher.stats();
    if (queued + running > 0) faults.push(`${queued + running} calls are left in the dispatcher`);
    const heapGrowthMb = (heapBytes() - (earlyHeap ?? heapBytes())) / 1e6;
    // What is kept of the calls here is a few megabytes at most.
    if (heapGrowthMb > 16) faults.push(`the heap has grown by ${heapGrowthMb.toFixed(1)} MB`);
    await dispatcher.close();
    faults.push(...(await leftAfter(pids)));
    const starts = checkStarts(path, endings, faults);
    const lost = endings.filter((ending) => ending === 'lost').length;
    return { calls: endings.length, starts, kills, lost, retried, heapGrowthMb, faults };
  } finally {
    await dispatcher.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function shoot(
  dispatcher: Dispatcher<StressTasks>,
  call: number,
  faults: string[],
): Promise<Ending> {
  const shot = { call, ms: Math.random() * 5 };
  const task = Math.random() < 0.5 ? 'compute' : 'wait';
  const again = mayRunAgain(call);
  try {
    const answer = await dispatcher.run(
      task,
      shot,
      again ? { idempotent: true, retries: 100 } : {},
    );
    if (answer !== call) faults.push(`call ${call} got the answer of ${answer}`);
    return 'resolved';
  } catch (error) {
    if (again || !DispatchError.is(error) || error.code !== 'ERR_WORKER_LOST') {
      faults.push(`call ${call} was rejected: ${error}`);
    }
    return 'lost';
  }
}

/** Kills a worker at random, again and again. */
function startKilling(dispatcher: Dispatcher<StressTasks>, everyMs: number) {
  const pids = new Set<number>();
  let kills = 0;
  const timer = setInterval(() => {
    const targets: number[] = [];
    for (const { pid, state } of dispatcher.stats().workers) {
      if (pid === undefined) continue;
      pids.add(pid);
      if (state !== 'starting') targets.push(pid);
    }
    const target = targets[Math.floor(Math.random() * targets.length)];
    // Its end may have been taken already, and its number be another's.
    if (target !== undefined && isChild(target) && process.kill(target, 'SIGKILL')) kills += 1;
  }, everyMs);
  return {
    stop() {
      clearInterval(timer);
      for (const { pid } of dispatcher.stats().workers) if (pid !== undefined) pids.add(pid);
      return { kills, pids };
    },
  };
}

/** @returns starts in all */
function checkStarts(path: string, endings: readonly Ending[], faults: string[]): number {
  const started = readStartedCalls(path);
  for (const line of started.repeated) faults.push(`an attempt was started twice: ${line}`);
  for (const [call, ending] of endings.entries()) {
    const times = started.times(call);
    if (ending === 'pending') faults.push(`call ${call} never settled`);
    if (ending === 'resolved' && times === 0)
      faults.push(`call ${call} resolved and never started`);
    if (!mayRunAgain(call) && times > 1) faults.push(`call ${call} was started ${times} times`);
  }
  return started.total;
}

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
