import type { Fleet } from '../fleet/fleet.ts';
import type { NatsWorker } from './nats-worker.ts';

/** Beats in a row with a full own zone after which hosts of other zones get calls. */
const FULL_BEATS = 2;
/** Beats in a row with a half idle own zone after which hosts of other zones get none. */
const IDLE_BEATS = 4;

/**
 * Keeps calls in the dispatcher's own zone: hosts of other zones get no calls while a host of the own zone has room. Calls with
 * keys go to their owners in any zone, so a dispatcher that uses keys holds no host back.
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

  /** Applies the gate to a worker that takes calls from now on. */
  joined(worker: NatsWorker, workers: readonly NatsWorker[]): void {
    if (worker.isHeld || !this.#isForeign(worker)) this.#apply(workers);
    else worker.holdCalls(this.#holds(workers));
  }

  /** Opens or closes the gate by the load of the own zone. Called once per beat. */
  tick(workers: readonly NatsWorker[]): void {
    const own = workers.filter((worker) => worker.isReady && !this.#isForeign(worker));
    // A host that other dispatchers use too may be full of their calls.
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
