import { BusyPoll } from '../busy-poll.ts';
import type { FromWorker, RecycleFrame, ToWorker } from '../contract/frames.ts';
import type { BusyFrame, ReportFrame, RoomFrame } from '../contract/session-frames.ts';
import type { Movable } from '../contract/task.ts';
import { isFinalFailure } from '../define-tasks.ts';
import { nextTick } from '../soon.ts';
import { FrameWriter, type WriterOptions } from '../wire/frame-writer.ts';
import { writeFromWorker } from '../wire/from-worker-codec.ts';
import { readToWorker, type Undecodable } from '../wire/to-worker-codec.ts';
import { createLoadMeter, type LoadFrame } from './load-meter.ts';
import { TaskWorker, type TaskWorkerOptions } from './task-worker.ts';

/** Worker around the tasks: a child process, a thread. */
export interface ServeOptions
  extends WriterOptions,
    Pick<
      TaskWorkerOptions,
      | 'workerId'
      | 'slot'
      | 'name'
      | 'module'
      | 'around'
      | 'claim'
      | 'stalled'
      | 'isLoss'
      | 'byEvents'
    > {
  /** Returns the worker's `workerData`, or a promise of it; called once, before the module is loaded. Default: undefined. */
  readonly workerData?: (() => unknown) | undefined;
  /** Sends to the kernel, now. May throw for a value that the port cannot clone, which fails that task alone. */
  post(message: unknown, transfer: Movable[]): void;
  /** Returns the bytes of the process, or of the thread's heap. Called once a second at most. */
  memoryBytes(): number;
  /** Ends the worker once everything posted is out: 0 after `stop`, 1 after a failed start or `teardown`. */
  exit(code: number): void;
  /** Answers in one message at most, 1 or more. Default: a third of the calls in flight, and 24 from 48 on. */
  readonly together?: number;
  /** Called once for each call that has been answered or dropped, unless the owner has abandoned it. */
  readonly settled?: (seq: number) => void;
  /** Returns the load that the kernel is to know, or nothing; asked before each message. Default: the load of this thread. */
  readonly load?: (now: number) => LoadFrame | undefined;
  /** Milliseconds of a monotonic clock, by which runs are timed. Default `performance.now`. */
  readonly now?: () => number;
}

/** Tasks of a worker, being served. */
export interface Served {
  /** Takes any message of the port; ignores messages that are not from the kernel. */
  receive(message: unknown): void;
  /** Takes messages that came together: no call begins before all are read. */
  receiveAll(messages: readonly unknown[]): void;
  /** Takes frames of `decodeToWorker`, for owners that read messages themselves. */
  accept(frames: readonly (ToWorker | Undecodable)[]): void;
  /** Posts waiting answers. The owner calls it when the process exits, so that they are not lost with it. */
  flush(): void;
  /** Sends a frame of the worker itself, beside the frames of its tasks. @throws for data that cannot be cloned */
  tell(frame: ReportFrame | RecycleFrame | BusyFrame | RoomFrame): void;
  /** Stops starting and posting, and aborts running tasks: the kernel is gone. */
  abandon(reason: unknown): void;
}

/** Milliseconds that an answer waits for others, however long their tasks take. */
const MAX_WAIT_MS = 1;

/** Most answers per message. With more the two sides take turns: one is idle while the other works. */
const MAX_TOGETHER = 24;

/** Returns the most answers per message for a number of calls in flight. Figures: docs/decisions/0029-frames-in-a-pipe.md. */
function togetherOf(inFlight: number): number {
  return inFlight < 2 * MAX_TOGETHER ? Math.max(1, Math.floor(inFlight / 3)) : MAX_TOGETHER;
}

/** Kinds that do not wait: on `ready` the kernel sends tasks, on `started` it starts the clock of the run. */
const atOnce: ReadonlySet<FromWorker['kind']> = new Set(['ready', 'started'] as const);

/**
 * Loads a module of tasks, sends `ready` or `start-failed`, and runs the calls that come. Answers go out together: when the
 * current callbacks are over, when there are enough, or when the oldest has waited for a millisecond.
 */
export function serveTasks(options: ServeOptions): Served {
  const server = new TaskServer(options);
  void server.start();
  return server;
}

class TaskServer implements Served {
  readonly #options: ServeOptions;
  readonly #writer: FrameWriter;
  readonly #readLoad: (now: number) => LoadFrame | undefined;
  readonly #tasks = new TaskWorker();
  /** Answers in one message at most. */
  #together: number;
  /** Frames that wait to be posted, and when the first of them was written. */
  #waiting = 0;
  #waitsSince = 0;
  #isTicking = false;
  #hasDropped = false;
  /** Polls for the next call while the worker is idle, if the kernel asks for it. */
  readonly #poll = new BusyPoll();
  #polls = false;
  #isAbandoned = false;

  constructor(options: ServeOptions) {
    this.#options = options;
    this.#writer = new FrameWriter(options);
    this.#together = options.together ?? MAX_TOGETHER;
    this.#readLoad =
      options.load ??
      createLoadMeter({
        memoryBytes: () => options.memoryBytes(),
        polledMs: () => this.#poll.polledMs,
      });
  }

  async start(): Promise<void> {
    const { workerId, slot, module, around, workerData: ask } = this.#options;
    const { name, isLoss, stalled, byEvents, now = () => performance.now() } = this.#options;
    try {
      await this.#tasks.start({
        workerId,
        slot,
        module,
        around,
        workerData: ask === undefined ? { value: undefined } : { ask },
        name,
        isLoss,
        stalled,
        byEvents,
        now,
        emit: (frame) => this.tell(frame),
        claim: (seq) => this.#claim(seq),
        stopped: (failure) => this.#end(failure === undefined ? 0 : 1),
      });
    } catch (error) {
      const href = typeof module === 'string' ? module : '';
      this.tell({ kind: 'start-failed', error, final: isFinalFailure(error, href) });
      this.#end(1);
    }
  }

  receive(message: unknown): void {
    this.receiveAll([message]);
  }

  receiveAll(messages: readonly unknown[]): void {
    this.#poll.arrived();
    const frames: (ToWorker | Undecodable)[] = [];
    for (const message of messages) {
      const read = readToWorker(message);
      if (read === undefined) continue;
      if (read.inFlight > 0 && this.#options.together === undefined) {
        this.#together = togetherOf(read.inFlight);
      }
      frames.push(...read.frames);
    }
    this.accept(frames);
  }

  accept(frames: readonly (ToWorker | Undecodable)[]): void {
    if (this.#isAbandoned) return;
    const known: ToWorker[] = [];
    for (const frame of frames) {
      if (frame.kind === 'poll') {
        this.#polls = frame.on;
        this.#poll.retry();
      } else if (frame.kind !== 'undecodable') known.push(frame);
      else this.tell({ kind: 'failed', seq: frame.seq, error: frame.error, runMs: 0 });
    }
    this.#tasks.accept(known);
  }

  abandon(reason: unknown): void {
    this.#isAbandoned = true;
    this.#tasks.leave((runner) => runner.abandon(reason));
  }

  flush(): void {
    if (this.#waiting === 0 || this.#isAbandoned) return;
    this.#waiting = 0;
    const load = this.#readLoad(performance.now());
    if (load !== undefined) writeFromWorker(this.#writer, load);
    let refusal: { readonly error: unknown } | undefined;
    for (const { message, transfer, only } of this.#writer.take()) {
      try {
        this.#options.post(message, transfer);
      } catch (error) {
        // A port that takes no message at all is no task's fault: the error ends the worker.
        if (only === undefined) nextTick(rethrow, error);
        else refusal = { error };
      }
    }
    if (this.#polls && this.#tasks.isIdle) this.#poll.expect();
    if (refusal !== undefined) throw refusal.error;
  }

  tell(frame: FromWorker): void {
    writeFromWorker(this.#writer, frame);
    const { kind } = frame;
    if (kind === 'done' || kind === 'failed' || kind === 'dropped' || kind === 'lost') {
      this.#options.settled?.(frame.seq);
    }
    const now = performance.now();
    if (this.#waiting === 0) this.#waitsSince = now;
    this.#waiting += 1;
    // A value that the port may refuse goes now, while its task can still fail by it.
    const enough = this.#writer.complete || this.#waiting >= this.#together;
    if (enough || atOnce.has(kind) || now - this.#waitsSince > MAX_WAIT_MS) this.flush();
    else if (!this.#isTicking) {
      this.#isTicking = true;
      nextTick(this.#tick);
    }
  }

  /** Claims a call. Dropped calls go out before the next task begins: another worker waits for them. */
  #claim(seq: number): boolean {
    const isMine = this.#options.claim(seq);
    if (isMine && this.#hasDropped) this.flush();
    this.#hasDropped = !isMine;
    return isMine;
  }

  readonly #tick = (): void => {
    this.#isTicking = false;
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
