import type { Clock } from '@ticketing/kit';
import type { PoolWorker } from './pool-worker.ts';

/** How long idle workers still hold the process: another call may follow at once. */
const LINGER_MS = 10;

/** Sets whether workers keep this process alive: while calls wait, or something is being closed. */
export class ProcessHold {
  isHeld = true;
  readonly #workers: ReadonlySet<PoolWorker>;
  readonly #clock: Clock;
  #timer: unknown;

  constructor(workers: ReadonlySet<PoolWorker>, clock: Clock) {
    this.#workers = workers;
    this.#clock = clock;
  }

  /** Workers that start hold the process until they are ready, whatever is set. */
  set(alive: boolean): void {
    this.isHeld = alive;
    for (const worker of this.#workers) {
      if (worker.state !== 'starting') worker.handle?.hold(alive);
    }
  }

  /** Lets go after a while, unless `isBusy` then. */
  letGoSoon(isBusy: () => boolean): void {
    this.#timer ??= this.#clock.setTimeout(() => {
      this.#timer = undefined;
      if (!isBusy()) this.set(false);
    }, LINGER_MS);
  }

  /** Holds the process until the workers are gone. */
  close(): void {
    this.#clock.clearTimeout(this.#timer);
    // Defined, so that no timer starts again.
    this.#timer = 'closed';
    this.set(true);
  }
}
