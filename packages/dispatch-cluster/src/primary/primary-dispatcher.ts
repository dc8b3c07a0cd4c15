import type { Dispatcher, PoolOptions, TaskMap, TaskSource, TasksOf } from '@ticketing/dispatch';
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
import {
  type FromPrimary,
  isFromPrimary,
  type ToPrimary,
  type ToPrimaryMessage,
  toPrimaryTag,
} from './primary-messages.ts';

/** Options of `primaryDispatcher`, as in every pool. */
export type PrimaryDispatcherOptions = Pick<
  PoolOptions,
  | 'name'
  | 'window'
  | 'maxQueue'
  | 'maxWaitMs'
  | 'abortGraceMs'
  | 'startTimeoutMs'
  | 'restart'
  | 'clock'
>;

const ACTION = 'create primary dispatcher';
const OTHERS = [
  ...['min', 'max', 'stopGraceMs', 'healthMs', 'idleTimeoutMs', 'recycle', 'workerData', 'random'],
];

/**
 * Creates, in a worker, a dispatcher whose tasks run in the primary: the `primaryTasks` of `startCluster`, which all workers
 * of the machine share. The primary hands connections to workers, so its tasks should wait and not compute; one that crashes
 * it ends the cluster. When a worker ends, its tasks are aborted. The caller must call `close()`.
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
export function primaryDispatcher(options: PrimaryDispatcherOptions = {}): Dispatcher<TaskMap> {
  // Bound now, before a task can replace it.
  const send = process.send?.bind(process);
  if (send === undefined) {
    throw new TypeError(`Cannot ${ACTION}: this process is not a worker of \`startCluster\``);
  }
  const unknown = OTHERS.find((name) => Object.hasOwn(Object(options), name));
  if (unknown !== undefined) {
    throw new TypeError(
      `Cannot ${ACTION}: \`${unknown}\` does not apply, since the primary is the only worker`,
    );
  }
  const settings = {
    // A busy primary answers late, and there is no other.
    healthMs: 60_000,
    ...options,
    name: options.name ?? 'primary',
    max: 1,
  };
  resolvePoolOptions(ACTION, 'primary', settings);
  const channel: PrimaryLink = {
    pid: process.ppid,
    // With a callback a closed channel does not throw: `disconnect` ends this process.
    send: (message) => void send(message, undefined, undefined, () => {}),
    listen(listener) {
      process.on('message', listener);
      return () => process.off('message', listener);
    },
  };
  return createDispatcher(createPrimaryTransport(channel), settings);
}

/** The channel to the primary. */
interface PrimaryLink {
  readonly pid: number | undefined;
  send(message: ToPrimary): void;
  /** Returns a function that ends it. */
  listen(listener: (message: unknown) => void): () => void;
}

/** Creates the transport whose one worker is the primary. It cannot kill the primary: a task that hangs there stays. */
export function createPrimaryTransport(link: PrimaryLink): Transport {
  const sessions = new Map<number, PrimarySession>();
  const unlisten = link.listen((message) => {
    if (isFromPrimary(message)) sessions.get(message.session)?.receive(message);
  });
  return {
    kind: 'primary',
    capabilities: { isolation: 'process', hardKill: false, transfer: false, streams: true },
    // Tasks in the primary wait for what they share: those that wait for one thing must all be there.
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

  /** Reports every call as started: it is better to run none again than one twice. */
  started(): number {
    return this.#lastSeq;
  }

  kill(): void {
    this.#tell({ act: 'close' });
    queueMicrotask(() => this.#end());
  }

  /** Does nothing: a worker lives as long as its channel. */
  hold(): void {}

  receive(message: FromPrimary): void {
    if (this.#ended) return;
    if (message.act === 'frames') {
      let frames: readonly FromWorker[] | undefined;
      try {
        frames = decodeFromWorker(message.message);
      } catch (error) {
        // The calls that it answers would wait for ever.
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
