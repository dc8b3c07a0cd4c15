import type { RouterWorker, WorkerSource } from '../contract/worker-source.ts';
import type { RouterEmitter } from '../router/router-emitter.ts';
import type { SocketFolder } from '../router/socket-folder.ts';
import { type ConnectionEvents, WorkerQueue, type WorkerQueueEvents } from './worker-queue.ts';

export interface WorkersOptions {
  readonly source: WorkerSource;
  /** The router's id, in every message. */
  readonly router: string;
  readonly affinity: 'connection' | 'forward' | 'close';
  readonly claimTimeoutMs: number;
  readonly maxWaitMs: number;
  readonly stuckTimeoutMs: number;
  /** Present when the workers open unix sockets. */
  readonly socketFolder: SocketFolder | undefined;
  /** Workers may reach each other's unix sockets. */
  readonly tellPeers: boolean;
  readonly emitter: RouterEmitter;
}

export interface WorkersEvents extends ConnectionEvents {
  /** The ready workers are others than before. */
  changed(): void;
}

/** All workers of a router: one queue per live process of its source. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #queueEvents: WorkerQueueEvents;
  readonly #changed: () => void;
  readonly #queues = new Set<WorkerQueue>();
  readonly #slots = new Set<string>();
  readonly #socketPaths = new Map<WorkerQueue, string>();
  #unsubscribe: (() => void) | undefined;
  #isDraining = false;
  /** The queues that may get connections; another list when that changes. */
  ready: readonly WorkerQueue[] = [];

  constructor(options: WorkersOptions, events: WorkersEvents) {
    const { emitter } = options;
    this.#options = options;
    this.#changed = () => events.changed();
    this.#queueEvents = {
      taken: (connection, queue) => events.taken(connection, queue),
      untaken: (connections, queue, reason) => events.untaken(connections, queue, reason),
      gone: (connection) => events.gone(connection),
      overdue: (connection) => events.overdue(connection),
      free: () => events.free(),
      attached: (queue) => this.#greet(queue),
      ready: (queue) => {
        emitter.emit('worker-ready', { slot: queue.worker.slot, pid: queue.worker.pid });
        this.#update();
      },
      stuck: (queue) => {
        this.#update();
        emitter.emit('worker-stuck', { slot: queue.worker.slot, pid: queue.worker.pid });
      },
      lost: (queue) => {
        const { source } = options;
        if (source.replace === undefined) return;
        emitter.emit('worker-replaced', { slot: queue.worker.slot, pid: queue.worker.pid });
        source.replace(queue.worker);
      },
      retired: () => this.#update(),
      down: (queue) => {
        this.#queues.delete(queue);
        this.#socketPaths.delete(queue);
        this.#update();
        emitter.emit('worker-down', { slot: queue.worker.slot, pid: queue.worker.pid });
      },
    };
  }

  get queues(): Iterable<WorkerQueue> {
    return this.#queues;
  }

  start(): void {
    this.#unsubscribe = this.#options.source.subscribe((worker) => this.#join(worker));
  }

  /** Whether there was ever a worker in a slot. */
  knowsSlot(slot: string): boolean {
    return this.#slots.has(slot);
  }

  socketPathOf(queue: WorkerQueue): string | undefined {
    return this.#socketPaths.get(queue);
  }

  /** Tells the workers that the drain is near, while what is in the router's hand still goes to them. */
  announceDrain(): void {
    for (const queue of this.#queues) queue.tell({ kind: 'closing' });
  }

  /** Lets the workers finish what they have of this router; cut off after the grace. */
  async drain(graceMs: number): Promise<void> {
    this.#isDraining = true;
    await Promise.all([...this.#queues].map((queue) => queue.drain(graceMs)));
  }

  /** Hears and says nothing more. */
  release(): void {
    this.#unsubscribe?.();
    for (const queue of this.#queues) queue.release();
    this.#queues.clear();
  }

  #join(worker: RouterWorker): void {
    const { router, claimTimeoutMs, maxWaitMs, stuckTimeoutMs, socketFolder } = this.#options;
    const events = this.#queueEvents;
    const queue = new WorkerQueue(worker, {
      router,
      claimTimeoutMs,
      maxWaitMs,
      stuckTimeoutMs,
      events,
    });
    this.#queues.add(queue);
    this.#slots.add(worker.slot);
    if (socketFolder !== undefined) this.#socketPaths.set(queue, socketFolder.nextPath());
    this.#greet(queue);
  }

  /** Again when the worker says that it is attached, since an earlier greeting may have been lost. */
  #greet(queue: WorkerQueue): void {
    // It would be given nothing, and its folder for unix sockets is about to be removed.
    if (this.#isDraining) return;
    const socketPath = this.#socketPaths.get(queue);
    queue.tell({
      kind: 'hello',
      affinity: this.#options.affinity,
      slot: queue.worker.slot,
      pid: process.pid,
      ...(socketPath !== undefined && { socketPath }),
    });
  }

  #update(): void {
    const ready = [...this.#queues].filter((queue) => queue.state === 'ready');
    if (sameQueues(ready, this.ready)) return;
    this.ready = ready;
    if (this.#options.tellPeers) this.#tellPeers();
    this.#changed();
  }

  #tellPeers(): void {
    const peers = this.ready.map((queue) => ({
      slot: queue.worker.slot,
      socketPath: this.#socketPaths.get(queue) as string,
    }));
    for (const queue of this.ready) queue.tell({ kind: 'peers', peers });
  }
}

function sameQueues(some: readonly WorkerQueue[], others: readonly WorkerQueue[]): boolean {
  return some.length === others.length && some.every((queue, index) => queue === others[index]);
}
