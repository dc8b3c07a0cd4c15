import { nextImmediate } from '../soon.ts';

/** How a worker lets its event loop read frames between tasks. */
export interface TurnOptions {
  /** Resumes after a turn of the event loop. Default: by `setImmediate`. */
  readonly afterTurn?: (resume: () => void) => void;
  /** Whether frames come only as events of the event loop, as over a pipe from another process. Default `false`. */
  readonly byEvents?: boolean | undefined;
}

/** Milliseconds of tasks, or of items, in a row; then the event loop has a turn, so that aborts are read in time. */
export const MAX_TURN_MS = 1;

/**
 * Limits the tasks that begin in one turn. With `byEvents`, frames that come after the queue was empty come with a later event,
 * so their tasks begin a new turn. Otherwise code of the same thread may add frames at any time, so a turn lasts until the event
 * loop has had one.
 */
export class TurnLimit {
  readonly #options: TurnOptions;
  readonly #resume: () => void;
  /** When the first task of the turn began. */
  #began: number | undefined;
  #isAwaited = false;

  constructor(options: TurnOptions, resume: () => void) {
    this.#options = options;
    this.#resume = resume;
  }

  /** Whether one more task may begin at `now`. If not, `resume` is called in the next turn. */
  allows(now: number): boolean {
    const { byEvents = false } = this.#options;
    const isFirst = this.#began === undefined;
    this.#began ??= now;
    const isOver = now - this.#began > MAX_TURN_MS;
    // To await a turn costs more than a small task.
    if (byEvents ? isOver : isFirst) this.#await();
    return !isOver;
  }

  /** No task is waiting. */
  emptied(): void {
    if (this.#options.byEvents && !this.#isAwaited) this.#began = undefined;
  }

  #await(): void {
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    (this.#options.afterTurn ?? afterPoll)(this.#next);
  }

  readonly #next = (): void => {
    this.#isAwaited = false;
    this.#began = undefined;
    this.#resume();
  };
}

/** Resumes once the event loop has read what came meanwhile: the first `setImmediate` comes before it reads again. */
export function afterPoll(resume: () => void): void {
  nextImmediate(() => nextImmediate(resume));
}
