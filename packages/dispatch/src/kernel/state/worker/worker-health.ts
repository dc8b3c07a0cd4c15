/** Signs of life of one worker, and what its upkeep has noted. */
export class WorkerHealth {
  /** Messages that came from it so far. */
  heard = 0;
  /** Health check that the worker has not answered; `excused` if a task ran when the answer was due. */
  asked: 'due' | 'excused' | undefined = undefined;
  /** True if a call was taken off the worker that it did not settle in time, and it has answered no health check since. */
  isOverdue = false;
  /** True if the replacement of the worker has begun, or it is no longer needed. */
  isReplaced = false;
  /** True if the worker asked to be replaced. */
  asksRecycle = false;
  /** Highest call that the worker had begun at the latest check for held-up workers, and the checks in a row with the same. */
  seen: { readonly claimed: number; readonly checks: number } | undefined = undefined;
  /** Consecutive checks that found it idle, and the calls that it had been given at the latest. */
  idle: { readonly checks: number; readonly given: number } = { checks: 0, given: 0 };
  /** Limits at which the worker is replaced. */
  readonly limits: RecycleLimits;

  constructor(limits: RecycleLimits) {
    this.limits = limits;
  }

  hear(): void {
    this.heard += 1;
  }

  setAsked(state: 'due' | 'excused' | undefined): void {
    this.asked = state;
  }

  /** Notes that the worker has answered a health check. */
  answer(): void {
    this.asked = undefined;
    this.isOverdue = false;
  }

  overdue(): void {
    this.isOverdue = true;
  }

  setReplaced(isReplaced: boolean): void {
    this.isReplaced = isReplaced;
  }

  askRecycle(): void {
    this.asksRecycle = true;
  }

  see(seen: WorkerHealth['seen']): void {
    this.seen = seen;
  }

  /** Notes whether the worker was idle since the latest check. @returns the checks in a row that found it idle */
  checkIdle(isIdle: boolean, given: number): number {
    const isSame = isIdle && given === this.idle.given;
    this.idle = { given, checks: isSame ? this.idle.checks + 1 : 0 };
    return this.idle.checks;
  }
}

/** Calls, age and memory at which one worker is replaced. */
export type RecycleLimits = Readonly<Record<'tasks' | 'ageMs' | 'rssBytes' | 'heapBytes', number>>;
