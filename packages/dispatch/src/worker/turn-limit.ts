/** How a worker shares its event loop with what comes. */
export interface TurnOptions {
  /** Resumes after a turn of the event loop. Default: by `setImmediate`. */
  readonly afterTurn?: (resume: () => void) => void;
  /** Whether frames come as events of the event loop alone, as from another process. Default `false`. */
  readonly byEvents?: boolean | undefined;
}

/** Milliseconds of tasks in a row; then the event loop has a turn, so that aborts are read in time. */
const MAX_TURN_MS = 1;

/**
 * Limits the tasks that begin in one turn of the event loop. Frames that come as events come in its turns: what follows an
 * emptied queue is a new turn. Calls of the same thread come at any time: each turn of theirs ends with one of the event loop.
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
  setImmediate(() => setImmediate(resume));
}
