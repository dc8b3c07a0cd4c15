import type { ToWorker, Unsent } from '../../contract/transport.ts';
import { nextTick } from '../../soon.ts';
import type { PoolWorker } from './pool-worker.ts';

/** Longest wait of a frame for others within one turn of the event loop. */
const MAX_UNSENT_MS = 1;
const microtask = Promise.resolve();

interface SenderCallbacks {
  /** Whether a worker is to poll for its next call. */
  polls(): boolean;
  /** Called before frames are sent. */
  sending(): void;
  /** Called after that: an answer of a worker in this thread is on its way by then. */
  sent(): void;
  /** Called with calls whose input could not be sent. */
  unsent(worker: PoolWorker, refused: readonly Unsent[]): void;
}

/** Sends the frames of workers, many in one message. */
export class Sender {
  /** With those that were sent meanwhile. */
  readonly #unsent: PoolWorker[] = [];
  #isTicking = false;
  readonly #isApart: boolean;
  readonly #callbacks: SenderCallbacks;

  /** @param isApart - Whether workers run elsewhere, so that their tasks do not begin within the code that sends */
  constructor(isApart: boolean, callbacks: SenderCallbacks) {
    this.#isApart = isApart;
    this.#callbacks = callbacks;
  }

  post(worker: PoolWorker, frame: ToWorker, now: number): void {
    worker.post(frame, now);
    this.soon(worker, now);
  }

  /**
   * Sends after the microtasks of this turn: calls made until then go in the same message. In this thread there is none, and what
   * is on the stack now comes first.
   */
  soon(worker: PoolWorker, now: number): void {
    if (worker.unsentFor(now) > MAX_UNSENT_MS) {
      this.flush(worker);
      return;
    }
    if (!worker.isToBeSent) this.#unsent.push(worker);
    worker.isToBeSent = true;
    if (this.#isTicking) return;
    this.#isTicking = true;
    if (this.#isApart) nextTick(this.#tick);
    else void microtask.then(this.#tick);
  }

  /** As {@link soon}; but a worker that had no call gets it now, and begins while others are made. */
  first(worker: PoolWorker, now: number): void {
    if (!this.#isApart || worker.calls.size > 1) {
      this.soon(worker, now);
      return;
    }
    const refused = this.#send(worker);
    // Its caller has not got the promise yet.
    if (refused.length > 0) nextTick(this.#callbacks.unsent, worker, refused);
  }

  flush(worker: PoolWorker): void {
    const refused = this.#send(worker);
    if (refused.length > 0) this.#callbacks.unsent(worker, refused);
  }

  flushAll(): void {
    // A refusal makes room for more calls, which are sent here too.
    for (let worker = this.#unsent.pop(); worker !== undefined; worker = this.#unsent.pop()) {
      worker.isToBeSent = false;
      this.flush(worker);
    }
    // Those of a worker that gave them back, or has ended, wait now: they are none of its frames.
    this.#callbacks.sending();
    this.#callbacks.sent();
  }

  #send(worker: PoolWorker): readonly Unsent[] {
    if (!worker.hasUnsent) return [];
    this.#callbacks.sending();
    const refused = worker.flush(this.#callbacks.polls());
    this.#callbacks.sent();
    return refused;
  }

  readonly #tick = (): void => {
    this.#isTicking = false;
    this.flushAll();
  };
}
