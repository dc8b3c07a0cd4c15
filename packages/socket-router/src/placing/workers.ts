import type { EmitRouterEvent } from '../contract/socket-router.ts';
import type { RouterWorker, WorkerSource } from '../contract/worker-source.ts';
import type { Leave } from '../options/attach-options.ts';
import { Sources } from './sources.ts';
import {
  type ConnectionEvents,
  type WorkerChange,
  WorkerQueue,
  type WorkerQueueOptions,
} from './worker-queue.ts';

export interface WorkersOptions extends Omit<WorkerQueueOptions, 'events'> {
  readonly sources: readonly WorkerSource[];
  readonly laterRequests: 'connection' | 'forward' | 'close';
  /** Present when the workers open unix sockets: returns a path that was not used before. */
  readonly nextSocketPath: (() => string) | undefined;
  readonly headBytes: number;
  readonly emit: EmitRouterEvent;
}

export interface WorkersListener extends Partial<ConnectionEvents> {
  /** Called when workers have come, gone, or become ready. */
  workersChanged(): void;
}

/** All workers of a router: one queue per live process of its source. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #queueOptions: WorkerQueueOptions;
  readonly #queues = new Set<WorkerQueue>();
  readonly #sources: Sources;
  readonly #socketPaths = new Map<WorkerQueue, string>();
  /** What workers that have ended had taken. */
  readonly ended = { workers: 0, handedOver: 0 };
  /** Workers whose source has been asked to replace them. */
  readonly #replaced = new WeakSet<WorkerQueue>();
  #isClosing = false;
  #isDraining = false;
  /** Set before the first connection is enqueued. */
  listener: WorkersListener | undefined;
  /** The queues that may get connections; replaced by another list when that changes. */
  ready: readonly WorkerQueue[] = [];

  constructor(options: WorkersOptions) {
    this.#options = options;
    const events: WorkerQueueOptions['events'] = {
      taken: (connection, queue) => this.listener?.taken?.(connection, queue),
      untaken: (connections, queue, why) => this.listener?.untaken?.(connections, queue, why),
      gone: (connection) => this.listener?.gone?.(connection),
      overdue: (connection) => this.listener?.overdue?.(connection),
      free: () => this.listener?.free?.(),
      workerChanged: (queue, change) => this.#workerChanged(queue, change),
    };
    this.#queueOptions = { ...options, events };
    this.#sources = new Sources(options.sources, {
      joined: (worker) => this.#join(worker),
      circuitOpen: (slots, error) => {
        options.emit('circuit-open', { slots, error });
        // Connections that wait for those slots must be placed anew, or refused: no worker will come.
        this.listener?.workersChanged();
      },
    });
  }

  get queues(): Iterable<WorkerQueue> {
    return this.#queues;
  }

  /** Where the workers come from, and what is known of their slots. */
  get sources(): Sources {
    return this.#sources;
  }

  start(): void {
    this.#sources.start();
  }

  socketPathOf(queue: WorkerQueue): string | undefined {
    return this.#socketPaths.get(queue);
  }

  /** Notes that a worker has not taken a request in time. It gets no more until it answers a greeting. */
  suspect(queue: WorkerQueue): void {
    queue.suspect();
    this.#greet(queue);
  }

  /** Whether clients have connections to workers: in mode `passthru` only this router has. */
  get haveClients(): boolean {
    return [...this.#queues].some(({ open }) => open > 0);
  }

  /** Notifies the workers that the drain is near, while connections of the router still go to them. */
  announceDrain(): void {
    this.#isClosing = true;
    for (const queue of this.#queues) queue.send({ kind: 'closing' });
  }

  /** Resolves when the workers have finished the connections of this router, or cut them off after the grace. */
  async drain(leave: Leave): Promise<void> {
    this.#isDraining = true;
    await Promise.all([...this.#queues].map((queue) => queue.drain(leave)));
  }

  /** Stops listening to the source and to its workers. */
  release(): void {
    this.#sources.stop();
    for (const queue of this.#queues) queue.release();
    for (const queue of this.#queues) this.#end(queue);
  }

  #join(worker: RouterWorker): void {
    const queue = new WorkerQueue(worker, this.#queueOptions);
    const socketPath = this.#options.nextSocketPath?.();
    this.#queues.add(queue);
    if (socketPath !== undefined) this.#socketPaths.set(queue, socketPath);
    this.#greet(queue);
  }

  /** Greets a worker: at first, and when it has attached, since an earlier greeting may have been lost. */
  #greet(queue: WorkerQueue): void {
    // A worker that joins during the drain gets no connections, and the folder of unix sockets is about to be removed.
    if (this.#isDraining) return;
    const socketPath = this.#socketPaths.get(queue);
    queue.send({
      kind: 'hello',
      laterRequests: this.#options.laterRequests,
      slot: queue.worker.slot,
      pid: process.pid,
      ...(socketPath !== undefined && {
        socketPath,
        headBytes: this.#options.headBytes,
        maxWaitMs: this.#options.maxWaitMs,
      }),
    });
  }

  #workerChanged(queue: WorkerQueue, change: WorkerChange): void {
    const { emit } = this.#options;
    const { slot, pid } = queue.worker;
    switch (change) {
      case 'attached':
        this.#greet(queue);
        break;
      case 'ready':
        this.#sources.served(slot);
        emit('worker-ready', { slot, pid });
        this.#updateReady();
        break;
      case 'stuck':
        this.#updateReady();
        emit('worker-stuck', { slot, pid });
        break;
      case 'lost':
        this.#replace(queue);
        break;
      case 'terminated':
        // This process may see the same signal one turn of the event loop later.
        setImmediate(() => setImmediate(() => this.#terminated(queue)));
        break;
      case 'retired':
        this.#updateReady();
        break;
      case 'down':
        this.#end(queue);
        this.#socketPaths.delete(queue);
        this.#updateReady();
        emit('worker-down', { slot, pid });
    }
  }

  #terminated(queue: WorkerQueue): void {
    // The signal came to all processes of the program.
    if (this.#isClosing || queue.state === 'down') return;
    // Where it has no successor, or SIGTERM is how its source ends it.
    if (this.#replaced.has(queue) || !this.#replace(queue)) queue.send({ kind: 'leave' });
  }

  /** Returns whether the worker's source can replace it. */
  #replace(queue: WorkerQueue): boolean {
    const { slot, pid } = queue.worker;
    this.#replaced.add(queue);
    return this.#sources.replace(queue.worker, () =>
      this.#options.emit('worker-replaced', { slot, pid }),
    );
  }

  #end(queue: WorkerQueue): void {
    if (!this.#queues.delete(queue)) return;
    this.ended.workers += 1;
    this.ended.handedOver += queue.handedOver;
  }

  #updateReady(): void {
    this.#sources.update(this.#queues);
    const ready = [...this.#queues].filter((queue) => queue.state === 'ready');
    const isSame =
      ready.length === this.ready.length &&
      ready.every((queue, index) => queue === this.ready[index]);
    if (isSame) return;
    this.ready = ready;
    if (this.#options.laterRequests === 'forward') this.#sendPeers();
    this.listener?.workersChanged();
  }

  /** Workers that forward requests reach each other by their unix sockets. */
  #sendPeers(): void {
    const peers = this.ready.map((queue) => ({
      slot: queue.worker.slot,
      socketPath: this.#socketPaths.get(queue) as string,
    }));
    for (const queue of this.ready) queue.send({ kind: 'peers', peers });
  }
}
