import { aUrl, checkByRules, type Rules, wholeBetween } from '@ticketing/kit';
import type {
  BroadcastOptions,
  BroadcastOutcome,
  CallSource,
  Capabilities,
  CapacityOptions,
  CloseOptions,
  Dispatcher,
  DrainOptions,
  DrainReport,
  ForwardedCall,
  MapOptions,
  MapOutcome,
  ReloadOptions,
  RunOptions,
  StreamOptions,
} from '../../contract/dispatcher.ts';
import type { DispatcherKind, DispatcherState, DispatcherStats } from '../../contract/stats.ts';
import type { TaskMap } from '../../contract/task.ts';
import type { DispatchError } from '../../errors.ts';
import { broadcast, forgetBroadcasts } from '../broadcast.ts';
import {
  checkCapacity,
  checkCloseOptions,
  checkDrainOptions,
  checkMapOptions,
  checkStreamOptions,
} from '../checks.ts';
import { closed, drainedTooLong, draining, left, noStreams } from '../errors.ts';
import { closeKernel, drainKernel } from '../kernel.ts';
import { MAX_WORKERS } from '../options.ts';
import { run } from '../run.ts';
import type { CallOwner, CallPlace, ItemSink } from '../state/call.ts';
import { countReady, type PoolState } from '../state/pool-state.ts';
import { advance } from '../steps/advance.ts';
import { useGrant } from '../steps/capacity.ts';
import { giveUpAll } from '../steps/give-up.ts';
import { whenReady } from '../steps/workers.ts';
import { closeCapacity, waitForCapacity } from './capacity.ts';
import { ItemStream } from './item-stream.ts';
import { type MapInputs, mapTasks } from './map-tasks.ts';
import { PassedItems } from './passed-items.ts';
import { reloadWorkers } from './reload.ts';
import { statsOf } from './stats.ts';

/** Items of a stream: enough to keep both sides busy, few where each is large. */
const DEFAULT_WINDOW = 16;

/** Owner, relay source and stream sink of a call. */
type Callers = Pick<CallPlace, 'owner' | 'source' | 'items'>;

const reloadRules = { module: aUrl, parallel: wholeBetween(1, MAX_WORKERS) } satisfies Rules;

const NO_ONE: Callers = {};

/**
 * Dispatcher over the workers of a pool. Without a lender it owns them: `drain()` waits for every call, and the caller must call
 * `close()`, which ends them. With a lender `drain()` and `close()` affect its own calls only.
 */
export class PoolDispatcher implements Dispatcher<TaskMap> {
  readonly kind: DispatcherKind;
  readonly capabilities: Capabilities;
  readonly #pool: PoolState;
  readonly #lender: PoolDispatcher | undefined;
  /** Calls of a lent dispatcher. */
  readonly #own: CallOwner | undefined;
  /** Aborted when a lent dispatcher is closed. */
  readonly #returned = new AbortController();
  /** Aborted by `drain()` or `close()`, which is first. */
  readonly #ending = new AbortController();
  #draining: Promise<DrainReport> | undefined;
  #closing: Promise<void> | undefined;
  #reloading: { readonly href: string | undefined; readonly done: Promise<void> } | undefined;

  constructor(pool: PoolState, lender?: PoolDispatcher) {
    this.kind = pool.transport.kind;
    this.capabilities = pool.transport.capabilities;
    this.#pool = pool;
    this.#lender = lender;
    this.#own = lender && { active: 0, answered: 0 };
  }

  get state(): DispatcherState {
    if (this.#lender !== undefined) {
      if (this.#returned.signal.aborted) return 'closed';
      const { state } = this.#lender;
      return state !== 'closed' && this.#draining !== undefined ? 'draining' : state;
    }
    const { phase, staff } = this.#pool;
    if (phase !== 'open') return phase;
    const isHopeful = staff.circuit.state === 'closed';
    if (isHopeful && countReady(staff.slots) >= staff.min) return 'ready';
    return staff.started === 'all' || !isHopeful ? 'degraded' : 'starting';
  }

  ready(): Promise<void> {
    return this.#returned.signal.aborted
      ? Promise.reject(this.#returned.signal.reason)
      : whenReady(this.#pool);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the contract types input and output by the task's name
  run(task: string, input?: unknown, options?: RunOptions): Promise<any> {
    return this.#run({ task, input, options }, NO_ONE);
  }

  /** Runs or streams a task for one that passes the call on. Called by `forwardCall` alone. */
  forward(call: ForwardedCall, source: CallSource): Promise<unknown> {
    const outlet = source.takeItems?.();
    if (outlet === undefined) return this.#run(call, { source });
    if (!this.capabilities.streams) return Promise.reject(noStreams(this.kind, call.task));
    const items = new PassedItems(outlet);
    return this.#run(call, { source, items });
  }

  #run(call: ForwardedCall, callers: Callers): Promise<unknown> {
    if (this.#lender !== undefined) {
      const refusal = this.#refusal(call.task);
      if (refusal !== undefined) return Promise.reject(refusal);
      return this.#lender.#run(call, { ...callers, owner: this.#own });
    }
    useGrant(this.#pool);
    return run(this.#pool, call, callers);
  }

  stream(
    task: string,
    input?: unknown,
    options: StreamOptions = {},
    // biome-ignore lint/suspicious/noExplicitAny: as of `run`
  ): AsyncIterableIterator<any, undefined> {
    checkStreamOptions(options);
    if (!this.capabilities.streams) throw noStreams(this.kind, task);
    const { window = DEFAULT_WINDOW, ...own } = options;
    const run = (items: ItemSink) => this.#run({ task, input, options: own }, { items });
    return new ItemStream(window, run, () => left(this.#pool.options.name, task));
  }

  map(
    task: string,
    inputs: MapInputs,
    options: MapOptions = {},
    // biome-ignore lint/suspicious/noExplicitAny: as of `run`
  ): AsyncIterable<MapOutcome<any, any>> {
    checkMapOptions(options);
    const { name } = this.#pool.options;
    const { ending } = this;
    return mapTasks(this, { name, task, inputs, ending, mostNow: () => this.mostHeld }, options);
  }

  broadcast(
    task: string,
    input?: unknown,
    options?: BroadcastOptions,
    // biome-ignore lint/suspicious/noExplicitAny: as of `run`
  ): Promise<BroadcastOutcome<any>[]> {
    const refusal = this.#lender && this.#refusal(task);
    if (refusal !== undefined) return Promise.reject(refusal);
    return broadcast(this.#pool, task, input, options, this.#own);
  }

  /** Returns the error with which a lent dispatcher refuses a call; undefined if it takes calls. */
  #refusal(task: string): DispatchError | undefined {
    const { name } = this.#pool.options;
    if (this.#returned.signal.aborted) return closed(name, task);
    return this.#draining === undefined ? undefined : draining(name, task);
  }

  /** Signal that aborts when the dispatcher is drained or closed. Read by wrappers, for `map`. */
  get ending(): AbortSignal {
    const { signal } = this.#ending;
    return this.#lender === undefined ? signal : AbortSignal.any([signal, this.#lender.ending]);
  }

  /** Calls that the workers hold at most. Read by wrappers, for `map`. */
  get mostHeld(): number {
    const { staff, transport, options } = this.#pool;
    const { window } = options;
    return staff.slots.length * (window === 'auto' ? transport.autoWindow.max : window);
  }

  capacity(signal?: AbortSignal, options?: CapacityOptions): Promise<void> {
    try {
      checkCapacity(signal, options);
    } catch (error) {
      return Promise.reject(error);
    }
    const key = options?.key;
    if (this.#lender === undefined) return waitForCapacity(this.#pool, signal, key);
    const returned = this.#returned.signal;
    const either = signal ? AbortSignal.any([signal, returned]) : returned;
    return waitForCapacity(this.#pool, either, key);
  }

  stats(): DispatcherStats {
    return statsOf(this.#pool, this.kind, this.state);
  }

  reload(options: ReloadOptions = {}): Promise<void> {
    try {
      checkByRules('reload', options, reloadRules);
    } catch (error) {
      return Promise.reject(error);
    }
    const { aborted, reason } = this.#returned.signal;
    if (aborted) return Promise.reject(reason);
    if (this.#lender !== undefined) return this.#lender.reload(options);
    if (this.#pool.phase === 'closed') return Promise.reject(closed(this.#pool.options.name));
    const under = this.#reloading;
    const href = options.module?.href;
    if (under !== undefined && under.href === href) return under.done;
    const begin = (): Promise<void> => reloadWorkers(this.#pool, options);
    const done = under === undefined ? begin() : under.done.then(begin, begin);
    const mine = { href, done };
    this.#reloading = mine;
    const end = (): void => {
      if (this.#reloading === mine) this.#reloading = undefined;
    };
    done.then(end, end);
    return done;
  }

  drain(options: DrainOptions = {}): Promise<DrainReport> {
    try {
      checkDrainOptions(options);
    } catch (error) {
      return Promise.reject(error);
    }
    if (this.#lender === undefined) drainKernel(this.#pool);
    this.#draining ??= this.#drain(options.timeoutMs);
    this.#ending.abort();
    return this.#draining;
  }

  close(options: CloseOptions = {}): Promise<void> {
    try {
      checkCloseOptions(options);
    } catch (error) {
      return Promise.reject(error);
    }
    const { name, stopGraceMs } = this.#pool.options;
    if (this.#own !== undefined) {
      this.#returned.abort(closed(name));
      forgetBroadcasts(this.#pool, this.#own);
      this.#giveUp((task) => closed(name, task), 'rejected');
      this.#ending.abort();
      return Promise.resolve();
    }
    if (this.#closing === undefined) {
      closeCapacity(this.#pool, closed(name));
      this.#closing = closeKernel(this.#pool, options.graceMs ?? stopGraceMs);
      this.#ending.abort();
    }
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Resolves when every call has settled; aborts calls that are open after `timeoutMs`. */
  async #drain(timeoutMs: number | undefined): Promise<DrainReport> {
    const { options, drains } = this.#pool;
    const { clock, name } = options;
    const before = this.#calls;
    const giveUp = (): void =>
      this.#giveUp((task) => drainedTooLong(name, task, timeoutMs ?? 0), 'aborted');
    const timer = timeoutMs !== undefined && clock.setTimeout(giveUp, timeoutMs);
    if (before.active > 0) {
      await new Promise<void>((resolve) => drains.add({ owner: this.#own, resolve }));
    }
    if (timer !== false) clock.clearTimeout(timer);
    // A worker that starts meanwhile may run broadcasts.
    const completed = Math.min(before.active, this.#calls.answered - before.answered);
    return { completed, aborted: before.active - completed };
  }

  /** Gives up every open call that is its own. */
  #giveUp(errorOf: (task: string) => unknown, ending: 'aborted' | 'rejected'): void {
    giveUpAll(this.#pool, errorOf, ending, this.#own);
    advance(this.#pool);
  }

  /** Calls that `drain()` waits for: open, and answered so far. */
  get #calls(): { readonly active: number; readonly answered: number } {
    if (this.#own !== undefined) return { ...this.#own };
    const { active, counts, broadcasts } = this.#pool.calls;
    const answered = counts.completed + counts.failed + broadcasts.completed + broadcasts.failed;
    return { active, answered };
  }
}
