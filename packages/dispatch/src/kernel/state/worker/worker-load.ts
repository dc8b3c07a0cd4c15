import type { FromWorker } from '../../../contract/frames.ts';
import type { Pace } from './pace.ts';
import type { Window } from './window.ts';

type LoadFrame = Extract<FromWorker, { readonly kind: 'load' }>;

/** Measured load of one worker, and the window and pace that follow from it. */
export class WorkerLoad {
  /** Calls that the worker has answered. */
  done = 0;
  /** Latest load frame, and when it came. */
  latest:
    | { readonly activeMs: number; readonly elapsedMs: number; readonly at: number }
    | undefined = undefined;
  memoryBytes: number | undefined = undefined;
  heapBytes: number | undefined = undefined;
  /** Time at which the worker last took waiting calls, or none waited for it; undefined until it is first filled. */
  servedAt: number | undefined = undefined;
  readonly window: Window;
  /** Time that the worker takes for a run, where workers may differ. */
  readonly pace: Pace | undefined;
  #doneSince = 0;
  #runMsSince = 0;
  #bytesBefore = 0;
  /** True if calls have waited since the latest load frame of the worker because it was full. */
  #isStarved = false;
  /** Milliseconds of the worker's load frames since the last check, and the checks in a row that found it too busy. */
  #activeMs = 0;
  #elapsedMs = 0;
  #busyChecks = 0;

  constructor(window: Window, pace: Pace | undefined) {
    this.window = window;
    this.pace = pace;
  }

  /** Counts an answer. */
  answered(runMs: number): void {
    this.done += 1;
    this.#doneSince += 1;
    this.#runMsSince += runMs;
  }

  /** Notes that calls wait although it was filled. */
  starve(): void {
    this.#isStarved = true;
  }

  /** Notes that the worker took waiting calls at `now`, or could have. */
  served(now: number): void {
    this.servedAt = now;
  }

  /**
   * Takes a load frame.
   *
   * @param isStarved - whether calls wait for it now
   * @param bytes - bytes of its way so far
   */
  record(frame: LoadFrame, now: number, isStarved: boolean, bytes: number): void {
    const { elapsedMs, activeMs, memoryBytes, heapBytes } = frame;
    this.window.record({
      elapsedMs,
      activeMs,
      starved: this.#isStarved || isStarved,
      done: this.#doneSince,
      runMs: this.#runMsSince,
      bytes: bytes - this.#bytesBefore,
    });
    this.latest = { activeMs, elapsedMs, at: now };
    this.#doneSince = 0;
    this.#runMsSince = 0;
    this.#bytesBefore = bytes;
    this.#isStarved = false;
    this.#elapsedMs += elapsedMs;
    this.#activeMs += activeMs;
    if (memoryBytes !== undefined) this.memoryBytes = memoryBytes;
    if (heapBytes !== undefined) this.heapBytes = heapBytes;
  }

  /**
   * Returns the checks in a row, with this one, between which its event loop was busy for more than a share. One that has sent no
   * load since the last check is left as it was.
   */
  checkBusy(share: number): number {
    if (this.#elapsedMs > 0) {
      const isBusy = this.#activeMs / this.#elapsedMs > share;
      this.#busyChecks = isBusy ? this.#busyChecks + 1 : 0;
      this.#activeMs = 0;
      this.#elapsedMs = 0;
    }
    return this.#busyChecks;
  }
}
