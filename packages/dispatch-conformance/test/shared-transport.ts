import { DispatchError, type Dispatcher, type TaskModule } from '@ticketing/dispatch';
import {
  createDispatcher,
  decodeFromWorker,
  encodeToWorker,
  type PoolOptions,
  type ToWorker,
  type Transport,
  type Unsent,
  type WorkerEvents,
  type WorkerHandle,
  type WorkerStart,
} from '@ticketing/dispatch/transport';
import { decodeToWorker, type Served, serveTasks } from '@ticketing/dispatch/worker';
import type { ConformanceTasks } from '@ticketing/dispatch-conformance';

/** Options of the hosts of a test. */
interface Hosts {
  /** Calls that one host holds; further calls go back. */
  readonly capacity?: number;
  /** Most bytes of an input. */
  readonly limit?: number;
  /** False for a fleet without hosts. */
  readonly exist?: boolean;
}

/** Creates a dispatcher over hosts in this process, which have limits of their own, as shared hosts do. */
export function createShared(
  module: TaskModule<ConformanceTasks>,
  options: PoolOptions,
  hosts: Hosts,
): Dispatcher<ConformanceTasks> {
  const transport: Transport = {
    kind: 'shared',
    capabilities: { isolation: 'none', hardKill: false, transfer: false, streams: true },
    autoWindow: { first: 1024, max: 1024 },
    extraFrames: ['busy', 'keys-only', 'lost', 'room'],
    spawn: (start, events) => new SharedWorker(start, events, module, hosts),
    close: () => Promise.resolve(),
  };
  return createDispatcher<ConformanceTasks>(transport, { max: 1, ...options });
}

const port = { transfers: false } as const;

class SharedWorker implements WorkerHandle {
  readonly pid = undefined;
  readonly slot: number;
  readonly #hosts: Hosts;
  readonly #served: Served | undefined;
  readonly #events: WorkerEvents;
  readonly #running = new Set<number>();
  #lastSeq = 0;
  #isBusy = false;
  #hasEnded = false;

  constructor(
    { workerId, slot }: WorkerStart,
    events: WorkerEvents,
    module: TaskModule<ConformanceTasks>,
    hosts: Hosts,
  ) {
    this.slot = slot;
    this.#hosts = hosts;
    this.#events = events;
    if (hosts.exist === false) {
      queueMicrotask(() => this.#hasNoHost());
      return;
    }
    this.#served = serveTasks({
      ...{ workerId, slot, module: module as never },
      post: (message) => setImmediate(() => this.#hear(message)),
      claim: () => true,
      memoryBytes: () => 0,
      load: () => undefined,
      exit: () => setImmediate(() => this.#end()),
      ...port,
    });
  }

  send(frames: readonly ToWorker[]): readonly Unsent[] {
    const { limit = Number.POSITIVE_INFINITY } = this.#hosts;
    const isLarge = (frame: ToWorker): boolean =>
      frame.kind === 'run' && (JSON.stringify(frame.input) ?? '').length > limit;
    const unsent = frames.flatMap((frame): Unsent[] =>
      frame.kind === 'run' && isLarge(frame) ? [{ seq: frame.seq, error: tooLarge(limit) }] : [],
    );
    for (const frame of frames) if (frame.kind === 'run') this.#lastSeq = frame.seq;
    const encoded = encodeToWorker(
      frames.filter((frame) => !isLarge(frame)),
      port,
    );
    for (const { message } of encoded.messages) setImmediate(() => this.#accept(message));
    return [...unsent, ...encoded.unsent];
  }

  /** Returns the last sent call as started: a host on another machine cannot be asked after its end. */
  started(): number {
    return this.#lastSeq;
  }

  kill(): void {
    this.#served?.abandon(new Error('The session is over'));
    queueMicrotask(() => this.#end());
  }

  hold(): void {}

  /** Takes calls while the host has room, and sends the others back. */
  #accept(message: unknown): void {
    const { capacity = Number.POSITIVE_INFINITY } = this.#hosts;
    const frames = decodeToWorker(message) ?? [];
    const taken = frames.filter((frame) => {
      if (frame.kind !== 'run') return true;
      const hasRoom = !this.#isBusy && this.#running.size < capacity;
      if (hasRoom) this.#running.add(frame.seq);
      else {
        this.#isBusy = true;
        this.#served?.tell({ kind: 'busy', seq: frame.seq });
      }
      return hasRoom;
    });
    this.#served?.accept(taken);
  }

  #hear(message: unknown): void {
    if (this.#hasEnded) return;
    const frames = decodeFromWorker(message) ?? [];
    for (const frame of frames) {
      if ('seq' in frame && settling.has(frame.kind)) this.#running.delete(frame.seq);
    }
    this.#events.frames(frames);
    const { capacity = 0 } = this.#hosts;
    if (!this.#isBusy || this.#running.size >= capacity) return;
    this.#isBusy = false;
    this.#served?.tell({ kind: 'room', window: capacity });
  }

  #hasNoHost(): void {
    const error = new DispatchError('ERR_NO_HOST', 'Cannot use shared: no host is there', {
      data: { name: 'shared' },
    });
    this.#events.frames([{ kind: 'start-failed', error, final: true }]);
    this.#end();
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#events.exit({ exitCode: undefined, signal: undefined, stderrTail: '' });
  }
}

const settling: ReadonlySet<string> = new Set(['done', 'failed', 'lost', 'dropped']);

function tooLarge(limit: number): DispatchError {
  return new DispatchError('ERR_TOO_LARGE', `Cannot send: above ${limit} bytes`, {
    data: { name: 'shared', limit },
  });
}
