import { LinkedList } from '@ticketing/kit';
import { CLAIMABLE_SHARE } from '../wire/messages.ts';
import { hasWaited, monotonicMs } from '../wire/monotonic-clock.ts';
import { leastLoaded, loadBound, type NoWorkerReason, WorkerChooser } from './choose-worker.ts';
import { type HeldConnection, type Waiting, wait } from './held-connection.ts';
import type { WorkerQueue } from './worker-queue.ts';
import type { Workers } from './workers.ts';

/** Number of workers that a connection is sent to and that do not claim it. */
const MAX_ATTEMPTS = 5;
/** A worker that claims connections faster than the others gets at most this times the mean. */
const SPREAD = 1.25;
/**
 * A queue whose first connection has waited for this share of `maxWaitMs` gets no more: a connection that comes then
 * would wait for longer, and is better refused at once than later.
 */
const ADMITTING_SHARE = 0.5;

export interface PlacementOptions {
  readonly loadFactor: number;
  readonly queuePerWorker: number;
  readonly maxWaitMs: number;
  /** Finishes a connection that gets no worker. */
  readonly refuse: (connection: HeldConnection, reason: NoWorkerReason) => void;
}

const isFree = (queue: WorkerQueue): boolean => queue.isFree;

/**
 * Gives a connection to a queue, lets it wait, or refuses it when no queue has room. Connections that were routed
 * queue for their worker; the others wait together for the first worker that is free, so that none waits for a slow one.
 */
export class Placement {
  readonly #workers: Workers;
  readonly #options: PlacementOptions;
  readonly #chooser: WorkerChooser;
  /** Waiting connections that any worker may get. */
  readonly #unrouted = new LinkedList<Waiting>();
  /** Waiting connections that only some workers may get. */
  readonly #routed = new LinkedList<Waiting>();
  #turn = 0;

  constructor(workers: Workers, options: PlacementOptions) {
    const { loadFactor, queuePerWorker, maxWaitMs } = options;
    this.#workers = workers;
    this.#options = options;
    this.#chooser = new WorkerChooser(workers, {
      loadFactor,
      hasRoom: (queue) =>
        queue.queued < queuePerWorker &&
        !hasWaited(queue.firstWaitsSince, maxWaitMs * ADMITTING_SHARE),
    });
  }

  /** Connections that wait for any worker, or for one that is not ready. */
  get waiting(): number {
    return this.#unrouted.size + this.#routed.size;
  }

  place(connection: HeldConnection): void {
    if (connection.stage.kind === 'done') return;
    const since = this.#waitsSince(connection);
    const found = this.#find(connection, since);
    if (found === 'wait') this.#wait(connection, since);
    else if (typeof found === 'string') this.#options.refuse(connection, found);
    else found.enqueue(connection, since);
  }

  /** Places the waiting connections again, as far as there is room now. */
  retry(): void {
    for (const { connection } of [...this.#routed.take(), ...this.#unrouted.take()]) {
      this.place(connection);
    }
  }

  /** Gives the waiting connections that any worker may get to the free workers. */
  serve(): void {
    const { maxWaitMs, refuse } = this.#options;
    for (;;) {
      const waiting = this.#unrouted.first;
      const queue = waiting && this.#freeQueue();
      if (waiting === undefined || queue === undefined) return;
      const { connection, since } = waiting;
      if (hasWaited(connection.arrivedAt, CLAIMABLE_SHARE * maxWaitMs))
        refuse(connection, 'queue-slow');
      else queue.enqueue(connection, since);
    }
  }

  /**
   * Returns the time from which a connection has waited while workers were ready. Without workers nothing moves, which shows nothing: the
   * connection's timer bounds the wait for them. How long it waited for a worker that did not claim it does not show how slow the others are.
   */
  #waitsSince({ stage }: HeldConnection): number | undefined {
    if (this.#workers.ready.length === 0) return undefined;
    return (stage.kind === 'waiting' ? stage.since : undefined) ?? monotonicMs();
  }

  #find(
    { attempts, choice }: HeldConnection,
    since: number | undefined,
  ): WorkerQueue | 'wait' | NoWorkerReason {
    if (attempts >= MAX_ATTEMPTS) return 'not-taken';
    if (choice.kind !== 'any') return this.#chooser.find(choice);
    const queue = this.#unrouted.size === 0 ? this.#freeQueue() : undefined;
    if (queue !== undefined) return queue;
    const { ready } = this.#workers;
    const room = ready.length * (this.#options.queuePerWorker - 1);
    if (ready.length > 0 && this.#unrouted.size >= room) return 'queue-full';
    if (ready.length === 0 && this.#workers.sources.haveFailed()) return 'circuit-open';
    return this.#isSlowAt(since) ? 'queue-slow' : 'wait';
  }

  /** Returns whether the first unrouted connection had waited for too long by a time. */
  #isSlowAt(time = 0): boolean {
    const since = this.#unrouted.first?.since ?? time;
    return time - since > this.#options.maxWaitMs * ADMITTING_SHARE;
  }

  /** Returns the least loaded of the queues that would send a connection at once; equals take turns. */
  #freeQueue(): WorkerQueue | undefined {
    const { ready } = this.#workers;
    if (ready.length === 0) return undefined;
    this.#turn = (this.#turn + 1) % ready.length;
    const free = leastLoaded(ready, this.#turn, isFree);
    if (free === undefined) return undefined;
    return free.load < Math.max(2, loadBound(ready, SPREAD)) ? free : undefined;
  }

  #wait(connection: HeldConnection, since: number | undefined): void {
    if (connection.choice.kind === 'any') wait(connection, { waiters: this.#unrouted, since });
    else wait(connection, { waiters: this.#routed, since: undefined });
  }
}
