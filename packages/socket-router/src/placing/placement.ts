import { LinkedList } from '@ticketing/kit';
import { TAKEN_SHARE } from '../wire/messages.ts';
import { hasWaited, monotonicMs } from '../wire/monotonic-clock.ts';
import { leastLoaded, loadBound, type NoPlace, WorkerChooser } from './choose-worker.ts';
import type { HeldConnection, WaitingPlace } from './held-connection.ts';
import type { WorkerQueue } from './worker-queue.ts';
import type { Workers } from './workers.ts';

/** How often a connection is sent to workers that do not take it. */
const MAX_ATTEMPTS = 5;
/** A worker that takes connections faster than the others gets at most this times the mean. */
const SPREAD = 1.25;
/**
 * A queue whose first connection has waited for this share of `maxWaitMs` takes no more: a connection that comes then
 * would wait for longer, and is better refused at once than later.
 */
const ADMITTING_SHARE = 0.5;

export interface PlacementOptions {
  readonly loadFactor: number;
  readonly queuePerWorker: number;
  readonly maxWaitMs: number;
  /** Called for a connection that gets no worker. */
  readonly refuse: (connection: HeldConnection, reason: NoPlace) => void;
}

const isFree = (queue: WorkerQueue): boolean => queue.isFree;

/**
 * Gives a connection to a queue, lets it wait, or refuses it when no queue will take it. Connections that were routed
 * queue for their worker; the others wait together for the first worker that is free, so that none waits for a slow one.
 */
export class Placement {
  readonly #workers: Workers;
  readonly #options: PlacementOptions;
  readonly #chooser: WorkerChooser;
  /** The waiting connections that any worker may get, in their order, and the others. */
  readonly #unrouted = new LinkedList<WaitingPlace>();
  readonly #routed = new LinkedList<WaitingPlace>();
  #turn = 0;

  constructor(workers: Workers, options: PlacementOptions) {
    this.#workers = workers;
    this.#options = options;
    this.#chooser = new WorkerChooser(workers, {
      loadFactor: options.loadFactor,
      hasRoom: (queue) =>
        queue.queued < options.queuePerWorker &&
        !hasWaited(queue.firstWaitsSince, options.maxWaitMs * ADMITTING_SHARE),
    });
  }

  get waiting(): number {
    return this.#unrouted.size + this.#routed.size;
  }

  place(connection: HeldConnection): void {
    if (connection.stage === 'done') return;
    // Without workers nothing moves, which shows nothing: the connection's timer bounds the wait for them.
    if (this.#workers.ready.length === 0) connection.waitsSince = undefined;
    else connection.waitsSince ??= monotonicMs();
    const place = this.#find(connection);
    if (place === 'wait') this.#wait(connection);
    else if (typeof place === 'string') this.#options.refuse(connection, place);
    else place.enqueue(connection);
  }

  /** Places the waiting connections again, as far as there is room now. */
  retry(): void {
    const waiting = [...this.#routed.take(), ...this.#unrouted.take()];
    for (const { connection } of waiting) {
      connection.place = undefined;
      this.place(connection);
    }
  }

  /** Gives the waiting connections that any worker may get to the free workers. */
  serve(): void {
    for (;;) {
      const connection = this.#unrouted.first?.connection;
      const queue = connection && this.#freeQueue();
      if (connection === undefined || queue === undefined) return;
      this.leave(connection);
      const { maxWaitMs, refuse } = this.#options;
      if (hasWaited(connection.arrivedAt, TAKEN_SHARE * maxWaitMs))
        refuse(connection, 'queue-slow');
      else queue.enqueue(connection);
    }
  }

  /** Forgets a waiting connection. */
  leave(connection: HeldConnection): void {
    const { place } = connection;
    if (place === undefined) return;
    connection.place = undefined;
    if (!this.#unrouted.delete(place)) this.#routed.delete(place);
  }

  #find(connection: HeldConnection): WorkerQueue | 'wait' | NoPlace {
    const { attempts, choice } = connection;
    if (attempts >= MAX_ATTEMPTS) return 'not-taken';
    if (choice.kind !== 'any') return this.#chooser.find(choice);
    const queue = this.#unrouted.size === 0 ? this.#freeQueue() : undefined;
    if (queue !== undefined) return queue;
    const { ready } = this.#workers;
    const room = ready.length * (this.#options.queuePerWorker - 1);
    if (ready.length > 0 && this.#unrouted.size >= room) return 'queue-full';
    if (ready.length === 0 && this.#workers.sources.haveFailed()) return 'circuit-open';
    return this.#isSlowFor(connection) ? 'queue-slow' : 'wait';
  }

  /** Whether the first unrouted connection had waited for too long when this one came. */
  #isSlowFor({ waitsSince = 0 }: HeldConnection): boolean {
    const since = this.#unrouted.first?.connection.waitsSince ?? waitsSince;
    return waitsSince - since > this.#options.maxWaitMs * ADMITTING_SHARE;
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

  #wait(connection: HeldConnection): void {
    connection.stage = 'waiting';
    connection.place = { connection, previous: undefined, next: undefined, list: undefined };
    if (connection.choice.kind === 'any') {
      this.#unrouted.add(connection.place);
    } else {
      this.#routed.add(connection.place);
      connection.waitsSince = undefined;
    }
  }
}
