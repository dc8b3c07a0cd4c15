import {
  aShare,
  aSignal,
  between,
  type Clock,
  createSignalListeners,
  MAX_TIMER_MS,
  type Rules,
  resolveByRules,
  type SignalListeners,
  systemClock,
  withMethods,
  wrongOption,
} from '@ticketing/kit';
import type {
  BroadcastOptions,
  BroadcastOutcome,
  Capabilities,
  CapacityOptions,
  CloseOptions,
  Dispatcher,
  DrainOptions,
  DrainReport,
  MapOptions,
  MapOutcome,
  ReloadOptions,
  RunOptions,
  StreamOptions,
} from '../contract/dispatcher.ts';
import type { DispatcherKind, DispatcherState, DispatcherStats } from '../contract/stats.ts';
import type { TaskMap } from '../contract/task.ts';
import type { MapInputs } from '../kernel/face/map-tasks.ts';
import { HedgedCall, type Hedges } from './hedged-call.ts';
import { aDispatcher } from './with-fallback.ts';
import {
  areOptions,
  type Endings,
  endingOfMap,
  mapBy,
  mostHeldBy,
  noEndings,
} from './wrapped-calls.ts';

export interface HedgeOptions {
  /**
   * Milliseconds after which a second worker gets the call too, counted from when the first one got it, 1 to 2^31-1. The 95th
   * percentile of the task's time is a good choice.
   */
  readonly afterMs: number;
  /** Share of the calls that may be hedged which are, at most: above 0, to 1. Default 0.05. */
  readonly share?: number;
  /** For tests. Default: the platform's. */
  readonly clock?: Clock;
}

/** Second attempts. */
export interface HedgeStats {
  /** Calls that were given to a second worker, and those of them that it answered first. */
  readonly hedged: number;
  readonly won: number;
  /** Slow calls that were not: above `share`; no other worker had room. */
  readonly withheld: number;
  readonly noRoom: number;
}

/** A dispatcher that asks a second worker when the first one is slow. */
export interface HedgeDispatcher<M extends TaskMap> extends Dispatcher<M> {
  /** As of every dispatcher: a call counts once, however many workers have it. Times are those of all attempts. */
  stats(): DispatcherStats & { readonly hedge: HedgeStats };
}

const rules = {
  afterMs: between(1, MAX_TIMER_MS),
  share: { ...aShare, fallback: 0.05 },
  clock: { ...withMethods('now', 'setTimeout', 'clearTimeout'), fallback: systemClock },
} satisfies Rules;

/** Second attempts that a quiet time saves up: a burst of slow calls does not double the load. */
const MOST_SAVED = 10;

/**
 * Returns a dispatcher that gives a slow call to a second worker, takes the first answer, and aborts the other attempt, whose
 * outcome is never seen. Hedges calls with `idempotent` only, `share` of them at most, and none with a `key`, `transfer` or
 * `onProgress`. The second attempt goes to another worker that has room now, or to none: it never waits, and an overloaded
 * pool gets none. `retries` are those of the first attempt.
 *
 * The wrapper takes the dispatcher over: `drain()`, `reload()` and `close()` are its own.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 * @example
 * const dispatcher = withHedge(createForkDispatcher(url), { afterMs: 80 });
 * await dispatcher.run('search', query, { idempotent: true });
 */
export function withHedge<M extends TaskMap>(
  dispatcher: Dispatcher<M>,
  options: HedgeOptions,
): HedgeDispatcher<M> {
  if (!aDispatcher.test(dispatcher)) {
    throw wrongOption('hedge calls', 'dispatcher', aDispatcher, dispatcher);
  }
  const resolved = resolveByRules<Required<HedgeOptions>>('hedge calls', options, rules);
  if (resolved.afterMs === undefined) {
    throw wrongOption('hedge calls', 'afterMs', rules.afterMs, undefined);
  }
  return new WithHedge(dispatcher as never, resolved) as never;
}

class WithHedge implements HedgeDispatcher<TaskMap>, Hedges {
  readonly kind: DispatcherKind;
  readonly capabilities: Capabilities;
  readonly name: string;
  readonly options: Required<HedgeOptions>;
  readonly dispatcher: Dispatcher<TaskMap>;
  readonly signals: SignalListeners = createSignalListeners();
  readonly counts = { hedged: 0, won: 0, withheld: 0, noRoom: 0 };
  /** Attempts beside the one whose outcome was seen: all so far, and those that have ended. */
  attempts = 0;
  readonly unseen: Endings = noEndings();
  /** Second attempts that may be made now. */
  #saved = 0;

  constructor(dispatcher: Dispatcher<TaskMap>, options: Required<HedgeOptions>) {
    this.dispatcher = dispatcher;
    this.options = options;
    this.kind = dispatcher.kind;
    this.capabilities = dispatcher.capabilities;
    this.name = dispatcher.stats().name;
  }

  get state(): DispatcherState {
    return this.dispatcher.state;
  }

  ready(): Promise<void> {
    return this.dispatcher.ready();
  }

  // biome-ignore lint/suspicious/noExplicitAny: the contract types input and output by the task's name
  run(task: string, input?: unknown, options?: RunOptions): Promise<any> {
    if (!mayHedge(options)) return this.dispatcher.run(task, input, options);
    this.#saved = Math.min(MOST_SAVED, this.#saved + this.options.share);
    return new Promise((resolve, reject) => {
      new HedgedCall(this, { task, input, options, resolve, reject }).begin();
    });
  }

  /** Takes one second attempt out of the budget. @returns whether there was one */
  take(): boolean {
    // Shares add up to a little less than 1.
    if (this.#saved < 1 - 1e-9) return false;
    this.#saved -= 1;
    return true;
  }

  /** Puts one back that no worker got. */
  giveBack(): void {
    this.#saved += 1;
  }

  map(
    task: string,
    inputs: MapInputs,
    options?: MapOptions,
    // biome-ignore lint/suspicious/noExplicitAny: as of `run`
  ): AsyncIterable<MapOutcome<any, any>> {
    return mapBy(this, this.dispatcher, { task, inputs, options });
  }

  stream(
    ...[task, input, options]: [task: string, input?: unknown, options?: StreamOptions]
    // biome-ignore lint/suspicious/noExplicitAny: as of `run`
  ): AsyncIterableIterator<any, undefined> {
    return this.dispatcher.stream(task as never, input, options);
  }

  broadcast(
    task: string,
    input?: unknown,
    options?: BroadcastOptions,
    // biome-ignore lint/suspicious/noExplicitAny: as of `run`
  ): Promise<BroadcastOutcome<any>[]> {
    return this.dispatcher.broadcast(task, input, options);
  }

  /** As of the dispatcher, for a wrapper around this one. */
  get mostHeld(): number {
    return mostHeldBy(this.dispatcher);
  }

  /** As of the dispatcher, for a wrapper around this one. */
  get ending(): AbortSignal | undefined {
    return endingOfMap(this.dispatcher);
  }

  capacity(signal?: AbortSignal, options?: CapacityOptions): Promise<void> {
    return this.dispatcher.capacity(signal, options);
  }

  stats(): DispatcherStats & { readonly hedge: HedgeStats } {
    const all = this.dispatcher.stats();
    const { completed, failed, aborted, rejected } = this.unseen;
    const open = this.attempts - completed - failed - aborted - rejected;
    return {
      ...all,
      asked: all.asked - this.attempts,
      running: Math.max(0, all.running - open),
      completed: all.completed - completed,
      failed: all.failed - failed,
      aborted: all.aborted - aborted,
      rejected: all.rejected - rejected,
      hedge: { ...this.counts },
    };
  }

  reload(options?: ReloadOptions): Promise<void> {
    return this.dispatcher.reload(options);
  }

  async drain(options?: DrainOptions): Promise<DrainReport> {
    const before = { ...this.unseen };
    const { completed, aborted } = await this.dispatcher.drain(options);
    const { unseen } = this;
    const answered = unseen.completed + unseen.failed - before.completed - before.failed;
    return {
      completed: completed - answered,
      aborted: aborted - (unseen.aborted - before.aborted),
    };
  }

  close(options?: CloseOptions): Promise<void> {
    return this.dispatcher.close(options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Others go to the dispatcher as they are. */
function mayHedge(options: RunOptions | undefined): options is RunOptions {
  if (!areOptions(options) || options.idempotent !== true) return false;
  const { key, transfer, onProgress, onWorker, apartFrom, signal } = options;
  if ((key ?? transfer ?? onProgress ?? apartFrom) !== undefined) return false;
  if (onWorker !== undefined && typeof onWorker !== 'function') return false;
  return signal === undefined || (aSignal.test(signal) && !signal.aborted);
}
