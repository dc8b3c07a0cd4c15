import type { Unsent } from '../../contract/transport.ts';
import type { PoolWorker } from '../calls/call.ts';

/** Longest that a frame waits for others within one turn of the event loop. */
const MAX_UNSENT_MS = 1;

/** Sends what workers were given: many frames in one message. */
export class Sender {
  readonly #unsent = new Set<PoolWorker>();
  readonly #onUnsent: (worker: PoolWorker, refused: readonly Unsent[]) => void;
  readonly #flushAll = (): void => this.flushAll();

  constructor(onUnsent: (worker: PoolWorker, refused: readonly Unsent[]) => void) {
    this.#onUnsent = onUnsent;
  }

  /** After the promise jobs of this turn: what callers ask for next goes in the same message. */
  soon(worker: PoolWorker, now: number): void {
    if (worker.unsentFor(now) > MAX_UNSENT_MS) {
      this.flush(worker);
      return;
    }
    if (this.#unsent.size === 0) process.nextTick(this.#flushAll);
    this.#unsent.add(worker);
  }

  flush(worker: PoolWorker): void {
    this.#unsent.delete(worker);
    const refused = worker.flush();
    if (refused.length > 0) this.#onUnsent(worker, refused);
  }

  flushAll(): void {
    // Not over a copy: a refusal makes room for more, which would otherwise wait for a flush that is not scheduled.
    for (const worker of this.#unsent) this.flush(worker);
  }
}
