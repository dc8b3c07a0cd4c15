import { hashText, heaviest } from '@ticketing/kit';
import type { Choice } from './decide.ts';
import type { WorkerQueue } from './worker-queue.ts';
import type { Workers } from './workers.ts';

/** Reason why a connection gets no worker. */
export type NoWorkerReason =
  | 'not-taken'
  | 'slot-unknown'
  | 'circuit-open'
  | 'queue-full'
  | 'queue-slow';

export interface WorkerChooserOptions {
  readonly loadFactor: number;
  /** Returns whether a queue may get one more. */
  readonly hasRoom: (queue: WorkerQueue) => boolean;
}

/** Chooses among the queues of ready workers. */
export class WorkerChooser {
  readonly #workers: Workers;
  readonly #options: WorkerChooserOptions;
  #turn = 0;

  constructor(workers: Workers, options: WorkerChooserOptions) {
    this.#workers = workers;
    this.#options = options;
  }

  /** Returns `'wait'` while the target worker starts. `avoid`: workers that already failed. */
  find(choice: Choice, avoid?: ReadonlySet<WorkerQueue>): WorkerQueue | 'wait' | NoWorkerReason {
    const slots = slotsOf(choice);
    if (slots?.every((slot) => this.#workers.sources.knowsSlot(slot)) === false)
      return 'slot-unknown';
    const { loadFactor, hasRoom } = this.#options;
    let queues = this.#workers.ready;
    if (slots !== undefined) queues = queues.filter(({ worker }) => slots.includes(worker.slot));
    if (avoid !== undefined) queues = queues.filter((queue) => !avoid.has(queue));
    const [first] = queues;
    if (first === undefined)
      return this.#workers.sources.haveFailed(slots) ? 'circuit-open' : 'wait';
    this.#turn = (this.#turn + 1) % queues.length;
    const chosen =
      choice.kind === 'key'
        ? queueOfKey(queues, choice.key, loadFactor)
        : leastLoaded(queues, this.#turn);
    if (hasRoom(chosen ?? first)) return chosen ?? first;
    // Equal keys stay together: the connection is refused rather than sent where the others of its key are not.
    if (choice.kind === 'key' && loadFactor === Number.POSITIVE_INFINITY) return 'queue-full';
    return leastLoaded(queues.filter(hasRoom), 0) ?? 'queue-full';
  }
}

/** Returns the slots that a choice is limited to; `undefined`: to none. */
export function slotsOf(choice: Choice): readonly string[] | undefined {
  if (choice.kind === 'slot') return [choice.slot];
  return choice.kind === 'key' ? choice.among : undefined;
}

/**
 * Returns the least loaded of the eligible queues, among equals the first from `start` on, so that a growing `start` takes turns;
 * `undefined` without queues.
 */
export function leastLoaded(
  queues: readonly WorkerQueue[],
  start: number,
  isEligible?: (queue: WorkerQueue) => boolean,
): WorkerQueue | undefined {
  let chosen: WorkerQueue | undefined;
  let lowest = Number.POSITIVE_INFINITY;
  for (let step = 0; step < queues.length; step++) {
    const queue = queues[(start + step) % queues.length] as WorkerQueue;
    const { load } = queue;
    if (load < lowest && isEligible?.(queue) !== false) {
      lowest = load;
      chosen = queue;
    }
  }
  return chosen;
}

/** Connections with which no worker is overloaded, whatever the mean: their keys stay. */
const SMALL_LOAD = 8;

/** Returns how many connections a queue may have with one more, at `loadFactor` times the mean. */
export function loadBound(queues: readonly WorkerQueue[], loadFactor: number): number {
  let total = 1;
  for (const queue of queues) total += queue.load;
  return Math.ceil((loadFactor * total) / queues.length);
}

/**
 * Returns the queue of a key: the one with the greatest weight among queues that with it would have at most `loadFactor`
 * times the mean load, or at most 8; `Infinity` times never ends. There is always one if there are queues.
 *
 * Bounded loads: Mirrokni, Thorup and Zadimoghaddam, "Consistent hashing with bounded loads", SODA 2018.
 */
export function queueOfKey(
  queues: readonly WorkerQueue[],
  key: string,
  loadFactor: number,
): WorkerQueue | undefined {
  const bound = Math.max(SMALL_LOAD, loadBound(queues, loadFactor));
  const chosen = heaviest(queues.length, hashText(key), (index) => {
    const queue = queues[index];
    return queue !== undefined && queue.load < bound ? queue.slotHash : undefined;
  });
  return queues[chosen];
}
