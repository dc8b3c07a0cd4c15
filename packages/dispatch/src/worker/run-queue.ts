import { Fifo } from '@ticketing/kit';
import type { RunFrame } from '../contract/frames.ts';
import { nextImmediate } from '../soon.ts';

/** Turns of the event loop, in which a worker reads frames between tasks. */
export interface TurnOptions {
  /** Resumes after a turn of the event loop. Default: by `setImmediate`. */
  readonly afterTurn?: (resume: () => void) => void;
  /** True if frames come only as events of the event loop, as over a pipe from another process. Default `false`. */
  readonly byEvents?: boolean | undefined;
}

/** Milliseconds of tasks, or of items, in a row; then the event loop has a turn, so that aborts are read in time. */
export const MAX_TURN_MS = 1;

/**
 * Calls that wait in a worker, in the order of `seq`, and the limit of calls that begin in one turn of the event loop. With
 * `byEvents`, frames that come after the queue was empty come with a later event, so their tasks begin a new turn. Otherwise code
 * of the same thread may add frames at any time, so a turn lasts until the event loop has had one.
 */
export class RunQueue {
  readonly #options: TurnOptions;
  readonly #resume: () => void;
  readonly #frames = new Fifo<RunFrame>();
  /** Numbers of frames that were removed from the middle; the frames are skipped when their turn comes. */
  readonly #removed = new Set<number>();
  #lastSeq = 0;
  /** Time at which the first task of the turn began. */
  #turnBegan: number | undefined;
  #isTurnAwaited = false;

  /** @param resume - Called when calls may begin again, after a turn in which they could not */
  constructor(options: TurnOptions, resume: () => void) {
    this.#options = options;
    this.#resume = resume;
  }

  get isEmpty(): boolean {
    const frames = this.#frames;
    while (this.#removed.size > 0) {
      if (frames.first === undefined || !this.#removed.delete(frames.first.seq)) break;
      frames.shift();
    }
    return frames.length === 0;
  }

  push(frame: RunFrame): void {
    this.#frames.push(frame);
    this.#lastSeq = frame.seq;
  }

  /** Returns the call that begins at `now`; nothing if none waits, or the turn is over: then it calls `resume` in the next one. */
  shift(now: number): RunFrame | undefined {
    if (this.isEmpty) return undefined;
    const isFirst = this.#turnBegan === undefined;
    this.#turnBegan ??= now;
    const isOver = now - this.#turnBegan > MAX_TURN_MS;
    // To await a turn costs more than a small task.
    if (this.#options.byEvents ? isOver : isFirst) this.#awaitTurn();
    return isOver ? undefined : this.#frames.shift();
  }

  /** Ends the turn if no call waits and the next one comes with a later event. */
  settle(): void {
    if (this.#options.byEvents && !this.#isTurnAwaited && this.isEmpty) this.#turnBegan = undefined;
  }

  /** Removes a call. @returns whether it was there */
  remove(seq: number): boolean {
    const { first } = this.#frames;
    if (first === undefined || seq < first.seq || seq > this.#lastSeq) return false;
    if (this.#removed.has(seq)) return false;
    this.#removed.add(seq);
    return true;
  }

  clear(): void {
    this.#frames.take();
    this.#removed.clear();
  }

  #awaitTurn(): void {
    if (this.#isTurnAwaited) return;
    this.#isTurnAwaited = true;
    (this.#options.afterTurn ?? afterPoll)(this.#next);
  }

  readonly #next = (): void => {
    this.#isTurnAwaited = false;
    this.#turnBegan = undefined;
    this.#resume();
  };
}

/** Resumes once the event loop has read all that came meanwhile: the first `setImmediate` comes before it reads again. */
export function afterPoll(resume: () => void): void {
  nextImmediate(() => nextImmediate(resume));
}
