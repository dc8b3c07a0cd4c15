import type { PoolWorker } from './call.ts';

/** Holds of the workers on this process: it stays alive while calls wait, or something is being closed. */
export class ProcessHold {
  isHeld = true;
  /** Timer until the hold ends; `closed` once it never begins again. */
  #timer: unknown;
  readonly #workers: ReadonlySet<PoolWorker>;

  constructor(workers: ReadonlySet<PoolWorker>) {
    this.#workers = workers;
  }

  /** Sets whether workers hold the process. A worker that starts holds it until it is ready, whatever is set. */
  set(isHeld: boolean): void {
    this.isHeld = isHeld;
    for (const worker of this.#workers) {
      if (worker.phase !== 'starting') worker.handle?.hold(isHeld);
    }
  }

  /** True if the process could be let go, and no timer for that runs. */
  get canLetGo(): boolean {
    return this.isHeld && this.#timer === undefined;
  }

  /** Notes the timer until it lets go. */
  letGoLater(timer: unknown): void {
    this.#timer = timer;
  }

  /** The timer has fired. */
  timeOver(isBusy: boolean): void {
    this.#timer = undefined;
    if (!isBusy) this.set(false);
  }

  /** Holds the process until the workers are gone. @returns the timer that ran */
  close(): unknown {
    const timer = this.#timer;
    this.#timer = 'closed';
    this.set(true);
    return timer;
  }
}
