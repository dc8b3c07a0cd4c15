import type { ToWorker, Unsent } from '../../contract/transport.ts';
import type { PoolWorker } from './pool-worker.ts';

/** Longest wait of a frame for others within one turn of the event loop. */
const MAX_UNSENT_MS = 1;

/** Sends the frames of workers, many in one message. */
export class Sender {
  readonly #unsent = new Set<PoolWorker>();
  readonly #isApart: boolean;
  readonly #onUnsent: (worker: PoolWorker, refused: readonly Unsent[]) => void;
  readonly #flushAll = (): void => this.flushAll();

  /** @param isApart - Whether workers run elsewhere, so that their tasks do not begin within the code that sends */
  constructor(
    isApart: boolean,
    onUnsent: (worker: PoolWorker, refused: readonly Unsent[]) => void,
  ) {
    this.#isApart = isApart;
    this.#onUnsent = onUnsent;
  }

  post(worker: PoolWorker, frame: ToWorker, now: number): void {
    worker.post(frame, now);
    this.soon(worker, now);
  }

  /** Sends after the microtasks of this turn: calls made until then go in the same message. */
  soon(worker: PoolWorker, now: number): void {
    if (worker.unsentFor(now) > MAX_UNSENT_MS) {
      this.flush(worker);
      return;
    }
    if (this.#unsent.size === 0) process.nextTick(this.#flushAll);
    this.#unsent.add(worker);
  }

  /** As {@link soon}; but a worker that had no call gets it now, and begins while others are made. */
  first(worker: PoolWorker, now: number): void {
    if (!this.#isApart || worker.calls.size > 1) {
      this.soon(worker, now);
      return;
    }
    const refused = worker.flush();
    // Its caller has not got the promise yet.
    if (refused.length > 0) process.nextTick(this.#onUnsent, worker, refused);
  }

  flush(worker: PoolWorker): void {
    this.#unsent.delete(worker);
    const refused = worker.flush();
    if (refused.length > 0) this.#onUnsent(worker, refused);
  }

  flushAll(): void {
    // Not over a copy: a refusal makes room for more calls, which would wait for a flush that is not scheduled.
    for (const worker of this.#unsent) this.flush(worker);
  }
}
