import {
  createInProcessDispatcher,
  type Dispatcher,
  type PoolOptions,
  type TaskMap,
  type TaskModule,
  type TaskSource,
  type TasksOf,
} from '@ticketing/dispatch';
import {
  createDispatcher,
  decodeFromWorker,
  type FromWorker,
  postToWorker,
  resolvePoolOptions,
  type Transport,
  type WorkerEvents,
  type WorkerHandle,
  type WorkerStart,
} from '@ticketing/dispatch/transport';
import { wrongOption } from '@ticketing/kit';
import { hasPrimary } from '../worker/worker-messages.ts';
import { isModule } from '../worker/worker-options.ts';
import {
  type FromPrimary,
  isFromPrimary,
  type ToPrimary,
  type ToPrimaryMessage,
  toPrimaryTag,
} from './primary-messages.ts';

/** Options of `primaryDispatcher`, a part of the options of every pool. */
export interface PrimaryDispatcherOptions
  extends Pick<
    PoolOptions,
    | 'name'
    | 'window'
    | 'maxQueue'
    | 'maxWaitMs'
    | 'abortGraceMs'
    | 'startTimeoutMs'
    | 'restart'
    | 'clock'
  > {
  /**
   * Tasks that run in this process where `startCluster` has not started it, such as its `primaryTasks`: for a program that also
   * serves alone. Default: none, and such a process is refused.
   */
  readonly standalone?: TaskModule<TaskMap> | undefined;
}

const ACTION = 'create primary dispatcher';
const OTHERS = [
  ...['min', 'max', 'stopGraceMs', 'healthMs', 'idleTimeoutMs', 'recycle', 'workerData', 'random'],
];

/**
 * Creates, in a worker, a dispatcher whose tasks run in the primary: the `primaryTasks` of `startCluster`, which all workers
 * of the machine share. The primary hands connections to workers, so its tasks should wait and not compute; a task that crashes
 * the primary ends the cluster. When a worker ends, its tasks are aborted. The caller must call `close()`.
 *
 * @throws TypeError or RangeError for options, and in a process that is not a worker of a cluster
 * @example
 * const primary = primaryDispatcher<PrimaryTasks>();
 * const offers = await primary.run('search', { from: 'A', to: 'B' }, { signal });
 */
export function primaryDispatcher<M extends TaskMap>(
  options?: PrimaryDispatcherOptions,
): Dispatcher<M>;
export function primaryDispatcher<S extends TaskSource>(
  options?: PrimaryDispatcherOptions,
): Dispatcher<TasksOf<S>>;
export function primaryDispatcher(settings: PrimaryDispatcherOptions = {}): Dispatcher<TaskMap> {
  const { standalone, ...options } = settings;
  if (standalone !== undefined && !isModule(standalone)) {
    throw wrongOption(ACTION, 'standalone', { expected: 'made by defineTasks' }, standalone);
  }
  const isAlone = standalone !== undefined && !hasPrimary(process.env);
  // Bound before a task can replace it.
  const send = process.send?.bind(process);
  if (send === undefined && !isAlone) {
    throw new TypeError(
      `Cannot ${ACTION}: this process is not a worker of \`startCluster\`; to run it alone, give the tasks as \`standalone\``,
    );
  }
  const unknown = OTHERS.find((name) => Object.hasOwn(Object(options), name));
  if (unknown !== undefined) {
    throw new TypeError(
      `Cannot ${ACTION}: \`${unknown}\` does not apply, since the primary is the only worker`,
    );
  }
  const resolved = {
    // Long, because a busy primary answers late and there is no other.
    healthMs: 60_000,
    ...options,
    name: options.name ?? 'primary',
    max: 1,
  };
  resolvePoolOptions(ACTION, 'primary', resolved);
  if (isAlone) return createInProcessDispatcher(standalone, resolved);
  const channel: PrimaryLink = {
    pid: process.ppid,
    // With a callback `send` does not throw on a closed channel: `disconnect` ends this process.
    send: (message) => void send?.(message, undefined, undefined, () => {}),
    listen(listener) {
      process.on('message', listener);
      return () => process.off('message', listener);
    },
  };
  return createDispatcher(createPrimaryTransport(channel), resolved);
}

/** Channel to the primary. */
interface PrimaryLink {
  readonly pid: number | undefined;
  send(message: ToPrimary): void;
  /** Calls the listener with each message. Returns a function that ends this. */
  listen(listener: (message: unknown) => void): () => void;
}

/** Creates the transport whose only worker is the primary. The primary cannot be killed: a task that hangs there stays. */
export function createPrimaryTransport(link: PrimaryLink): Transport {
  const sessions = new Map<number, PrimarySession>();
  const unlisten = link.listen((message) => {
    if (isFromPrimary(message)) sessions.get(message.session)?.receive(message);
  });
  return {
    kind: 'primary',
    capabilities: { isolation: 'process', hardKill: false, transfer: false, streams: true },
    // Wide, because tasks in the primary share what they wait for: all tasks that wait for one load must be there.
    autoWindow: { first: 1024, max: 1024 },
    spawn(worker, events) {
      const session = new PrimarySession(link, worker, {
        frames: (frames) => events.frames(frames),
        exit(end) {
          sessions.delete(worker.workerId);
          events.exit(end);
        },
      });
      sessions.set(worker.workerId, session);
      return session;
    },
    async close() {
      unlisten();
    },
  };
}

class PrimarySession implements WorkerHandle {
  readonly pid: number | undefined;
  readonly slot: number;
  readonly #link: PrimaryLink;
  readonly #session: number;
  readonly #events: WorkerEvents;
  #lastSeq = 0;
  #ended = false;

  constructor(link: PrimaryLink, { workerId, slot, module }: WorkerStart, events: WorkerEvents) {
    this.pid = link.pid;
    this.slot = slot;
    this.#link = link;
    this.#session = workerId;
    this.#events = events;
    this.#tell({ act: 'open', module: module?.href });
  }

  send(frames: Parameters<WorkerHandle['send']>[0]): ReturnType<WorkerHandle['send']> {
    for (const frame of frames) if (frame.kind === 'run') this.#lastSeq = frame.seq;
    const post = (message: unknown): void => this.#tell({ act: 'frames', message });
    return postToWorker(frames, post, { transfers: false });
  }

  /** Returns the last call as started, because it is unknown which calls have run: none may run twice. */
  started(): number {
    return this.#lastSeq;
  }

  kill(): void {
    this.#tell({ act: 'close' });
    queueMicrotask(() => this.#end());
  }

  /** Does nothing: a worker process lives as long as its channel. */
  hold(): void {}

  receive(message: FromPrimary): void {
    if (this.#ended) return;
    if (message.act === 'frames') {
      let frames: readonly FromWorker[] | undefined;
      try {
        frames = decodeFromWorker(message.message);
      } catch (error) {
        // The calls that this message answers would never end.
        this.#tell({ act: 'close' });
        this.#end(error);
        return;
      }
      if (frames !== undefined) this.#events.frames(frames);
      return;
    }
    if (message.act === 'refused') {
      const error = new TypeError(
        'Cannot run tasks in the primary: `startCluster` was given no `primaryTasks`',
      );
      this.#events.frames([{ kind: 'start-failed', error, final: true }]);
    }
    this.#end();
  }

  #tell(message: ToPrimaryMessage): void {
    this.#link.send({ ticketing: toPrimaryTag, session: this.#session, ...message });
  }

  #end(cause?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    const end = { exitCode: undefined, signal: undefined, stderrTail: '' };
    this.#events.exit({ ...end, ...(cause !== undefined && { cause }) });
  }
}
