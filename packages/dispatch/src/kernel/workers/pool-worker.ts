import type { ToWorker, Unsent, WorkerHandle } from '../../contract/transport.ts';
import { InFlight } from '../../in-flight.ts';
import type { Call } from '../calls/call.ts';
import type { Pace } from './pace.ts';
import type { Window } from './window.ts';

/**
 * State of a worker. `retiring`: its successor works, it finishes its calls. `stopping`: it was asked to stop.
 * `killed`: its end has not been seen yet.
 */
export type PoolWorkerState = 'starting' | 'ready' | 'retiring' | 'stopping' | 'killed' | 'gone';

/** A worker as the kernel sees it: its calls, and the frames that wait to be sent to it. */
export class PoolWorker {
  state: PoolWorkerState = 'starting';
  handle: WorkerHandle | undefined = undefined;
  /** Calls that it has not settled, by number. */
  readonly calls: InFlight<Call> = new InFlight();
  /** Streams of these that wait for their consumers: they take no room. */
  stalled = 0;
  /** Calls that it has answered. */
  done = 0;
  /** It has answered a call, or reported other work: if it ends, its start did not fail. */
  proved = false;
  /** Its latest report of other work. */
  report: unknown = undefined;
  /** The latest report of its module. */
  moduleReport: unknown = undefined;
  /** The names of its tasks that `json` has marked; undefined if there are none. */
  jsonTasks: ReadonlySet<string> | undefined = undefined;
  /** It has reported that it can run tasks: it may still run some as a part of its start. */
  hasStarted = false;
  /** It asked to be replaced. */
  asksRecycle = false;
  doneSinceLoad = 0;
  runMsSinceLoad = 0;
  bytesAtLoad = 0;
  /** It gave a call back for want of room, and has sent no `room` since: it gets no calls. */
  isBusy = false;
  /** It takes only calls whose key it owns, as long as others take calls. */
  keysOnly = false;
  /** The bound of its latest `room`. */
  most: number = Number.POSITIVE_INFINITY;
  /** The largest bound of a `room`: what it holds once those that share it have gone or are served. */
  mostEver = 0;
  /** When calls were taken back from it, if it has sent nothing since: it gets no calls. */
  heldUpAt: number | undefined = undefined;
  /** The number it had claimed at the last check, and how many checks in a row found the same. */
  seen: { readonly claimed: number; readonly checks: number } | undefined = undefined;
  /** Calls have waited since its last load frame because it was full. */
  starved = false;
  /** Checks in a row that found it idle since the one before; `given` at the latest. */
  idle: { readonly checks: number; readonly given: number } = { checks: 0, given: 0 };
  /** When it last took waiting calls, or none waited for it; undefined until it is first pumped. */
  servedAt: number | undefined = undefined;
  memoryBytes: number | undefined = undefined;
  heapBytes: number | undefined = undefined;
  /** Milliseconds of its load frames since the last check of its health, and the checks in a row that found it too busy. */
  readonly busy = { activeMs: 0, elapsedMs: 0, checks: 0 };
  /** Its last load frame, and when it came. */
  load: { readonly activeMs: number; readonly elapsedMs: number; readonly at: number } | undefined =
    undefined;
  /** Messages that came from it so far. */
  heard = 0;
  /** A call was taken off it that it did not settle in time, and it has answered no health check since. */
  isOverdue = false;
  /** A health check that it has not answered; `excused` if a task ran when the answer was due. */
  asked: 'due' | 'excused' | undefined = undefined;
  /** Why it could not start, if it reported that. */
  startError: { readonly error: unknown; readonly final: boolean } | undefined = undefined;
  startTimer: unknown = undefined;
  stopTimer: unknown = undefined;
  /** Its replacement has begun; or it is no longer needed. */
  replaced = false;
  readonly workerId: number;
  readonly slot: number;
  readonly window: Window;
  readonly bornAt: number;
  /** How long it takes for a run, where workers may differ. */
  readonly pace: Pace | undefined;
  /** Whether what is unsent will be sent in this turn. */
  isToBeSent = false;
  /** Called when its end has been seen. */
  onGone: (() => void) | undefined = undefined;
  /** Called once: with `undefined` when it has started, or with the error. */
  readonly onStart: ((error: unknown) => void) | undefined;
  #lastSeq = 0;
  #outbox: ToWorker[] = [];
  #outboxSince = 0;
  /** As the worker knows it. */
  #polls = false;

  constructor(
    worker: Pick<PoolWorker, 'workerId' | 'slot' | 'window' | 'bornAt' | 'onStart' | 'pace'>,
  ) {
    this.workerId = worker.workerId;
    this.slot = worker.slot;
    this.window = worker.window;
    this.pace = worker.pace;
    this.bornAt = worker.bornAt;
    this.onStart = worker.onStart;
  }

  /** Calls that it has been given so far. */
  get given(): number {
    return this.#lastSeq;
  }

  /** Calls that it holds at most. */
  get windowSize(): number {
    return Math.min(this.window.size, this.most);
  }

  get hasRoom(): boolean {
    const isHeldUp = this.heldUpAt !== undefined || this.isBusy;
    return this.state === 'ready' && !isHeldUp && this.calls.size - this.stalled < this.windowSize;
  }

  /** Calls that it is likely to hold while others wait: more than now if it has just come, or gave calls back. */
  get holds(): number {
    return Math.max(this.calls.size, Math.min(this.window.size, this.mostEver));
  }

  /** Whether it may be at a breakpoint: nothing that it fails to do says that it is dead. */
  get isInspected(): boolean {
    return this.handle?.isInspected ?? false;
  }

  /** Whether a task is running. */
  get isRunning(): boolean {
    const started = this.handle?.started() ?? 0;
    for (const { seq } of this.calls) if (seq <= started) return true;
    return false;
  }

  /** Takes a call in; `flush` sends it. */
  give(call: Call, now: number): void {
    this.#lastSeq += 1;
    const seq = this.#lastSeq;
    call.state = 'sent';
    call.worker = this;
    call.seq = seq;
    call.sentAt = now;
    this.calls.add(call);
    const { options } = call;
    this.post(
      {
        kind: 'run',
        seq,
        id: call.id,
        task: call.task,
        input: call.input,
        attempt: call.attempt,
        deadline: call.deadline,
        metadata: call.trace === undefined ? options?.metadata : call.metadata,
        transfer: options?.transfer,
        announce: options?.runTimeoutMs !== undefined,
        credit: call.items?.window,
        json: this.jsonTasks?.has(call.task),
      },
      now,
    );
  }

  /** Adds a frame to what the next `flush` sends. */
  post(frame: ToWorker, now: number): void {
    if (this.#outbox.length === 0) this.#outboxSince = now;
    this.#outbox.push(frame);
  }

  /** Removes a call that has not been sent yet. @returns whether it was still here */
  takeBack(call: Call): boolean {
    const index = this.#outbox.findIndex((frame) => frame.kind === 'run' && frame.seq === call.seq);
    if (index < 0) return false;
    this.#outbox.splice(index, 1);
    this.calls.delete(call.seq);
    return true;
  }

  /** Removes and returns the calls that have not been sent yet. */
  takeBackAll(): Call[] {
    const calls: Call[] = [];
    this.#outbox = this.#outbox.filter((frame) => {
      const call = frame.kind === 'run' ? this.calls.get(frame.seq) : undefined;
      if (call === undefined) return true;
      this.calls.delete(call.seq);
      calls.push(call);
      return false;
    });
    return calls;
  }

  /** Whether it does other work than tasks, which must not end for the sake of one. */
  get isServing(): boolean {
    return this.report !== undefined;
  }

  get hasUnsent(): boolean {
    return this.#outbox.length > 0;
  }

  /** Milliseconds that the oldest unsent frame has waited; 0 if there is none. */
  unsentFor(now: number): number {
    return this.#outbox.length === 0 ? 0 : now - this.#outboxSince;
  }

  /**
   * Sends the posted frames, unless it is being killed.
   *
   * @param polls - Whether the worker is to poll for its next call
   * @returns calls whose input cannot be cloned
   */
  flush(polls: boolean): readonly Unsent[] {
    if (this.#outbox.length === 0 || this.handle === undefined) return [];
    if (this.state === 'killed' || this.state === 'gone') return [];
    const frames = this.#outbox;
    this.#outbox = [];
    if (polls !== this.#polls) {
      this.#polls = polls;
      frames.push({ kind: 'poll', on: polls });
    }
    return this.handle.send(frames, this.calls.size);
  }
}
