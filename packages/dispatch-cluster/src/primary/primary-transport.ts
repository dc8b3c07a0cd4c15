import {
  decodeFromWorker,
  postToWorker,
  type Transport,
  type WorkerEvents,
  type WorkerHandle,
  type WorkerStart,
} from '@ticketing/dispatch/transport';
import {
  type FromPrimary,
  isFromPrimary,
  type ToPrimary,
  toPrimaryTag,
} from './primary-messages.ts';

/** The channel to the primary. */
export interface PrimaryLink {
  readonly pid: number | undefined;
  send(message: ToPrimary): void;
  /** @returns what ends it */
  listen(listener: (message: unknown) => void): () => void;
}

/** Makes the primary the worker of a dispatcher. It cannot be killed from here: what does not end is left to itself. */
export function createPrimaryTransport(link: PrimaryLink): Transport {
  const sessions = new Map<number, PrimarySession>();
  const unlisten = link.listen((message) => {
    if (isFromPrimary(message)) sessions.get(message.session)?.receive(message);
  });
  return {
    kind: 'primary',
    capabilities: { isolation: 'process', hardKill: false, transfer: false },
    // Tasks there wait for something that they share: all that ask for it must share one.
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
  readonly #link: PrimaryLink;
  readonly #session: number;
  readonly #events: WorkerEvents;
  #lastSeq = 0;
  #ended = false;

  constructor(link: PrimaryLink, { workerId, module }: WorkerStart, events: WorkerEvents) {
    this.pid = link.pid;
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

  /** Better that nothing is run again than that something is run twice. */
  started(): number {
    return this.#lastSeq;
  }

  kill(): void {
    this.#tell({ act: 'close' });
    queueMicrotask(() => this.#end());
  }

  /** Nothing to do: a worker lives as long as its channel. */
  hold(): void {}

  receive(message: FromPrimary): void {
    if (this.#ended) return;
    if (message.act === 'frames') {
      const frames = decodeFromWorker(message.message);
      if (frames !== undefined) this.#events.frames(frames);
      return;
    }
    if (message.act === 'refused') {
      const expected = 'primaryTasks among the options of startCluster expected, got none';
      const error = new TypeError(`Cannot run tasks in the primary: ${expected}`);
      this.#events.frames([{ kind: 'start-failed', error, final: true }]);
    }
    this.#end();
  }

  #tell(
    message:
      | { readonly act: 'open'; readonly module: string | undefined }
      | { readonly act: 'frames'; readonly message: unknown }
      | { readonly act: 'close' },
  ): void {
    this.#link.send({ ticketing: toPrimaryTag, session: this.#session, ...message });
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#events.exit({ exitCode: undefined, signal: undefined, stderrTail: '' });
  }
}
