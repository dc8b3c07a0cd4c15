import type { Call, LateBy, WorkerWish } from './call.ts';
import { Departures } from './departures.ts';
import type { Histogram } from './histogram.ts';
import type { PoolWorker } from './pool-worker.ts';
import type { Recall } from './recall.ts';
import { rendezvous } from './rendezvous.ts';
import type { ResolvedPoolOptions } from './resolve-pool-options.ts';
import type { Sender } from './sender.ts';
import { isTaken, leastBusy, roomOf } from './slots.ts';
import { WaitingCalls } from './waiting-calls.ts';
import type { WorkerPool } from './worker-pool.ts';

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
  expectedWaitMs(wish: WorkerWish, priority: number): number | undefined {
    const now = this.#options.clock.now();
    const place = this.#placeOf(wish);
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
    if (place !== undefined && this.#pool.slots[place]?.current?.state !== 'ready')
      return undefined;
    const ahead = this.#waiting.ahead(place, { priority, now, workers });
    if (ahead === 0) return 0;
    const interval = this.departures.intervalMs(workers, (inFlight * workers) / ready, now);
    return interval === undefined ? undefined : ahead * interval;
  }

  /** The worker that takes a call now; none if the call has to wait. */
  workerFor(wish: WorkerWish): PoolWorker | undefined {
    const place = this.#placeOf(wish);
    if (place === undefined) return leastBusy(this.#pool.slots);
    const current = this.#pool.slots[place]?.current;
    return current?.hasRoom ? current : undefined;
  }

  give(worker: PoolWorker, call: Call, now: number): void {
    worker.give(call, now);
    this.#waits.record(now - call.enqueuedAt);
    this.#sender.soon(worker, now);
    this.#recall.watch(worker);
  }

  /** Lets a call wait; one more worker may help. */
  wait(call: Call): void {
    this.#waiting.push(call, this.#placeOf(call.wish));
    this.help(call.wish);
  }

  /** Starts one more worker for calls of such a wish, if a place is empty. */
  help(wish: WorkerWish): void {
    const place = this.#placeOf(wish);
    if (place === undefined) this.#pool.grow();
    else this.#pool.occupy(place);
  }

  /** Returns a call whose worker never started it: it goes before those that came later. */
  putBack(call: Call): void {
    call.state = 'queued';
    call.worker = undefined;
    this.#waiting.putBack(call, this.#placeOf(call.wish), this.#options.clock.now());
  }

  remove(call: Call): void {
    this.#waiting.remove(call);
  }

  /** Whether calls wait for the worker of a place alone; without a place, for any worker. */
  wants(place: number | undefined): boolean {
    return this.#waiting.has(place);
  }

  /** Whether calls wait that the worker of a place could run. */
  hasFor(place: number): boolean {
    return this.#waiting.hasFor(place);
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

  /** A place is no more: any worker may take what waits for it. */
  removed(place: number): void {
    this.#waiting.release(place);
    this.pumpAll();
  }

  /** No worker will come for places that are empty: others may take what waits for them. */
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

  /** The place that is wished for; none while that place is empty and is not going to be filled. */
  #placeOf({ key, place: wished }: WorkerWish): number | undefined {
    if (key === undefined && wished === undefined) return undefined;
    const place = wished ?? rendezvous(key ?? '', this.#pool.slots.length);
    const isLost =
      this.#pool.circuit.state !== 'closed' && this.#pool.slots[place]?.current === undefined;
    return isLost ? undefined : place;
  }
}
