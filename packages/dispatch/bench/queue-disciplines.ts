// What a queue that stands is drained by: the kernel over simulated workers and a simulated clock, so that each run gives
// the same table. Written between the marks in docs/decisions/0012-a-queue-that-stands.md; `--quick` prints a short one.
import { readFileSync, writeFileSync } from 'node:fs';
import { table } from '@ticketing/bench-kit';
import type { RunFrame, ToWorker } from '../src/contract/frames.ts';
import type { Transport, WorkerEvents, WorkerHandle } from '../src/contract/transport.ts';
import { createDispatcher } from '../src/kernel/create-pool.ts';
import { Call } from '../src/kernel/state/call.ts';
import { Departures } from '../src/kernel/state/departures.ts';
import { WaitingCalls } from '../src/kernel/state/waiting-calls.ts';

const WORKERS = 2;
const RUN_MS = 10;
const quick = process.argv.includes('--quick');
const SIMULATED_MS = quick ? 4000 : 20_000;

/** Timers in a binary heap, by time and then by age. */
class SimulatedClock {
  time = 0;
  #last = 0;
  readonly #heap: { readonly at: number; readonly id: number; run: (() => void) | undefined }[] =
    [];
  readonly now = (): number => this.time;

  readonly setTimeout = (run: () => void, ms: number): unknown => {
    this.#last += 1;
    const timer = { at: this.time + ms, id: this.#last, run: run as (() => void) | undefined };
    let at = this.#heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) break;
      this.#swap(at, parent);
      at = parent;
    }
    return timer;
  };

  readonly clearTimeout = (timer: unknown): void => {
    if (timer !== undefined) (timer as { run: undefined }).run = undefined;
  };

  /** Runs the next timer. @returns false if there is none up to a time */
  step(until: number): boolean {
    const [first] = this.#heap;
    if (first === undefined || first.at > until) return false;
    this.#swap(0, this.#heap.length - 1);
    this.#heap.pop();
    for (let at = 0; ; ) {
      const least = [2 * at + 1, 2 * at + 2].reduce(
        (best, child) => (child < this.#heap.length && this.#isBefore(child, best) ? child : best),
        at,
      );
      if (least === at) break;
      this.#swap(at, least);
      at = least;
    }
    this.time = first.at;
    first.run?.();
    return true;
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return false;
    return one.at < other.at || (one.at === other.at && one.id < other.id);
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return;
    this.#heap[a] = other;
    this.#heap[b] = one;
  }
}

/** Mulberry32: the same numbers in each run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Workers that compute: one task after the other, and none can be stopped. Each input is its own run time. */
function simulatedTransport(clock: SimulatedClock): Transport {
  return {
    kind: 'fork',
    capabilities: { isolation: 'process', hardKill: true, transfer: false, streams: false },
    autoWindow: { first: 1, max: 1 },
    close: () => Promise.resolve(),
    spawn({ slot }, events: WorkerEvents): WorkerHandle {
      let started = 0;
      const queue: RunFrame[] = [];
      let isBusy = false;
      const next = (): void => {
        const frame = queue.shift();
        if (frame === undefined) return;
        isBusy = true;
        started = frame.seq;
        const runMs = frame.input as number;
        clock.setTimeout(() => {
          isBusy = false;
          events.frames([{ kind: 'done', seq: frame.seq, value: undefined, runMs }]);
          if (!isBusy) next();
        }, runMs);
      };
      setImmediate(() => events.frames([{ kind: 'ready', tasks: ['work'] }]));
      return {
        pid: undefined,
        slot,
        started: () => started,
        kill: () => {},
        hold: () => {},
        send(frames: readonly ToWorker[]) {
          for (const frame of frames) {
            if (frame.kind === 'run') queue.push(frame);
            if (frame.kind === 'stop') {
              setImmediate(() => events.exit({ exitCode: 0, signal: undefined, stderrTail: '' }));
            }
          }
          if (!isBusy) next();
          return [];
        },
      };
    },
  };
}

interface Load {
  readonly times: number;
  readonly deadlineMs: number;
  readonly spread: 'equal' | 'exponential';
}

const own = { next: WaitingCalls.prototype.next, lateBy: Call.prototype.lateBy };
const measure = Departures.prototype.intervalMs;
const byAge: typeof own.next = (first) => first;

/**
 * CoDel for requests, as in folly (Nichols and Jacobson's, RFC 8289, with all dropped that waited for more than twice the
 * target): the queue is overloaded if even the least wait of the last interval was above the target.
 */
function codel(targetMs: number, intervalMs: number): typeof own.lateBy {
  let least = Number.POSITIVE_INFINITY;
  let ends = 0;
  let isOverloaded = false;
  return function lateBy(this: Call, now: number) {
    const waited = now - this.enqueuedAt;
    if (now > ends) {
      isOverloaded = least > targetMs && least < Number.POSITIVE_INFINITY;
      least = waited;
      ends = now + intervalMs;
    } else least = Math.min(least, waited);
    if (isOverloaded && waited > 2 * targetMs) return { code: 'ERR_TIMEOUT', limit: waited };
    return own.lateBy.call(this, now);
  };
}

const disciplines: Readonly<Record<string, (load: Load) => Partial<typeof own>>> = {
  'by age': () => ({ next: byAge }),
  'newest first': () => ({}),
  'CoDel, 5 of 100 ms': () => ({ next: byAge, lateBy: codel(5, 100) }),
  'CoDel, a tenth of the deadline': ({ deadlineMs }) => ({
    next: byAge,
    lateBy: codel(deadlineMs / 10, deadlineMs),
  }),
};

/** @returns answers within the deadline, in % of what the workers can do */
async function goodput(
  load: Load,
  patch: Partial<typeof own>,
  isAdmitting: boolean,
): Promise<number> {
  Object.assign(WaitingCalls.prototype, { next: patch.next ?? own.next });
  Object.assign(Call.prototype, { lateBy: patch.lateBy ?? own.lateBy });
  // While nothing is known of the wait, every call is admitted.
  Departures.prototype.intervalMs = isAdmitting ? measure : () => undefined;
  const clock = new SimulatedClock();
  const random = randomOf(7);
  const least = { maxQueue: 2 ** 31 - 1, healthMs: 2 ** 31 - 1, abortGraceMs: 2 ** 31 - 1 };
  const dispatcher = createDispatcher(simulatedTransport(clock), {
    ...least,
    max: WORKERS,
    window: 1,
    clock,
    random,
  });
  await dispatcher.ready();
  const exponential = (mean: number): number => -mean * Math.log(1 - random());
  let good = 0;
  const arrive = (): void => {
    if (clock.time > SIMULATED_MS) return;
    const runMs = load.spread === 'equal' ? RUN_MS : exponential(RUN_MS);
    const calledAt = clock.time;
    dispatcher.run('work', runMs, { timeoutMs: load.deadlineMs }).then(
      () => {
        if (clock.time - calledAt <= load.deadlineMs && clock.time <= SIMULATED_MS) good += 1;
      },
      () => {},
    );
    clock.setTimeout(arrive, exponential(RUN_MS / WORKERS / load.times));
  };
  arrive();
  // What a call or an answer brings about is sent before time goes on.
  do await new Promise((resolve) => setImmediate(resolve));
  while (clock.step(SIMULATED_MS));
  await dispatcher.close();
  return (100 * good) / ((SIMULATED_MS * WORKERS) / RUN_MS);
}

const rows: string[][] = [];
for (const spread of ['equal', 'exponential'] as const) {
  for (const runs of [20, 200]) {
    for (const isAdmitting of [false, true]) {
      for (const [name, patch] of Object.entries(disciplines)) {
        const row = [spread, `${runs}`, isAdmitting ? 'yes' : 'no', name];
        for (const times of [1, 2, 4, 8]) {
          const load = { times, deadlineMs: runs * RUN_MS, spread };
          row.push((await goodput(load, patch(load), isAdmitting)).toFixed(0));
        }
        rows.push(row);
        if (quick) console.log(row.join(' | '));
      }
    }
  }
}

const head = ['runs', 'deadline', 'refused early', 'order', '1x', '2x', '4x', '8x'];
const lines = table([head, ...rows], 4).join('\n');
if (!quick) {
  const page = new URL('../../../docs/decisions/0012-a-queue-that-stands.md', import.meta.url);
  const [before, rest = ''] = readFileSync(page, 'utf8').split('<!-- table -->');
  const after = rest.split('<!-- /table -->')[1];
  writeFileSync(page, `${before}<!-- table -->\n\n${lines}\n\n<!-- /table -->${after}`);
}
console.log(lines);
