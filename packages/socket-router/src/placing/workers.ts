import type { EmitRouterEvent } from '../contract/socket-router.ts';
import type { RouterWorker, WorkerSource } from '../contract/worker-source.ts';
import type { Leave } from '../options/attach-options.ts';
import { type SourceEvent, Sources } from './sources.ts';
import {
  type ConnectionEvent,
  type QueueEvent,
  WorkerQueue,
  type WorkerQueueOptions,
} from './worker-queue.ts';

/** Process that opens a unix socket. */
export interface SocketOwner {
  readonly socketPath: string;
  readonly pid: number | undefined;
}

export interface WorkersOptions extends Omit<WorkerQueueOptions, 'emit'> {
  readonly sources: readonly WorkerSource[];
  readonly laterRequests: 'connection' | 'forward' | 'close';
  readonly headBytes: number;
  /** Called when the process of a worker that was to open a unix socket has ended. */
  readonly socketEnded?: ((owner: SocketOwner) => void) | undefined;
  readonly emit: EmitRouterEvent;
}

export interface WorkersListener {
  /** Called when workers have come, gone, or become ready. */
  workersChanged(): void;
  /** Called with each change of connections in the queues. */
  queueChanged?(queue: WorkerQueue, event: ConnectionEvent): void;
}

/** All workers of a router: one queue per live process of its sources. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #queueOptions: WorkerQueueOptions;
  readonly #queues = new Set<WorkerQueue>();
  readonly #ended = { workers: 0, handedOver: 0 };
  /** Workers whose source has been asked to replace them. */
  readonly #replaced = new WeakSet<WorkerQueue>();
  readonly sources: Sources;
  /** Ends of the listeners for exits of processes. */
  readonly #unwatch = new Set<() => void>();
  #isClosing = false;
  #isDraining = false;
  #listener: WorkersListener | undefined;
  #ready: readonly WorkerQueue[] = [];

  constructor(options: WorkersOptions) {
    const { router, claimTimeoutMs, maxWaitMs, stuckTimeoutMs, nextSocketPath } = options;
    this.#options = options;
    this.#queueOptions = {
      router,
      claimTimeoutMs,
      maxWaitMs,
      stuckTimeoutMs,
      nextSocketPath,
      emit: (queue, event) => this.#queueChanged(queue, event),
    };
    this.sources = new Sources(options.sources, (event) => this.#sourceChanged(event));
  }

  get queues(): Iterable<WorkerQueue> {
    return this.#queues;
  }

  /** The queues that may get connections; replaced by another list when that changes. */
  get ready(): readonly WorkerQueue[] {
    return this.#ready;
  }

  /** Counts of what workers that have ended had claimed. */
  get ended(): { readonly workers: number; readonly handedOver: number } {
    return this.#ended;
  }

  /** Sets the listener; must be called before the first connection is enqueued. */
  notify(listener: WorkersListener): void {
    this.#listener = listener;
  }

  start(): void {
    this.sources.start();
  }

  /** Counts a request that was not handed over after all; a worker that has ended counts in `ended`. */
  takeBack(queue: WorkerQueue): void {
    if (queue.state === 'down') this.#ended.handedOver -= 1;
    else queue.takeBack();
  }

  /** Notes that a worker has not claimed a request in time. It gets no more until it answers a greeting. */
  suspect(queue: WorkerQueue): void {
    queue.suspect();
    this.#greet(queue);
  }

  /** True if clients have connections to workers: in mode `passthru` only this router has. */
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

  /** Stops listening to the sources and to their workers. */
  release(): void {
    this.sources.stop();
    for (const unwatch of this.#unwatch) unwatch();
    for (const queue of this.#queues) queue.release();
    for (const queue of this.#queues) this.#end(queue);
  }

  #sourceChanged(event: SourceEvent): void {
    if (event.kind === 'joined') {
      this.#join(event.worker);
      return;
    }
    const { slots, error } = event;
    this.#options.emit('circuit-open', { slots, error });
    // Connections that wait for those slots must be placed anew, or refused: no worker will come.
    this.#listener?.workersChanged();
  }

  #join(worker: RouterWorker): void {
    const queue = new WorkerQueue(worker, this.#queueOptions);
    this.#queues.add(queue);
    this.#watchExit(queue);
    this.#greet(queue);
  }

  /** Reports the end of a process that has a unix socket; one whose channel alone has ended may still answer what it has. */
  #watchExit({ socketPath, worker: { pid, channel } }: WorkerQueue): void {
    if (socketPath === undefined) return;
    const unwatch = (): void => {
      channel.off('exit', exited);
      this.#unwatch.delete(unwatch);
    };
    const exited = (): void => {
      unwatch();
      this.#options.socketEnded?.({ socketPath, pid });
    };
    channel.on('exit', exited);
    this.#unwatch.add(unwatch);
  }

  /** Greets a worker: at first, and when it has attached, because an earlier greeting may have been lost. */
  #greet(queue: WorkerQueue): void {
    // A worker that joins during the drain gets no connections, and the folder of unix sockets is about to be removed.
    if (this.#isDraining) return;
    const { laterRequests, headBytes, maxWaitMs } = this.#options;
    const { worker, socketPath } = queue;
    const { slot } = worker;
    const hello = { kind: 'hello', laterRequests, slot, pid: process.pid } as const;
    queue.send(socketPath === undefined ? hello : { ...hello, socketPath, headBytes, maxWaitMs });
  }

  #queueChanged(queue: WorkerQueue, event: QueueEvent): void {
    const { emit } = this.#options;
    const { slot, pid } = queue.worker;
    switch (event.kind) {
      case 'attached':
        this.#greet(queue);
        break;
      case 'ready':
        this.sources.served(slot);
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
        this.#updateReady();
        emit('worker-down', { slot, pid });
        break;
      default:
        this.#listener?.queueChanged?.(queue, event);
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
    return this.sources.replace(queue.worker, () =>
      this.#options.emit('worker-replaced', { slot, pid }),
    );
  }

  #end(queue: WorkerQueue): void {
    if (!this.#queues.delete(queue)) return;
    this.#ended.workers += 1;
    this.#ended.handedOver += queue.handedOver;
  }

  #updateReady(): void {
    this.sources.update(this.#queues);
    const ready = [...this.#queues].filter((queue) => queue.state === 'ready');
    const isSame =
      ready.length === this.#ready.length &&
      ready.every((queue, index) => queue === this.#ready[index]);
    if (isSame) return;
    this.#ready = ready;
    if (this.#options.laterRequests === 'forward') this.#sendPeers();
    this.#listener?.workersChanged();
  }

  /** Sends each worker the unix sockets of all, by which workers that forward requests reach each other. */
  #sendPeers(): void {
    const peers = this.#ready.map(({ worker: { slot }, socketPath }) => ({
      slot,
      socketPath: socketPath as string,
    }));
    for (const queue of this.#ready) queue.send({ kind: 'peers', peers });
  }
}
