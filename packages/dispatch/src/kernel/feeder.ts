import type { Call } from './call.ts';
import type { Histogram } from './histogram.ts';
import type { PoolWorker } from './pool-worker.ts';
import { rendezvous } from './rendezvous.ts';
import type { ResolvedPoolOptions } from './resolve-pool-options.ts';
import type { Sender } from './sender.ts';
import { leastBusy, roomOf } from './slots.ts';
import { WaitingCalls } from './waiting-calls.ts';
import type { WorkerPool } from './worker-pool.ts';

/** Gives calls to workers with room, in their order; the others wait. */
export class Feeder {
  readonly #waiting = new WaitingCalls();
  readonly #pool: WorkerPool;
  readonly #sender: Sender;
  readonly #options: ResolvedPoolOptions;
  readonly #waits: Histogram;

  constructor(
    parts: { readonly pool: WorkerPool; readonly sender: Sender; readonly waits: Histogram },
    options: ResolvedPoolOptions,
  ) {
    this.#pool = parts.pool;
    this.#sender = parts.sender;
    this.#waits = parts.waits;
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

  /** The worker that takes a call now; none if the call has to wait. */
  workerFor(key: string | undefined): PoolWorker | undefined {
    const place = this.#placeOf(key);
    if (place === undefined) return leastBusy(this.#pool.slots);
    const current = this.#pool.slots[place]?.current;
    return current?.hasRoom ? current : undefined;
  }

  give(worker: PoolWorker, call: Call, now: number): void {
    worker.give(call, now);
    this.#waits.record(now - call.enqueuedAt);
    this.#sender.soon(worker, now);
  }

  /** Lets a call wait; one more worker may help. */
  wait(call: Call): void {
    const key = call.options?.key;
    this.#waiting.push(call, this.#placeOf(key));
    this.help(key);
  }

  /** Starts one more worker for calls of a key, or for any, if a place is empty. */
  help(key: string | undefined): void {
    const place = this.#placeOf(key);
    if (place === undefined) this.#pool.grow();
    else this.#pool.occupy(place);
  }

  /** Returns a call whose worker never started it: it goes before those that came later. */
  putBack(call: Call): void {
    call.state = 'queued';
    call.worker = undefined;
    this.#waiting.putBack(call, this.#placeOf(call.options?.key));
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
    if (this.#waiting.size === 0 || worker.state !== 'ready') return;
    const now = this.#options.clock.now();
    while (worker.hasRoom) {
      const call = this.#waiting.shift(worker.slot);
      if (call === undefined) return;
      this.give(worker, call, now);
    }
    if (this.#waiting.hasFor(worker.slot)) worker.starved = true;
  }

  pumpAll(): void {
    for (const { current } of this.#pool.slots) if (current !== undefined) this.pump(current);
  }

  /** No worker will come for places that are empty: others may take what waits for them. */
  release(): void {
    for (const { index, current } of this.#pool.slots) {
      if (current === undefined) this.#waiting.release(index);
    }
  }

  /** Takes out all that wait. */
  drain(): Call[] {
    return this.#waiting.drain();
  }

  /** The place of a key; none while that place is empty and is not going to be filled. */
  #placeOf(key: string | undefined): number | undefined {
    if (key === undefined) return undefined;
    const place = rendezvous(key, this.#options.max);
    const isLost =
      this.#pool.circuit.state !== 'closed' && this.#pool.slots[place]?.current === undefined;
    return isLost ? undefined : place;
  }
}
