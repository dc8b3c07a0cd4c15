import type { Histogram } from '../kernel-counts.ts';
import type { ResolvedPoolOptions } from '../resolve-pool-options.ts';
import type { Sender } from '../workers/sender.ts';
import { isTaken, leastBusy, roomOf, slotOfKey } from '../workers/slots.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import type { Call, LateBy, PoolWorker, Target } from './call.ts';
import { Departures } from './departures.ts';
import { goesBefore, JobQueue } from './job-queue.ts';
import type { Recall } from './recall.ts';

/** Gives calls to workers with room, in their order; the others wait. */
export class Feeder {
  readonly #waiting = new WaitingCalls();
  readonly #pool: WorkerPool;
  readonly #sender: Sender;
  readonly #recall: Recall;
  readonly #options: ResolvedPoolOptions;
  readonly #waits: Histogram;
  readonly #late: (call: Call, limit: LateBy) => void;
  readonly departures: Departures = new Departures();

  constructor(
    parts: {
      readonly pool: WorkerPool;
      readonly sender: Sender;
      readonly recall: Recall;
      readonly waits: Histogram;
      /** A call was taken out whose time had passed. */
      readonly late: (call: Call, limit: LateBy) => void;
    },
    options: ResolvedPoolOptions,
  ) {
    this.#pool = parts.pool;
    this.#sender = parts.sender;
    this.#recall = parts.recall;
    this.#waits = parts.waits;
    this.#late = parts.late;
    this.#options = options;
  }

  /** Calls that wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** How many more calls would be taken. */
  get room(): number {
    return this.#options.maxQueue - this.#waiting.size + roomOf(this.#pool.slots);
  }

  /** Milliseconds that a call would wait for a worker; 0 if none goes before it, undefined if nothing is known. */
  expectedWaitMs(target: Target, priority: number): number | undefined {
    const now = this.#options.clock.now();
    const slot = this.#slotOf(target);
    let ready = 0;
    let workers = 0;
    let inFlight = 0;
    for (const slot of this.#pool.slots) {
      if (isTaken(slot)) workers += 1;
      if (slot.current?.state !== 'ready') continue;
      ready += 1;
      inFlight += slot.current.calls.size;
    }
    // How long a worker takes to start is not known.
    if (ready === 0) return undefined;
    if (slot !== undefined && this.#pool.slots[slot]?.current?.state !== 'ready') return undefined;
    const ahead = this.#waiting.ahead(slot, { priority, now, workers });
    if (ahead === 0) return 0;
    const interval = this.departures.intervalMs(workers, (inFlight * workers) / ready, now);
    return interval === undefined ? undefined : ahead * interval;
  }

  /** The worker that takes a call now; none if the call has to wait. */
  workerFor(target: Target): PoolWorker | undefined {
    const slot = this.#slotOf(target);
    if (slot === undefined) return leastBusy(this.#pool.slots);
    const current = this.#pool.slots[slot]?.current;
    return current?.hasRoom ? current : undefined;
  }

  give(worker: PoolWorker, call: Call, now: number): void {
    worker.give(call, now);
    this.#waits.record(now - call.enqueuedAt);
    this.#sender.soon(worker, now);
    this.#recall.watch(worker);
  }

  /** Queues a call, and starts one more worker if a slot is empty. */
  wait(call: Call): void {
    this.#waiting.push(call, this.#slotOf(call.target));
    this.help(call.target);
  }

  /** Starts one more worker for calls of such a target, if a slot is empty. */
  help(target: Target): void {
    const slot = this.#slotOf(target);
    if (slot === undefined) this.#pool.grow();
    else this.#pool.occupy(slot);
  }

  /** Returns a call that its worker never started, before those that came later. */
  putBack(call: Call): void {
    call.state = 'queued';
    call.worker = undefined;
    this.#waiting.putBack(call, this.#slotOf(call.target), this.#options.clock.now());
  }

  remove(call: Call): void {
    this.#waiting.remove(call);
  }

  /** Whether calls wait for the worker of a slot alone; without a slot, for any worker. */
  wants(slot: number | undefined): boolean {
    return this.#waiting.has(slot);
  }

  /** Whether calls wait that the worker of a slot could run. */
  hasFor(slot: number): boolean {
    return this.#waiting.hasFor(slot);
  }

  /** Gives a worker what it has room for. */
  pump(worker: PoolWorker): void {
    if (this.#waiting.size === 0) {
      // It is full by the time that calls wait: its departures count from then on.
      worker.servedAt ??= Number.NEGATIVE_INFINITY;
      return;
    }
    const now = this.#options.clock.now();
    let taken = 0;
    while (worker.hasRoom && this.#giveNext(worker, now)) taken += 1;
    this.#measure(worker, taken, now);
    if (this.#waiting.hasFor(worker.slot)) worker.starved = true;
  }

  /** Gives a worker the next of the calls that wait for it and are not late. @returns whether there was one */
  #giveNext(worker: PoolWorker, now: number): boolean {
    for (;;) {
      const call = this.#waiting.shift(worker.slot, now);
      if (call === undefined) return false;
      const limit = call.lateBy(now);
      if (limit === undefined) {
        this.give(worker, call, now);
        return true;
      }
      this.#late(call, limit);
    }
  }

  /** What a worker takes at first only fills it. */
  #measure(worker: PoolWorker, taken: number, now: number): void {
    if (taken === 0 && !worker.hasRoom) return;
    if (taken > 0 && worker.servedAt !== undefined) {
      this.departures.left(taken, now - Math.max(worker.servedAt, this.#waiting.since), now);
    }
    worker.servedAt = now;
  }

  /** Gives workers what they have room for: the next call to the one that has the least to do. */
  pumpAll(): void {
    if (this.#waiting.size === 0) return;
    const now = this.#options.clock.now();
    const next = (): PoolWorker | undefined =>
      leastBusy(this.#pool.slots, ({ slot }) => this.#waiting.hasFor(slot));
    for (let worker = next(); worker !== undefined; worker = next()) {
      // It only fills the worker.
      if (this.#giveNext(worker, now)) worker.servedAt = now;
    }
    for (const { index, current } of this.#pool.slots) {
      if (current?.state !== 'ready') continue;
      if (current.hasRoom) current.servedAt = now;
      if (this.#waiting.hasFor(index)) current.starved = true;
    }
  }

  /** A slot is no more: any worker may take what waits for it. */
  removed(slot: number): void {
    this.#waiting.release(slot);
    this.pumpAll();
  }

  /** No worker will come for slots that are empty: others may take what waits for them. */
  release(): void {
    for (const { index, current } of this.#pool.slots) {
      if (current === undefined) this.#waiting.release(index);
    }
  }

  /** Takes out all that wait, or those that are meant. */
  drain(isMeant?: (call: Call) => boolean): Call[] {
    const all = this.#waiting.drain();
    if (isMeant === undefined) return all;
    for (const call of all) if (!isMeant(call)) this.putBack(call);
    return all.filter(isMeant);
  }

  /** The slot of a target; undefined for any worker, and while the slot is empty and no worker will come. */
  #slotOf({ key, slot: wanted }: Target): number | undefined {
    if (key === undefined && wanted === undefined) return undefined;
    const slot = wanted ?? slotOfKey(key ?? '', this.#pool.slots.length);
    const isLost =
      this.#pool.circuit.state !== 'closed' && this.#pool.slots[slot]?.current === undefined;
    return isLost ? undefined : slot;
  }
}

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
    return newest.patienceMs < Number.POSITIVE_INFINITY && newest.target.key === undefined
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
