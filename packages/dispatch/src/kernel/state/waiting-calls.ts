import type { Call } from './call.ts';
import { goesBefore, JobQueue } from './job-queue.ts';

/** Calls that wait for a worker: for any, or for that of their key. */
export class WaitingCalls {
  size = 0;
  /** Time since which the queue has not been empty. */
  since = 0;
  readonly #shared = new JobQueue<Call>();
  readonly #bySlot = new Map<number, JobQueue<Call>>();

  /** Adds a call; with a slot, for the worker of that slot only. */
  push(call: Call, slot: number | undefined): void {
    if (this.size === 0) this.since = call.enqueuedAt;
    this.#queueOf(slot).push(call);
    this.size += 1;
  }

  /** Queues a call again that its worker did not start, before calls that came later. */
  putBack(call: Call, slot: number | undefined, now: number): void {
    if (this.size === 0) this.since = now;
    this.#queueOf(slot).putBack(call);
    this.size += 1;
  }

  /**
   * Returns the number of calls that go before a new one, counted in calls that all workers share: one for a single slot counts
   * `workers` times. For a call for any worker, the slot with the fewest counts.
   */
  ahead(
    slot: number | undefined,
    { priority, now, workers }: { priority: number; now: number; workers: number },
  ): number {
    let own = 0;
    if (slot !== undefined) own = this.#bySlot.get(slot)?.before(priority, now) ?? 0;
    else if (this.#bySlot.size >= workers) {
      own = Number.POSITIVE_INFINITY;
      for (const queue of this.#bySlot.values()) own = Math.min(own, queue.before(priority, now));
    }
    return this.#shared.before(priority, now) + own * workers;
  }

  /** Removes a call. Does nothing if it is in no queue. */
  remove(call: Call): void {
    if (call.list === undefined) return;
    if (!this.#shared.remove(call)) for (const queue of this.#bySlot.values()) queue.remove(call);
    this.size -= 1;
  }

  /** Returns true if calls wait for the worker of a slot alone; without a slot, for any worker. */
  has(slot: number | undefined): boolean {
    const queue = slot === undefined ? this.#shared : this.#bySlot.get(slot);
    return queue !== undefined && queue.size > 0;
  }

  /** Returns true if the worker of a slot could run a waiting call. */
  hasFor(slot: number): boolean {
    return this.#shared.size > 0 || this.has(slot);
  }

  /** Removes and returns the call that the worker of a slot runs next; with `ownOnly`, among calls that wait for it alone. */
  shift(slot: number, now: number, ownOnly: boolean): Call | undefined {
    const own = this.#bySlot.get(slot)?.peek();
    const any = ownOnly ? undefined : this.#shared.peek();
    const call =
      any === undefined || (own !== undefined && !goesBefore(any, own)) ? own : this.next(any, now);
    if (call !== undefined) this.remove(call);
    return call;
  }

  /**
   * Returns the call for any worker that goes next: the newest of the same priority once the first has waited for half of its
   * limit, else the first. Why: docs/decisions/0012-a-queue-that-stands.md. Calls without a limit, and calls with a key,
   * keep their order.
   */
  next(first: Call, now: number): Call {
    const waited = now - first.enqueuedAt;
    const { patienceMs } = first;
    // A call whose time has passed is removed and answered.
    if (waited <= patienceMs / 2 || waited >= patienceMs) return first;
    const newest = first.list?.tail as Call;
    return newest.patienceMs < Number.POSITIVE_INFINITY && newest.target.key === undefined
      ? newest
      : first;
  }

  /** Lets any worker run the calls that wait for a slot. */
  release(slot: number): void {
    const queue = this.#bySlot.get(slot);
    this.#bySlot.delete(slot);
    for (let call = queue?.shift(); call !== undefined; call = queue?.shift()) {
      this.#shared.putBack(call);
    }
  }

  /** Removes and returns all. */
  drain(): Call[] {
    const calls: Call[] = [];
    for (const queue of [this.#shared, ...this.#bySlot.values()]) {
      for (let call = queue.shift(); call !== undefined; call = queue.shift()) calls.push(call);
    }
    this.size = 0;
    return calls;
  }

  #queueOf(slot: number | undefined): JobQueue<Call> {
    if (slot === undefined) return this.#shared;
    let queue = this.#bySlot.get(slot);
    if (queue === undefined) {
      queue = new JobQueue();
      this.#bySlot.set(slot, queue);
    }
    return queue;
  }
}
