import type { ToWorker } from '../contract/frames.ts';
import type { Unsent, WorkerHandle } from '../contract/transport.ts';
import type { Call } from './call.ts';
import type { Window } from './window.ts';

/**
 * What a worker is doing. `retiring`: its successor works, it finishes what it has. `stopping`: it was told to stop.
 * `killed`: its end has not been seen yet.
 */
export type PoolWorkerState = 'starting' | 'ready' | 'retiring' | 'stopping' | 'killed' | 'gone';

/** A worker as the kernel sees it: what it has been given, and what waits to be sent to it. */
export class PoolWorker {
  state: PoolWorkerState = 'starting';
  handle: WorkerHandle | undefined = undefined;
  /** By number: given, and not settled by the worker. */
  readonly calls: Map<number, Call> = new Map();
  /** Tasks it has answered. */
  done = 0;
  /** It has answered a task, or told of other work: if it ends, its start was no failure. */
  proved = false;
  /** What it last told of its other work. */
  report: unknown = undefined;
  /** It asked to be replaced. */
  asksRecycle = false;
  doneSinceLoad = 0;
  /** When calls were taken back from it, if it has said nothing since: it is given no others. */
  heldUpAt: number | undefined = undefined;
  /** What it had claimed at the last looks at the calls that it has not begun, and how many looks found just that. */
  seen: { readonly claimed: number; readonly looks: number } | undefined = undefined;
  /** Calls waited since its last load though it was full. */
  starved = false;
  /** Looks in a row at which it had nothing to do and had been given nothing since, of which the latest saw `given`. */
  idle: { readonly looks: number; readonly given: number } = { looks: 0, given: 0 };
  /** When it last took what waited, or nothing waited for it; undefined until it is first asked. */
  servedAt: number | undefined = undefined;
  memoryBytes: number | undefined = undefined;
  /** A question for its health that it has not answered; `excused` if a task ran when it was due. */
  asked: 'due' | 'excused' | undefined = undefined;
  /** Why it could not start, if it said so. */
  startError: { readonly error: unknown; readonly final: boolean } | undefined = undefined;
  startTimer: unknown = undefined;
  stopTimer: unknown = undefined;
  /** Its replacement has been begun; or it starts in vain. */
  replaced = false;
  readonly workerId: number;
  readonly slot: number;
  readonly window: Window;
  readonly bornAt: number;
  /** Told when its end has been seen. */
  onGone: (() => void) | undefined = undefined;
  /** Told once whether it started: `undefined`, or why not. */
  readonly onStart: ((error: unknown) => void) | undefined;
  #lastSeq = 0;
  #outbox: ToWorker[] = [];
  #outboxSince = 0;

  constructor(worker: Pick<PoolWorker, 'workerId' | 'slot' | 'window' | 'bornAt' | 'onStart'>) {
    this.workerId = worker.workerId;
    this.slot = worker.slot;
    this.window = worker.window;
    this.bornAt = worker.bornAt;
    this.onStart = worker.onStart;
  }

  /** Calls that it was given so far. */
  get given(): number {
    return this.#lastSeq;
  }

  get hasRoom(): boolean {
    const isHeldUp = this.heldUpAt !== undefined;
    return this.state === 'ready' && !isHeldUp && this.calls.size < this.window.size;
  }

  get isLive(): boolean {
    return this.state !== 'gone';
  }

  /** Whether a task that has started is under way. */
  get isRunning(): boolean {
    const started = this.handle?.started() ?? 0;
    for (const seq of this.calls.keys()) if (seq <= started) return true;
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
    this.calls.set(seq, call);
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
        metadata: options?.metadata,
        transfer: options?.transfer,
        announce: options?.runTimeoutMs !== undefined,
      },
      now,
    );
  }

  /** Adds a frame to what the next `flush` sends. */
  post(frame: ToWorker, now: number): void {
    if (this.#outbox.length === 0) this.#outboxSince = now;
    this.#outbox.push(frame);
  }

  /** Takes back a call that has not been sent yet. @returns whether it was still here */
  takeBack(call: Call): boolean {
    const place = this.#outbox.findIndex((frame) => frame.kind === 'run' && frame.seq === call.seq);
    if (place < 0) return false;
    this.#outbox.splice(place, 1);
    this.calls.delete(call.seq);
    return true;
  }

  /** Milliseconds that the oldest unsent frame has waited; 0 if there is none. */
  unsentFor(now: number): number {
    return this.#outbox.length === 0 ? 0 : now - this.#outboxSince;
  }

  /** Sends what was posted, unless it is being killed. @returns calls whose input cannot be cloned */
  flush(): readonly Unsent[] {
    if (this.#outbox.length === 0 || this.handle === undefined) return [];
    if (this.state === 'killed' || this.state === 'gone') return [];
    const frames = this.#outbox;
    this.#outbox = [];
    return this.handle.send(frames);
  }
}
