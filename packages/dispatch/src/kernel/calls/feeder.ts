import { channel } from 'node:diagnostics_channel';
import type { RunOptions } from '../../contract/dispatcher.ts';
import type { Transport } from '../../contract/transport.ts';
import type { DispatchError } from '../../errors.ts';
import type { KernelCounts } from '../kernel-counts.ts';
import type { ResolvedPoolOptions } from '../resolve-pool-options.ts';
import type { PoolWorker } from '../workers/pool-worker.ts';
import type { Sender } from '../workers/sender.ts';
import {
  isTaken,
  leastBusy,
  leavesToOthers,
  roomOf,
  slotOfKey,
  soonest,
} from '../workers/slots.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import { anyWorker, type Call, type LateBy, type Target } from './call.ts';
import { noOtherWorker, noSuchWorker, overloaded, queueFull } from './call-errors.ts';
import type { Recall } from './recall.ts';
import { Departures, WaitingCalls } from './waiting-calls.ts';

/** `{ name, task, expectedWaitMs, retryAfterMs }` of a call that is refused because it would wait too long. */
const overloadedChannel = channel('ticketing:dispatch:overloaded');

interface FeederContext {
  readonly pool: WorkerPool;
  readonly sender: Sender;
  readonly recall: Recall;
  readonly counts: KernelCounts;
  /** Called with a call whose time passed while it waited. */
  readonly late: (call: Call, limit: LateBy) => void;
  /** Called with a call that may not wait, and would have to. */
  readonly refused: (call: Call, error: DispatchError) => void;
  /** Called with a call whose signal was aborted while it waited. */
  readonly aborted: (call: Call, reason: unknown) => void;
  /** Called with a call whose `onWorker` threw. */
  readonly threw: (call: Call, error: unknown) => void;
  readonly transport: Pick<Transport, 'mayDifferInSpeed'>;
  /** The transport's, if it knows owners of keys. */
  readonly homeOf: ((key: string, workerIds: readonly number[]) => number | undefined) | undefined;
}

/** Gives calls to workers with room, in their order. The other calls wait, unless they are refused. */
export class Feeder {
  readonly #waiting = new WaitingCalls();
  readonly #context: FeederContext;
  readonly #pool: WorkerPool;
  readonly #options: ResolvedPoolOptions;
  readonly departures: Departures = new Departures();

  constructor(context: FeederContext, options: ResolvedPoolOptions) {
    this.#context = context;
    this.#pool = context.pool;
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

  /** Whether a call with a key would be taken besides `others`, of which all may be for its worker. */
  hasRoomFor(key: string, others: number): boolean {
    const target = { ...anyWorker, key };
    if (others === 0 && this.workerFor(target) !== undefined) return true;
    if (this.#options.maxQueue - this.#waiting.size <= others) return false;
    return (this.#expectedWaitMs(target, 0) ?? 0) <= this.#options.maxWaitMs;
  }

  /** Milliseconds that a call without options would wait for a worker; undefined while nothing is known. */
  get expectedWaitMs(): number | undefined {
    return this.workerFor(anyWorker) === undefined ? this.#expectedWaitMs(anyWorker, 0) : 0;
  }

  /** Whether a call without options would be refused for the time that it would wait. */
  get isOverloaded(): boolean {
    return (this.expectedWaitMs ?? 0) > this.#options.maxWaitMs;
  }

  /**
   * Admits a call that has to wait.
   *
   * @throws DispatchError `ERR_QUEUE_FULL`; `ERR_OVERLOADED` if it would wait longer than it may
   */
  admit(task: string, target: Target, options: RunOptions | undefined): void {
    const { name, maxQueue } = this.#options;
    if (target.apartFrom !== undefined) throw noOtherWorker(name, task, target.apartFrom);
    if (this.size >= maxQueue) {
      // One more worker will have room.
      this.#help(target);
      throw queueFull(name, task, maxQueue);
    }
    const { option, limit, allowedMs } = this.#waitLimit(task, options);
    if (allowedMs === Number.POSITIVE_INFINITY) return;
    const waitMs = this.#expectedWaitMs(target, options?.priority ?? 0);
    // At the head of the queue it is next, however long that takes.
    if (waitMs === undefined || waitMs === 0 || waitMs <= allowedMs) return;
    if (target.slot === undefined) this.#context.counts.refused += 1;
    const expectedWaitMs = Math.ceil(waitMs);
    // By then the queue may be as long as the call may wait.
    const retryAfterMs = Math.max(1, Math.ceil(waitMs - Math.max(0, allowedMs)));
    if (overloadedChannel.hasSubscribers) {
      overloadedChannel.publish({ name, task, expectedWaitMs, retryAfterMs });
    }
    throw overloaded(option, { name, task, limit, expectedWaitMs, retryAfterMs });
  }

  /** Returns the worker that takes a call now; undefined if the call has to wait. */
  workerFor(target: Target): PoolWorker | undefined {
    const slot = this.#slotOf(target);
    const { apartFrom } = target;
    if (apartFrom !== undefined) return this.#best(({ workerId }) => workerId !== apartFrom);
    if (slot === undefined) return this.#best();
    const current = this.#pool.slots[slot]?.current;
    return current?.hasRoom ? current : undefined;
  }

  /** Gives a worker a call that has not waited. */
  begin(worker: PoolWorker, call: Call, now: number): void {
    this.#give(worker, call, now);
    this.#context.sender.first(worker, now);
  }

  #give(worker: PoolWorker, call: Call, now: number): void {
    worker.give(call, now);
    call.counts.wait.record(now - call.enqueuedAt);
    this.#context.recall.watch(worker);
    if (call.onWorker === undefined) return;
    try {
      call.onWorker(worker.workerId);
    } catch (error) {
      this.#context.threw(call, error);
    }
  }

  /** Queues a call, and starts one more worker if a slot is empty. */
  wait(call: Call): void {
    this.#waiting.push(call, this.#slotOf(call.target));
    this.#help(call.target);
  }

  /** Requeues a call that its worker never started, before those that came later; one that may not wait is refused. */
  putBack(call: Call): void {
    const { apartFrom, only, slot } = call.target;
    const { name } = this.#options;
    if (apartFrom !== undefined) {
      this.#context.refused(call, noOtherWorker(name, call.task, apartFrom));
      return;
    }
    if (only !== undefined && slot === undefined) {
      this.#context.refused(call, noSuchWorker(name, call.task, only));
      return;
    }
    call.state = 'queued';
    call.worker = undefined;
    this.#waiting.putBack(call, this.#slotOf(call.target), this.#options.clock.now());
  }

  remove(call: Call): void {
    this.#waiting.remove(call);
  }

  /** Workers came or went: waiting calls go where their keys belong now. */
  rehome(): void {
    if (this.#context.homeOf === undefined || this.#waiting.size === 0) return;
    const { since } = this.#waiting;
    for (const call of this.#waiting.drain()) {
      this.#waiting.putBack(call, this.#slotOf(call.target), since);
    }
  }

  /** Whether calls wait for the worker of a slot alone; without a slot, for any worker. */
  wants(slot: number | undefined): boolean {
    return this.#waiting.has(slot);
  }

  /** Whether calls wait that the worker of a slot could run. */
  hasFor(slot: number): boolean {
    return this.#waiting.hasFor(slot);
  }

  /** Fills a worker with waiting calls. */
  pump(worker: PoolWorker): void {
    if (this.#waiting.size === 0) {
      // By the time that calls wait it is full: its departures count from then on.
      worker.servedAt ??= Number.NEGATIVE_INFINITY;
      return;
    }
    const now = this.#options.clock.now();
    let taken = 0;
    while (worker.hasRoom && this.#giveNext(worker, now)) taken += 1;
    this.#measure(worker, taken, now);
    if (this.#waiting.hasFor(worker.slot)) worker.starved = true;
  }

  /** The worker with room that is least busy, or is likely to answer first. */
  #best(matches?: (worker: PoolWorker) => boolean): PoolWorker | undefined {
    const { slots } = this.#pool;
    if (!this.#context.transport.mayDifferInSpeed) return leastBusy(slots, matches);
    return soonest(slots, this.#options.clock.now(), matches);
  }

  /** Fills all workers: the next call goes to the least busy one. */
  pumpAll(): void {
    if (this.#waiting.size === 0) return;
    const now = this.#options.clock.now();
    const next = (): PoolWorker | undefined => this.#best(({ slot }) => this.#waiting.hasFor(slot));
    for (let worker = next(); worker !== undefined; worker = next()) {
      // It only fills the worker: no departure is measured.
      if (this.#giveNext(worker, now)) worker.servedAt = now;
    }
    for (const { index, current } of this.#pool.slots) {
      if (current?.state !== 'ready') continue;
      if (current.keysOnly) while (current.hasRoom && this.#giveNext(current, now));
      if (current.hasRoom) current.servedAt = now;
      if (this.#waiting.hasFor(index)) current.starved = true;
    }
  }

  /** A slot was removed: any worker may take the calls that wait for it. */
  removed(slot: number): void {
    this.#waiting.release(slot);
    this.pumpAll();
  }

  /** No worker will come for empty slots: any worker may take the calls that wait for them. */
  release(): void {
    for (const { index, current } of this.#pool.slots) {
      if (current === undefined) this.#waiting.release(index);
    }
  }

  /** Removes and returns all waiting calls, or those that match. */
  drain(matches?: (call: Call) => boolean): Call[] {
    const all = this.#waiting.drain();
    if (matches === undefined) return all;
    for (const call of all) if (!matches(call)) this.putBack(call);
    return all.filter(matches);
  }

  /** Milliseconds that a call would wait; 0 if none goes before it, undefined while nothing is known. */
  #expectedWaitMs(target: Target, priority: number): number | undefined {
    const now = this.#options.clock.now();
    const { slots } = this.#pool;
    const own = this.#slotOf(target);
    let ready = 0;
    let workers = 0;
    let holds = 0;
    for (const slot of slots) {
      if (isTaken(slot)) workers += 1;
      if (slot.current?.state !== 'ready') continue;
      ready += 1;
      holds += slot.current.holds;
    }
    // How long a worker takes to start is unknown.
    if (ready === 0) return undefined;
    if (own !== undefined && slots[own]?.current?.state !== 'ready') return undefined;
    const ahead = this.#waiting.ahead(own, { priority, now, workers });
    if (ahead === 0) return 0;
    const inFlight = (holds * workers) / ready;
    const interval = this.departures.intervalMs(workers, inFlight, now, this.#waiting.since);
    return interval === undefined ? undefined : ahead * interval;
  }

  /** The option that ends its wait first; `timeoutMs` also covers the time that the task takes at its worker. */
  #waitLimit(
    task: string,
    options: RunOptions | undefined,
  ): { readonly option: string; readonly limit: number; readonly allowedMs: number } {
    const { maxWaitMs } = this.#options;
    let least = { option: 'maxWaitMs', limit: maxWaitMs, allowedMs: maxWaitMs };
    const { timeoutMs, queueTimeoutMs } = options ?? {};
    if (queueTimeoutMs !== undefined && queueTimeoutMs < least.allowedMs) {
      least = { option: 'queueTimeoutMs', limit: queueTimeoutMs, allowedMs: queueTimeoutMs };
    }
    if (timeoutMs !== undefined) {
      const allowedMs = timeoutMs - this.departures.heldMs(task);
      if (allowedMs < least.allowedMs) least = { option: 'timeoutMs', limit: timeoutMs, allowedMs };
    }
    return least;
  }

  /** Starts one more worker for a target, if a slot is empty. */
  #help(target: Target): void {
    const slot = this.#slotOf(target);
    if (slot === undefined) this.#pool.grow();
    else this.#pool.occupy(slot);
  }

  /** Gives a worker its next waiting call that is not late. @returns whether there was one */
  #giveNext(worker: PoolWorker, now: number): boolean {
    for (;;) {
      const call = this.#waiting.shift(worker.slot, now, leavesToOthers(worker, this.#pool.slots));
      if (call === undefined) return false;
      const { only } = call.target;
      if (only !== undefined && only !== worker.workerId) {
        this.#context.refused(call, noSuchWorker(this.#options.name, call.task, only));
        continue;
      }
      const signal = call.options?.signal;
      const limit = call.lateBy(now);
      if (signal?.aborted) this.#context.aborted(call, signal.reason);
      else if (limit !== undefined) this.#context.late(call, limit);
      else {
        this.#give(worker, call, now);
        this.#context.sender.soon(worker, now);
        return true;
      }
    }
  }

  /** Measures departures; the first calls of a worker only fill it. */
  #measure(worker: PoolWorker, taken: number, now: number): void {
    if (taken === 0 && !worker.hasRoom) return;
    const { servedAt } = worker;
    worker.servedAt = now;
    if (taken === 0) return;
    if (servedAt === undefined) this.departures.filled(now);
    else this.departures.left(taken, now - Math.max(servedAt, this.#waiting.since), now);
  }

  /** The slot of a target; undefined for any worker, and while the slot is empty and no worker will come. */
  #slotOf({ key, slot: wanted }: Target): number | undefined {
    if (key === undefined && wanted === undefined) return undefined;
    if (key !== undefined && this.#context.homeOf !== undefined) return this.#homeOf(key);
    const slot = wanted ?? slotOfKey(key ?? '', this.#pool.slots.length);
    const isLost =
      this.#pool.circuit.state !== 'closed' && this.#pool.slots[slot]?.current === undefined;
    return isLost ? undefined : slot;
  }

  /** The slot of the worker that owns a key; undefined if none of those that take calls does. */
  #homeOf(key: string): number | undefined {
    const ids: number[] = [];
    for (const { current } of this.#pool.slots) {
      if (current?.state === 'ready') ids.push(current.workerId);
    }
    if (ids.length === 0) return undefined;
    const home = this.#context.homeOf?.(key, ids);
    if (home === undefined) return undefined;
    return this.#pool.slots.find(({ current }) => current?.workerId === home)?.index;
  }
}
