import type { Call } from './call.ts';
import { goesBefore, JobQueue } from './job-queue.ts';

/** Calls that wait for a worker: for any, or for the worker of their key. */
export class WaitingCalls {
  size = 0;
  /** Since when at least one has waited. */
  since = 0;
  readonly #shared = new JobQueue<Call>();
  readonly #keyed = new Map<number, JobQueue<Call>>();

  /** Adds a call; with a slot, only that slot's worker gets it. */
  push(call: Call, slot: number | undefined): void {
    if (this.size === 0) this.since = call.enqueuedAt;
    this.#queueOf(slot).push(call);
    this.size += 1;
  }

  /** Returns a call whose worker did not start it: before those that came later. */
  putBack(call: Call, slot: number | undefined, now: number): void {
    if (this.size === 0) this.since = now;
    this.#queueOf(slot).putBack(call);
    this.size += 1;
  }

  /**
   * How many go before a new call, in calls that all workers share: one for a slot's worker alone takes the time of one
   * at each of `workers`. For a call for any, the slot counts in which the fewest wait.
   */
  ahead(
    slot: number | undefined,
    { priority, now, workers }: { priority: number; now: number; workers: number },
  ): number {
    let own = 0;
    if (slot !== undefined) own = this.#keyed.get(slot)?.before(priority, now) ?? 0;
    else if (this.#keyed.size >= workers) {
      own = Number.POSITIVE_INFINITY;
      for (const queue of this.#keyed.values()) own = Math.min(own, queue.before(priority, now));
    }
    return this.#shared.before(priority, now) + own * workers;
  }

  remove(call: Call): void {
    if (!this.#shared.remove(call)) for (const queue of this.#keyed.values()) queue.remove(call);
    this.size -= 1;
  }

  /** Whether calls wait for a slot's worker alone; without a slot, for any worker. */
  has(slot: number | undefined): boolean {
    const queue = slot === undefined ? this.#shared : this.#keyed.get(slot);
    return queue !== undefined && queue.size > 0;
  }

  /** Whether the worker of a slot could be given one. */
  hasFor(slot: number): boolean {
    return this.#shared.size > 0 || this.has(slot);
  }

  /** Takes the call that the worker of a slot is to run next. */
  shift(slot: number, now: number): Call | undefined {
    const own = this.#keyed.get(slot)?.peek();
    const any = this.#shared.peek();
    const call =
      any === undefined || (own !== undefined && !goesBefore(any, own)) ? own : this.next(any, now);
    if (call !== undefined) this.remove(call);
    return call;
  }

  /**
   * The call that goes instead of the first one of those for any worker: the newest of the same priority once the first has
   * waited for half of what it may. A queue that stands so long gives each call just too late if it goes by age; what is
   * left to wait is answered if the load falls in time. Calls without a limit, and those of a key, keep their order:
   * docs/decisions/0012-a-queue-that-stands.md.
   */
  next(first: Call, now: number): Call {
    const waited = now - first.enqueuedAt;
    const { patienceMs } = first;
    // One whose time has passed is taken out, and answered.
    if (waited <= patienceMs / 2 || waited >= patienceMs) return first;
    const newest = first.list?.tail as Call;
    return newest.patienceMs < Number.POSITIVE_INFINITY && newest.wish.key === undefined
      ? newest
      : first;
  }

  /** Lets any worker run what waited for a slot. */
  release(slot: number): void {
    const queue = this.#keyed.get(slot);
    this.#keyed.delete(slot);
    for (let call = queue?.shift(); call !== undefined; call = queue?.shift()) {
      this.#shared.putBack(call);
    }
  }

  /** Takes all out. */
  drain(): Call[] {
    const calls: Call[] = [];
    for (const queue of [this.#shared, ...this.#keyed.values()]) {
      for (let call = queue.shift(); call !== undefined; call = queue.shift()) calls.push(call);
    }
    this.size = 0;
    return calls;
  }

  #queueOf(slot: number | undefined): JobQueue<Call> {
    if (slot === undefined) return this.#shared;
    let queue = this.#keyed.get(slot);
    if (queue === undefined) {
      queue = new JobQueue();
      this.#keyed.set(slot, queue);
    }
    return queue;
  }
}
