import {
  MessageChannel,
  type MessagePort,
  type ResourceLimits,
  receiveMessageOnPort,
  type Worker,
} from 'node:worker_threads';
import type { Movable, OutputSink, WorkerEnd } from '@ticketing/dispatch/transport';
import { refuseLostObjects } from '@ticketing/kit';
import { Piscina } from 'piscina';
import { StartJournal } from './start-journal.ts';

/**
 * Milliseconds in which a thread that runs JavaScript ends after it is terminated. A thread that takes longer is in native code,
 * which nothing can interrupt (docs/discoveries/a-thread-in-native-code.md): it is left behind.
 */
const NATIVE_MS = 50;

/** The input of a thread's one task. */
export interface ThreadStart {
  readonly workerId: number;
  readonly slot: number;
  /** True if the port holds the worker's `workerData`. */
  readonly hasWorkerData: boolean;
  readonly module: string;
  readonly port: MessagePort;
  readonly journal: SharedArrayBuffer;
}

/** Options of a thread: its program, its number and its limits. */
export interface WorkerThreadOptions {
  readonly entry: URL;
  readonly workerId: number;
  readonly slot: number;
  readonly workerData: unknown;
  readonly module: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly execArgv: string[] | undefined;
  readonly resourceLimits: ResourceLimits | undefined;
}

/** Callbacks for the messages and the end of a thread. */
export interface WorkerThreadEvents {
  /** Reports a thread that is in native code, and ends when that returns; `exit` follows at once all the same. */
  left?(): void;
  /** Reports the end of a thread that was left behind. */
  returned?(): void;
  message(message: unknown): void;
  /** Reports the end, exactly once, after the last message. */
  exit(end: WorkerEnd): void;
}

/**
 * Thread of piscina, with a port to it.
 *
 * Each piscina has one thread and runs one task, which takes the port and returns; from then on the port carries all frames,
 * many per message. docs/decisions/0007-one-kernel-thin-transports.md explains why the queue of piscina is not used.
 *
 * @throws the error of the platform if it cannot start a thread
 */
export class WorkerThread {
  /** Id of the thread, read at its start: a thread that has ended has none. */
  readonly threadId: number;
  readonly #pool: Piscina<ThreadStart, void>;
  readonly #thread: Worker;
  readonly #port: MessagePort;
  readonly #journal = new StartJournal();
  readonly #events: WorkerThreadEvents;
  readonly #workerId: number;
  #cause: { readonly error: unknown } | undefined;
  #killed = false;
  #isUnreadable = false;
  #ended = false;
  #farewell: NodeJS.Timeout | undefined;

  constructor(options: WorkerThreadOptions, events: WorkerThreadEvents) {
    this.#events = events;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const hasWorkerData = options.workerData !== undefined;
    try {
      // The thread reads the data before any other message.
      if (hasWorkerData) {
        refuseLostObjects(options.workerData, 'port');
        port1.postMessage(options.workerData);
      }
    } catch (error) {
      port1.close();
      throw error;
    }
    this.#pool = new Piscina({
      filename: options.entry.href,
      name: 'serve',
      // With a minimum of 1 piscina would start another thread when this one has ended.
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      // With atomics the thread would wait for piscina's tasks by Atomics.wait, and read no port.
      atomics: 'disabled',
      recordTiming: false,
      env: defined(options.env),
      ...(options.execArgv && { execArgv: options.execArgv }),
      ...(options.resourceLimits && { resourceLimits: options.resourceLimits }),
    });
    // Without a listener an error that a thread throws after its task has returned would be thrown here.
    this.#pool.on('error', () => {});
    const { workerId, slot, module } = options;
    this.#workerId = workerId;
    try {
      const task = {
        workerId,
        slot,
        hasWorkerData,
        module,
        port: port2,
        journal: this.#journal.buffer,
      };
      this.#pool.run(task, { transferList: [port2] }).catch(() => {});
      this.#thread = this.#pool.threads[0] as Worker;
      this.threadId = this.#thread.threadId;
    } catch (error) {
      port1.close();
      throw error;
    }
    this.#listen();
  }

  /** Sends the thread's output to a sink instead of the streams of this process. */
  divert(output: OutputSink): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      const readable = this.#thread[stream];
      readable.unpipe(process[stream]);
      this.#thread.once('exit', output.read(readable, { stream, workerId: this.#workerId }));
      readable.resume();
    }
  }

  /** Sends a message. Does nothing after the end of the thread: `exit` follows. */
  send(message: unknown, transfer: readonly Movable[]): void {
    this.#port.postMessage(message, transfer);
  }

  started(): number {
    return this.#journal.read();
  }

  reclaim(seqs: readonly number[]): readonly number[] {
    return this.#journal.reclaim(seqs);
  }

  /** Ends the thread because its messages cannot be read: the calls that they answer would never end. */
  lose(error: unknown): void {
    this.#cause ??= { error };
    this.#isUnreadable = true;
    this.kill();
  }

  kill(): void {
    if (this.#ended || this.#killed) return;
    this.#killed = true;
    void this.#pool.destroy();
    // The exit event may be due in this turn: one more turn lets it come first.
    this.#farewell = setTimeout(() => setImmediate(() => this.#leave()), NATIVE_MS);
  }

  hold(alive: boolean): void {
    if (this.#ended) return;
    for (const handle of [this.#thread, this.#port]) {
      if (alive) handle.ref();
      else handle.unref();
    }
  }

  #listen(): void {
    this.#port.on('message', this.#read);
    this.#thread.on('error', (error) => {
      this.#cause ??= { error };
    });
    this.#thread.on('exit', (exitCode) => {
      clearTimeout(this.#farewell);
      if (this.#ended) this.#events.returned?.();
      else this.#end(exitCode);
    });
    // Piscina unrefs a thread without a task.
    this.hold(true);
  }

  readonly #read = (message: unknown): void => {
    if (!this.#isUnreadable) this.#events.message(message);
  };

  /** Goes on without a thread that is in native code. It runs no further JavaScript, so it begins and answers nothing. */
  #leave(): void {
    if (this.#ended) return;
    this.#events.left?.();
    this.hold(false);
    this.#end(undefined);
  }

  #end(exitCode: number | undefined): void {
    // All messages of the thread are in this port's queue by now, and some have not been events yet.
    let next = receiveMessageOnPort(this.#port);
    while (next !== undefined) {
      this.#read(next.message);
      next = receiveMessageOnPort(this.#port);
    }
    this.#ended = true;
    this.#port.off('message', this.#read);
    this.#port.close();
    void this.#pool.destroy();
    this.#events.exit({
      // The code of a killed thread means nothing: 1, or 0 if it had not begun.
      exitCode: this.#killed ? undefined : exitCode,
      signal: undefined,
      stderrTail: '',
      ...(this.#cause && { cause: this.#cause.error }),
    });
  }
}

/** Returns the variables that have a value, so that undefined ones are not set, just as for a process. */
function defined(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(env);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
