import type { ResolvedPoolOptions } from '../resolve-pool-options.ts';
import type { PoolWorker } from '../workers/pool-worker.ts';
import { isTaken } from '../workers/slots.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import type { Call } from './call.ts';

/** Milliseconds between two checks of the workers. */
const CHECK_MS = 1;
/**
 * A worker is held up if it begins nothing during this many checks in a row: more where held-up workers soon send something,
 * since they were busy with something short, or waited for a processor. Checks are counted and not milliseconds: while
 * this process waits for a processor, workers may as well.
 */
const LEAST_CHECKS = 1;
const MOST_CHECKS = 4;
/** A worker that sends something within this many milliseconds was considered held up too early. */
const SOON_MS = 10;

/**
 * Takes back calls that have not begun from workers that are held up by one long task, or by other work. The calls wait
 * again, and go to the first worker with room. A held-up worker gets no calls until it sends something.
 */
export class Recall {
  readonly #pool: WorkerPool;
  readonly #options: ResolvedPoolOptions;
  readonly #callbacks: RecallCallbacks;
  #timer: unknown;
  #neededChecks = LEAST_CHECKS;

  constructor(pool: WorkerPool, options: ResolvedPoolOptions, callbacks: RecallCallbacks) {
    this.#pool = pool;
    this.#options = options;
    this.#callbacks = callbacks;
  }

  /** Checks workers from now on, until each call has begun or no other worker could run it. */
  watch({ handle }: PoolWorker): void {
    if (handle?.reclaim !== undefined && this.#pool.slots.length > 1) this.#checkSoon();
  }

  /** A worker sent something: it may get calls again. */
  heard(worker: PoolWorker): void {
    if (worker.heldUpAt === undefined) return;
    const wasSoon = this.#options.clock.now() - worker.heldUpAt < SOON_MS;
    this.#neededChecks = wasSoon
      ? Math.min(2 * this.#neededChecks, MOST_CHECKS)
      : Math.max(this.#neededChecks - 1, LEAST_CHECKS);
    worker.heldUpAt = undefined;
  }

  stop(): void {
    this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #checkSoon(): void {
    if (this.#timer !== undefined || this.#pool.isClosed) return;
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#check();
    }, CHECK_MS);
    // Workers keep the process alive, not this timer.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #check(): void {
    let [isOpen, isMoved] = [false, false];
    for (const worker of this.#pool.live) {
      const found = this.#checkWorker(worker);
      isOpen ||= found !== 'clear';
      isMoved ||= found === 'moved';
    }
    if (isMoved) this.#callbacks.redistribute();
    if (isOpen) this.#checkSoon();
  }

  /** `open`: it has calls that may still have to move. */
  #checkWorker(worker: PoolWorker): 'clear' | 'open' | 'moved' {
    const before = worker.seen;
    worker.seen = undefined;
    if (!canLose(worker)) return 'clear';
    const claimed = worker.handle?.started() ?? 0;
    const waiting = [...worker.calls].filter((call) => canMove(call, claimed));
    if (waiting.length === 0 || !this.#canHelp(worker)) return 'clear';
    const checks = before?.claimed === claimed ? before.checks + 1 : 0;
    worker.seen = { claimed, checks };
    if (checks < this.#neededChecks) return 'open';
    const now = this.#options.clock.now();
    const held = waiting.filter(({ sentAt, moves }) => now - sentAt >= patienceMs(moves));
    const seqs = new Set(worker.handle?.reclaim?.(held.map(({ seq }) => seq)));
    if (seqs.size === 0) return 'open';
    for (const call of held) {
      if (!seqs.has(call.seq)) continue;
      call.moves += 1;
      this.#callbacks.recalled(worker, call);
    }
    // The worker reports `dropped` when their turn comes.
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

interface RecallCallbacks {
  /** The call waits again, as if no worker had had it. */
  recalled(worker: PoolWorker, call: Call): void;
  /** All recalled calls wait: other workers may take them. */
  redistribute(): void;
}

/**
 * Milliseconds that a call stays where it is, doubled with each move. Without the doubling a call that takes long to arrive,
 * since it is large or all workers wait for a processor, would move for ever.
 */
function patienceMs(moves: number): number {
  return CHECK_MS * 2 ** moves;
}

function canLose({ state, handle, calls }: PoolWorker): boolean {
  if (handle?.reclaim === undefined || calls.size === 0) return false;
  return state === 'ready' || state === 'retiring';
}

/** Whether the call has not begun, and any other worker may run it. */
function canMove({ seq, state, target, isSpent }: Call, claimed: number): boolean {
  if (seq <= claimed || state !== 'sent' || isSpent) return false;
  return (target.key ?? target.slot ?? target.apartFrom) === undefined;
}
