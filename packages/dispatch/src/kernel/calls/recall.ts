import type { ResolvedPoolOptions } from '../resolve-pool-options.ts';
import { isTaken } from '../workers/slots.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import type { Call, PoolWorker } from './call.ts';

/** Milliseconds between two looks at the workers. */
const LOOK_MS = 1;
/**
 * A worker is held up if it has begun nothing for so many looks in a row. Where workers soon prove to have been busy with
 * something short, or to have waited for a processor, it takes more looks. Looks are counted and not milliseconds: while
 * this process waits for a processor, workers may as well.
 */
const LEAST_LOOKS = 1;
const MOST_LOOKS = 4;
/** Milliseconds in which a worker that says something was taken for held up too early. */
const SOON_MS = 10;

/**
 * Takes calls back from workers that are held up by one long task, or by other work: what was sent and has not begun. They
 * wait again, and go to whoever has room first. A held-up worker is given nothing until it says something.
 */
export class Recall {
  readonly #pool: WorkerPool;
  readonly #options: ResolvedPoolOptions;
  readonly #recalled: (worker: PoolWorker, call: Call) => void;
  readonly #redistribute: () => void;
  #timer: unknown;
  #looks = LEAST_LOOKS;

  constructor(
    pool: WorkerPool,
    options: ResolvedPoolOptions,
    callbacks: {
      /** The call waits again, as if it had never been given. */
      recalled(worker: PoolWorker, call: Call): void;
      /** All that were taken back wait: others are to be given them. */
      redistribute(): void;
    },
  ) {
    this.#pool = pool;
    this.#options = options;
    this.#recalled = callbacks.recalled;
    this.#redistribute = callbacks.redistribute;
  }

  /** Something was given or answered: workers are looked at until each call has begun, or no other worker could run it. */
  watch({ handle }: PoolWorker): void {
    if (handle?.reclaim !== undefined && this.#pool.slots.length > 1) this.#lookSoon();
  }

  /** A worker says something: it may be given calls again. */
  heard(worker: PoolWorker): void {
    if (worker.heldUpAt === undefined) return;
    const wasSoon = this.#options.clock.now() - worker.heldUpAt < SOON_MS;
    this.#looks = wasSoon
      ? Math.min(2 * this.#looks, MOST_LOOKS)
      : Math.max(this.#looks - 1, LEAST_LOOKS);
    worker.heldUpAt = undefined;
  }

  stop(): void {
    this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #lookSoon(): void {
    if (this.#timer !== undefined || this.#pool.isClosed) return;
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#look();
    }, LOOK_MS);
    // What keeps the process alive is the worker.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #look(): void {
    let [isOpen, isMoved] = [false, false];
    for (const worker of this.#pool.live) {
      const found = this.#lookAt(worker);
      isOpen ||= found !== 'clear';
      isMoved ||= found === 'moved';
    }
    if (isMoved) this.#redistribute();
    if (isOpen) this.#lookSoon();
  }

  /** `open`: it has calls that it may still have to be relieved of. */
  #lookAt(worker: PoolWorker): 'clear' | 'open' | 'moved' {
    const before = worker.seen;
    worker.seen = undefined;
    if (!canLose(worker)) return 'clear';
    const claimed = worker.handle?.started() ?? 0;
    const waiting = [...worker.calls.values()].filter((call) => canMove(call, claimed));
    if (waiting.length === 0 || !this.#canHelp(worker)) return 'clear';
    const looks = before?.claimed === claimed ? before.looks + 1 : 0;
    worker.seen = { claimed, looks };
    if (looks < this.#looks) return 'open';
    const now = this.#options.clock.now();
    const held = waiting.filter(({ sentAt, moves }) => now - sentAt >= patienceMs(moves));
    const seqs = new Set(worker.handle?.reclaim?.(held.map(({ seq }) => seq)));
    if (seqs.size === 0) return 'open';
    for (const call of held) {
      if (!seqs.has(call.seq)) continue;
      call.moves += 1;
      this.#recalled(worker, call);
    }
    // It drops them when their turn comes, and says so.
    worker.heldUpAt = now;
    return 'moved';
  }

  /** Whether another worker may run what this one has not begun. */
  #canHelp(worker: PoolWorker): boolean {
    const { slots, circuit } = this.#pool;
    return slots.some((slot) => {
      const { current } = slot;
      if (current === undefined) return circuit.state === 'closed' && !isTaken(slot);
      return current !== worker && current.state === 'ready' && current.heldUpAt === undefined;
    });
  }
}

/**
 * Milliseconds that a call stays where it is, doubled with each move: one that takes long to arrive, since it is large or all
 * workers wait for a processor, would otherwise move for ever.
 */
function patienceMs(moves: number): number {
  return LOOK_MS * 2 ** moves;
}

function canLose({ state, handle, calls }: PoolWorker): boolean {
  if (handle?.reclaim === undefined || calls.size === 0) return false;
  return state === 'ready' || state === 'retiring';
}

/** Whether the call has not begun, and any other worker may run it. */
function canMove({ seq, state, target, isSpent }: Call, claimed: number): boolean {
  if (seq <= claimed || state !== 'sent' || isSpent) return false;
  return target.key === undefined && target.slot === undefined;
}
