import type { TaskHooks, TaskMap, TaskModule } from '../contract/task.ts';
import type { FromWorker, RecycleFrame, ReportFrame, ToWorker } from '../contract/transport.ts';
import { isFinalFailure, loadTaskModule } from '../define-tasks.ts';
import { FromWorkerWriter } from '../wire/from-worker-codec.ts';
import { decodeToWorker } from '../wire/to-worker-codec.ts';
import { createTaskRunner, type TaskRunner } from './task-runner.ts';

/** The worker around the tasks: a child process, a thread. */
export interface ServeOptions {
  readonly workerId: number;
  /** Address of the module, as `file:///…`, or the module. */
  readonly module: string | TaskModule<TaskMap>;
  /** Adds to the module's hooks what belongs to the worker itself. */
  readonly around?: (hooks: TaskHooks) => TaskHooks;
  /** Sends to the kernel, now. May throw for a value that the port cannot clone, which is that task's failure alone. */
  post(message: unknown, transfer: ArrayBuffer[]): void;
  /**
   * Asks for the right to run a call; calls ask in the order of `seq`. True: leaves word of it where that outlives this
   * worker. False: the kernel has taken the call back, and the worker drops it.
   */
  claim(seq: number): boolean;
  /** Bytes of the process, or of the thread's heap. Asked once a second at most. */
  memoryBytes(): number;
  /** Ends the worker after what was posted has gone out: 0 after `stop`, 1 after a start or `teardown` that failed. */
  exit(code: number): void;
  /** Whether the port moves buffers and shares memory. */
  readonly transfers: boolean;
}

/** What serves the tasks of a worker. */
export interface Served {
  /** Takes any message of the port; what is not from the kernel is passed over. */
  receive(message: unknown): void;
  /** Posts what waits. Owners call it when the process exits, so that answers are not lost with it. */
  flush(): void;
  /** Tells the kernel what concerns the worker itself. @throws for data that cannot be cloned */
  tell(frame: ReportFrame | RecycleFrame): void;
  /** The kernel is gone: stops starting and posting, and aborts running tasks. */
  abandon(reason: unknown): void;
}

/** Milliseconds an answer waits for others, however long the tasks beside it take. */
const MAX_WAIT_MS = 1;

/**
 * Answers in one message at most. With more the two sides take turns: the worker is idle while the kernel reads what
 * it has answered, the kernel while the worker runs what it was given. Measured with 64 calls in flight: 24 gives 1.4
 * times the throughput of no limit between processes and 1.8 times between threads; 8 costs more than it gives.
 */
const MAX_TOGETHER = 24;

/** The kernel sends tasks by the one, and its clock runs from the other. */
const atOnce: ReadonlySet<FromWorker['kind']> = new Set(['ready', 'started'] as const);

/**
 * Loads a module of tasks, tells `ready` or `start-failed`, and runs what comes. Answers go out together: as the
 * current callbacks are over, when there are enough, or when the oldest has waited for a millisecond.
 */
export function serveTasks(options: ServeOptions): Served {
  const server = new TaskServer(options);
  void server.start();
  return server;
}

class TaskServer implements Served {
  readonly #options: ServeOptions;
  readonly #writer: FromWorkerWriter;
  readonly #meter: LoadMeter;
  #runner: TaskRunner | undefined;
  /** What came before the module was ready. */
  #early: ToWorker[] = [];
  #waitsSince: number | undefined;
  /** Answers that wait. */
  #waiting = 0;
  #ticking = false;
  #hasDropped = false;
  #abandoned: { readonly reason: unknown } | undefined;

  constructor(options: ServeOptions) {
    this.#options = options;
    this.#writer = new FromWorkerWriter(options);
    this.#meter = createLoadMeter(() => options.memoryBytes());
  }

  async start(): Promise<void> {
    const { module: given, around, workerId } = this.#options;
    try {
      const { tasks, hooks } = typeof given === 'string' ? await loadTaskModule(given) : given;
      const module = { tasks, hooks: around?.(hooks) ?? hooks };
      const runner = createTaskRunner(module, {
        workerId,
        emit: (frame) => this.#emit(frame),
        claim: (seq) => this.#claim(seq),
        stopped: (failure) => this.#end(failure === undefined ? 0 : 1),
        now: () => performance.now(),
      });
      await runner.start();
      this.#runner = runner;
      if (this.#abandoned !== undefined) runner.abandon(this.#abandoned.reason);
      else runner.accept(this.#early);
      this.#early = [];
    } catch (error) {
      const href = typeof given === 'string' ? given : '';
      this.#emit({ kind: 'start-failed', error, final: isFinalFailure(error, href) });
      this.#end(1);
    }
  }

  receive(message: unknown): void {
    const frames = decodeToWorker(message);
    if (frames === undefined || this.#abandoned !== undefined) return;
    const known: ToWorker[] = [];
    for (const frame of frames) {
      if (frame.kind !== 'undecodable') known.push(frame);
      else this.#emit({ kind: 'failed', seq: frame.seq, error: frame.error, runMs: 0 });
    }
    if (this.#runner === undefined) this.#early.push(...known);
    else this.#runner.accept(known);
  }

  tell(frame: ReportFrame | RecycleFrame): void {
    this.#emit(frame);
  }

  abandon(reason: unknown): void {
    this.#abandoned = { reason };
    this.#runner?.abandon(reason);
  }

  flush(): void {
    if (this.#waitsSince === undefined || this.#abandoned !== undefined) return;
    this.#waitsSince = undefined;
    this.#waiting = 0;
    const load = this.#meter.read(performance.now());
    if (load !== undefined) this.#writer.add(load);
    let refusal: { readonly error: unknown } | undefined;
    for (const { message, transfer, only } of this.#writer.take()) {
      try {
        this.#options.post(message, transfer);
      } catch (error) {
        // A port that takes no messages at all is no task's fault: the worker ends by it.
        if (only === undefined) process.nextTick(rethrow, error);
        else refusal = { error };
      }
    }
    if (refusal !== undefined) throw refusal.error;
  }

  /** @throws what makes a result or progress datum unfit to be sent */
  #emit(frame: FromWorker): void {
    this.#writer.add(frame);
    const now = performance.now();
    this.#waitsSince ??= now;
    // A value that the port may refuse goes while its task can still be told.
    this.#waiting += 1;
    const enough = this.#writer.complete || this.#waiting >= MAX_TOGETHER;
    const urgent = enough || atOnce.has(frame.kind);
    if (urgent || now - this.#waitsSince > MAX_WAIT_MS) this.flush();
    else if (!this.#ticking) {
      this.#ticking = true;
      process.nextTick(this.#tick);
    }
  }

  /** What was dropped waits for another worker: it does not wait for the next task here as well. */
  #claim(seq: number): boolean {
    const isMine = this.#options.claim(seq);
    if (isMine && this.#hasDropped) this.flush();
    this.#hasDropped = !isMine;
    return isMine;
  }

  readonly #tick = (): void => {
    this.#ticking = false;
    this.flush();
  };

  #end(code: number): void {
    this.flush();
    this.#options.exit(code);
  }
}

function rethrow(error: unknown): never {
  throw error;
}

/** Tells how busy this thread is, from time to time. */
interface LoadMeter {
  /** Gives what has been since the last one, if that is long enough ago. @param now - milliseconds that only grow */
  read(now: number): Extract<FromWorker, { kind: 'load' }> | undefined;
}

const EVERY_MS = 20;
/** Asking the system takes longer than many a task. */
const MEMORY_EVERY_MS = 1000;

/**
 * Makes the meter of a thread; the first reading comes after 20 ms, the first of memory with it. While memory cannot be
 * read (that of a process takes a file, and a process may be out of those) the last value stands.
 */
function createLoadMeter(memoryBytes: () => number): LoadMeter {
  let last = performance.eventLoopUtilization();
  let lastAt = performance.now();
  let memoryAt = Number.NEGATIVE_INFINITY;
  let memory: number | undefined;
  return {
    read(now) {
      if (now - lastAt < EVERY_MS) return undefined;
      lastAt = now;
      if (now - memoryAt >= MEMORY_EVERY_MS) {
        memoryAt = now;
        try {
          memory = memoryBytes();
        } catch {
          // Statistics are no reason to end.
        }
      }
      const current = performance.eventLoopUtilization();
      const activeMs = current.active - last.active;
      const elapsedMs = activeMs + current.idle - last.idle;
      last = current;
      return { kind: 'load', elapsedMs, activeMs, memoryBytes: memory };
    },
  };
}
