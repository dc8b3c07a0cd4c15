import type { Fleet } from '../fleet/fleet.ts';
import type { NatsWorker } from './nats-worker.ts';

/** Beats in a row that find the own zone full before hosts of others get calls, and half idle before they get none. */
const FULL_BEATS = 2;
const IDLE_BEATS = 4;

/**
 * Keeps calls in the own zone: hosts of other zones get none while one of the own has room. Calls with keys go to their
 * owners, wherever those are, so a dispatcher that uses keys holds no host back.
 */
export class ZoneGate {
  readonly #fleet: Fleet;
  readonly #window: number;
  #isOpen = false;
  #fullBeats = 0;
  #idleBeats = 0;

  constructor(fleet: Fleet, window: 'auto' | number) {
    this.#fleet = fleet;
    this.#window = window === 'auto' ? Number.POSITIVE_INFINITY : window;
  }

  /** A worker takes calls now. */
  joined(worker: NatsWorker, workers: readonly NatsWorker[]): void {
    if (worker.isHeld || !this.#isForeign(worker)) this.#apply(workers);
    else worker.holdCalls(this.#holds(workers));
  }

  /** Looks at the load of the own zone, once a beat. */
  tick(workers: readonly NatsWorker[]): void {
    const own = workers.filter((worker) => worker.isReady && !this.#isForeign(worker));
    // A host that others use too may be full of their calls.
    const mostOf = ({ isRefused, credit }: NatsWorker) =>
      isRefused ? 0 : Math.min(credit, this.#window);
    const isFull = own.every((worker) => worker.inFlight >= mostOf(worker));
    const isIdle = own.every(
      (worker) => !worker.isRefused && worker.inFlight <= mostOf(worker) / 2,
    );
    this.#fullBeats = isFull ? this.#fullBeats + 1 : 0;
    this.#idleBeats = isIdle ? this.#idleBeats + 1 : 0;
    if (this.#fullBeats >= FULL_BEATS) this.#isOpen = true;
    else if (this.#idleBeats >= IDLE_BEATS) this.#isOpen = false;
    this.#apply(workers);
  }

  #apply(workers: readonly NatsWorker[]): void {
    const held = this.#holds(workers);
    for (const worker of workers) worker.holdCalls(held && this.#isForeign(worker));
  }

  #holds(workers: readonly NatsWorker[]): boolean {
    if (this.#isOpen || this.#fleet.usesKeys) return false;
    return workers.some(
      (worker) => worker.isReady && !worker.isRetiring && !this.#isForeign(worker),
    );
  }

  #isForeign({ host }: NatsWorker): boolean {
    return host !== undefined && !this.#fleet.isOwnZone(host);
  }
}
