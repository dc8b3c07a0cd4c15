import { aUrl, checkByRules, type Rules, wholeBetween } from '@ticketing/kit';
import type {
  BroadcastOptions,
  BroadcastOutcome,
  CallSource,
  Capabilities,
  CapacityOptions,
  CloseOptions,
  Dispatcher,
  DispatcherKind,
  DispatcherState,
  DrainOptions,
  DrainReport,
  ForwardedCall,
  MapOptions,
  MapOutcome,
  ReloadOptions,
  RunOptions,
  StreamOptions,
} from '../contract/dispatcher.ts';
import type { DispatcherStats } from '../contract/stats.ts';
import type { TaskMap } from '../contract/task.ts';
import { DispatchError } from '../errors.ts';
import type { CallOwner } from './calls/call.ts';
import { closed, drainedTooLong, draining, left, noStreams } from './calls/call-errors.ts';
import { CapacityWaiters } from './calls/capacity-waiters.ts';
import {
  checkCapacity,
  checkCloseOptions,
  checkDrainOptions,
  checkMapOptions,
  checkStreamOptions,
} from './calls/check-run-options.ts';
import { type ItemSink, ItemStream } from './calls/item-stream.ts';
import { type MapInputs, mapTasks } from './calls/map-tasks.ts';
import { PassedItems } from './calls/passed-items.ts';
import type { Kernel } from './kernel.ts';
import type { Ending } from './kernel-counts.ts';
import { statsOf } from './kernel-stats.ts';
import { MAX_WORKERS } from './resolve-pool-options.ts';
import type { WorkerPool } from './workers/worker-pool.ts';

/** Items of a stream: enough to keep both sides busy, few where each is large. */
const DEFAULT_WINDOW = 16;

/** Whom a call is for. */
interface Callers {
  readonly owner?: CallOwner;
  readonly source?: CallSource | undefined;
  readonly items?: ItemSink | undefined;
}

const reloadRules = { module: aUrl, parallel: wholeBetween(1, MAX_WORKERS) } satisfies Rules;

/**
 * A dispatcher over a kernel's workers. Without a lender it owns them: it starts them, `drain()` waits for every call, and the
 * caller must call `close()`, which ends them. With a lender `drain()` and `close()` affect its own calls only.
 */
export class KernelDispatcher implements Dispatcher<TaskMap>, CallOwner {
  readonly kind: DispatcherKind;
  readonly capabilities: Capabilities;
  readonly #kernel: Kernel;
  readonly #lender: KernelDispatcher | undefined;
  readonly #capacity: CapacityWaiters;
  /** Aborted when a lent dispatcher is closed. */
  readonly #returned = new AbortController();
  /** Aborted by `drain()` or `close()`, which is first. */
  readonly #ending = new AbortController();
  /** Calls of a lent dispatcher: open, and answered so far. */
  #active = 0;
  #answered = 0;
  readonly #onIdle: (() => void)[] = [];
  #draining: Promise<DrainReport> | undefined;
  #closing: Promise<void> | undefined;
  #reloading: { readonly href: string | undefined; readonly done: Promise<void> } | undefined;

  constructor(kernel: Kernel, lender?: KernelDispatcher) {
    this.kind = kernel.transport.kind;
    this.capabilities = kernel.transport.capabilities;
    this.#kernel = kernel;
    this.#lender = lender;
    this.#capacity = lender === undefined ? new CapacityWaiters(kernel) : lender.#capacity;
    if (lender !== undefined) return;
    kernel.onRoom = () => this.#capacity.wake();
    kernel.onIdle = () => this.#idle();
    kernel.start();
  }

  get state(): DispatcherState {
    if (this.#lender !== undefined) {
      if (this.#returned.signal.aborted) return 'closed';
      const { state } = this.#lender;
      return state !== 'closed' && this.#draining !== undefined ? 'draining' : state;
    }
    const { pool, isDraining } = this.#kernel;
    if (pool.isClosed) return 'closed';
    if (isDraining) return 'draining';
    if (pool.circuit.state === 'closed' && pool.readyCount >= pool.min) return 'ready';
    return pool.everReady || pool.circuit.state !== 'closed' ? 'degraded' : 'starting';
  }

  ready(): Promise<void> {
    return this.#returned.signal.aborted
      ? Promise.reject(this.#returned.signal.reason)
      : this.#kernel.pool.whenReady();
  }

  // biome-ignore lint/suspicious/noExplicitAny: the contract types input and output by the task's name
  run(task: string, input?: unknown, options?: RunOptions): Promise<any> {
    return this.#run({ task, input, options }, {});
  }

  /** Runs or streams a task for one that passes the call on. Called by `forwardCall` alone. */
  forward(call: ForwardedCall, source: CallSource): Promise<unknown> {
    const outlet = source.takeItems?.();
    if (outlet === undefined) return this.#run(call, { source });
    if (!this.capabilities.streams) return Promise.reject(noStreams(this.kind, call.task));
    const items = new PassedItems(outlet);
    return this.#run(call, { source, items });
  }

  #run(call: ForwardedCall, { owner, source, items }: Callers): Promise<unknown> {
    const { task, input, options } = call;
    if (this.#lender !== undefined) {
      const refusal = this.#refusal(task);
      if (refusal !== undefined) return Promise.reject(refusal);
      return this.#lender.#run(call, { owner: this, source, items });
    }
    this.#capacity.used();
    return this.#kernel.run(task, input, options, { owner, source, items });
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
    return new ItemStream(window, run, () => left(this.#kernel.options.name, task));
  }

  accepted(): void {
    this.#active += 1;
  }

  settled(ending: Ending): void {
    this.#active -= 1;
    if (ending === 'completed' || ending === 'failed') this.#answered += 1;
    if (this.#active === 0) this.#idle();
  }

  map(
    task: string,
    inputs: MapInputs,
    options: MapOptions = {},
    // biome-ignore lint/suspicious/noExplicitAny: as of `run`
  ): AsyncIterable<MapOutcome<any, any>> {
    checkMapOptions(options);
    const { name } = this.#kernel.options;
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
    return this.#kernel.broadcaster.run(task, input, options, this.#lender && this);
  }

  /** Why a lent dispatcher takes no call. */
  #refusal(task: string): DispatchError | undefined {
    const { name } = this.#kernel.options;
    if (this.#returned.signal.aborted) return closed(name, task);
    return this.#draining === undefined ? undefined : draining(name, task);
  }

  /** Aborts when it is drained or closed. Read by wrappers, for `map`. */
  get ending(): AbortSignal {
    const { signal } = this.#ending;
    return this.#lender === undefined ? signal : AbortSignal.any([signal, this.#lender.ending]);
  }

  /** Calls that the workers hold at most. Read by wrappers, for `map`. */
  get mostHeld(): number {
    const { pool, transport, options } = this.#kernel;
    const { window } = options;
    return pool.slots.length * (window === 'auto' ? transport.autoWindow.max : window);
  }

  capacity(signal?: AbortSignal, options?: CapacityOptions): Promise<void> {
    try {
      checkCapacity(signal, options);
    } catch (error) {
      return Promise.reject(error);
    }
    const key = options?.key;
    if (this.#lender === undefined) return this.#capacity.wait(signal, key);
    const returned = this.#returned.signal;
    return this.#capacity.wait(signal ? AbortSignal.any([signal, returned]) : returned, key);
  }

  stats(): DispatcherStats {
    return statsOf(this.#kernel, this.kind, this.state);
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
    if (this.#kernel.pool.isClosed) return Promise.reject(closed(this.#kernel.options.name));
    const under = this.#reloading;
    const href = options.module?.href;
    if (under !== undefined && under.href === href) return under.done;
    const begin = (): Promise<void> => reload(this.#kernel.pool, options);
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
    if (this.#lender === undefined) this.#kernel.isDraining = true;
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
    const { name, stopGraceMs } = this.#kernel.options;
    if (this.#lender !== undefined) {
      this.#returned.abort(closed(name));
      this.#kernel.broadcaster.forget(this);
      this.#kernel.giveUpAll((task) => closed(name, task), 'rejected', this);
      this.#ending.abort();
      return Promise.resolve();
    }
    if (this.#closing === undefined) {
      this.#capacity.close(closed(name));
      this.#closing = this.#kernel.close(options.graceMs ?? stopGraceMs);
      this.#ending.abort();
    }
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Resolves when every call has settled; aborts those that are open after `timeoutMs`. */
  async #drain(timeoutMs: number | undefined): Promise<DrainReport> {
    const { clock, name } = this.#kernel.options;
    const before = this.#calls;
    const timer =
      timeoutMs !== undefined &&
      clock.setTimeout(() => {
        this.#kernel.giveUpAll(
          (task) => drainedTooLong(name, task, timeoutMs),
          'aborted',
          this.#lender && this,
        );
      }, timeoutMs);
    if (before.active > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
    if (timer !== false) clock.clearTimeout(timer);
    const completed = this.#calls.answered - before.answered;
    return { completed, aborted: before.active - completed };
  }

  /** Calls that `drain()` waits for: open, and answered so far. */
  get #calls(): { readonly active: number; readonly answered: number } {
    if (this.#lender !== undefined) return { active: this.#active, answered: this.#answered };
    const { active, counts, broadcasts } = this.#kernel;
    const answered = counts.completed + counts.failed + broadcasts.completed + broadcasts.failed;
    return { active, answered };
  }

  #idle(): void {
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}

/**
 * Replaces the worker of each slot, `parallel` at a time, and fills empty slots below `min`. Each old worker stays until its
 * successor is ready, so the number of ready workers does not fall.
 *
 * @throws the error of the first new worker that failed to start, one that ended at its start twice, once concurrent starts have settled. The other slots keep
 *   their workers; if none was replaced, later workers load the old module
 */
async function reload(pool: WorkerPool, { module, parallel = 1 }: ReloadOptions): Promise<void> {
  const before = pool.module;
  if (module !== undefined) pool.module = module;
  let replaced = 0;
  let failure: { readonly error: unknown } | undefined;
  // One iterator for all: each takes the next slot.
  const slots = pool.slots.values();
  const replaceSome = async (): Promise<void> => {
    for (const slot of slots) {
      if (!pool.isUsed(slot)) continue;
      if (slot.current !== undefined) slot.current.replaced = true;
      try {
        await pool.replace(slot).catch((error: unknown) => {
          // A new worker that dies once, as for want of memory, says nothing of the next one: another try, and no more.
          const isLost = DispatchError.is(error) && error.code === 'ERR_WORKER_LOST';
          if (!isLost || slot.current === undefined || pool.isClosed) throw error;
          return pool.replace(slot);
        });
        replaced += 1;
      } catch (error) {
        failure ??= { error };
      }
      if (failure !== undefined) return;
    }
  };
  const atOnce = Math.min(parallel, pool.slots.length);
  await Promise.all(Array.from({ length: atOnce }, replaceSome));
  if (failure === undefined) return;
  if (replaced === 0) pool.module = before;
  throw failure.error;
}
