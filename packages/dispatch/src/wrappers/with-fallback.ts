import { channel } from 'node:diagnostics_channel';
import {
  type Clock,
  type Rule,
  type Rules,
  resolveByRules,
  systemClock,
  wholeBetween,
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
import { DispatchError } from '../errors.ts';
import { checkCloseOptions, checkDrainOptions } from '../kernel/checks.ts';
import { callError } from '../kernel/errors.ts';
import type { MapInputs } from '../kernel/face/map-tasks.ts';
import { nextImmediate } from '../soon.ts';
import { FallbackRoom } from './fallback-room.ts';
import {
  areOptions,
  type Endings,
  endingOf,
  endingOfMap,
  mapBy,
  mostHeldBy,
  noEndings,
  since,
  weaker,
  withTimeLeft,
} from './wrapped-calls.ts';

/** `{ name, task, error, inFlight }` of a call that is about to run in the fallback, and why. */
const fallbackChannel = channel('ticketing:dispatch:fallback');

export interface FallbackOptions {
  /** Calls in the fallback at a time, 1 to 2^31-1; then `ERR_QUEUE_FULL`. Default 64. */
  readonly maxInFlight?: number;
  /** For tests. Default: the platform's. */
  readonly clock?: Clock;
}

/** Calls of the fallback. */
export interface FallbackStats {
  /** Calls that it has, and those that it was given so far. */
  readonly inFlight: number;
  readonly ran: number;
  /** Calls that met `maxInFlight`. */
  readonly refused: number;
}

/** A dispatcher, and another one for calls that it cannot send. */
export interface FallbackDispatcher<M extends TaskMap> extends Dispatcher<M> {
  /** As of every dispatcher: each call counts once, wherever it ran; workers and times are those of the first dispatcher. */
  stats(): DispatcherStats & { readonly fallback: FallbackStats };
}

const rules = {
  maxInFlight: wholeBetween(1, 2 ** 31 - 1, 64),
  clock: { ...withMethods('now', 'setTimeout', 'clearTimeout'), fallback: systemClock },
} satisfies Rules;

export const aDispatcher: Rule = withMethods('run', 'map', 'capacity', 'stats', 'drain', 'close');

/**
 * Returns a dispatcher whose calls run in `local` while `dispatcher` cannot send them: its circuit is open, or no host is there.
 * Only calls that no worker was given move, and those with `idempotent`: none runs twice without permission. A call keeps
 * its signal, and what is left of its limits.
 *
 * `drain()`, `reload()` and `close()` affect both. The wrapper takes both over: use neither beside it.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 * @example
 * const local = createInProcessDispatcher(tasks);
 * const dispatcher = withFallback(createForkDispatcher(url), local, { maxInFlight: 16 });
 */
export function withFallback<M extends TaskMap>(
  dispatcher: Dispatcher<M>,
  local: Dispatcher<M>,
  options: FallbackOptions = {},
): FallbackDispatcher<M> {
  for (const [name, value] of Object.entries({ dispatcher, local })) {
    if (!aDispatcher.test(value)) throw wrongOption('add a fallback', name, aDispatcher, value);
  }
  const resolved = resolveByRules<Required<FallbackOptions>>('add a fallback', options, rules);
  return new WithFallback(dispatcher as never, local as never, resolved) as never;
}

class WithFallback implements FallbackDispatcher<TaskMap> {
  readonly kind: DispatcherKind;
  readonly capabilities: Capabilities;
  readonly #dispatcher: Dispatcher<TaskMap>;
  readonly #local: Dispatcher<TaskMap>;
  readonly #clock: Clock;
  readonly #name: string;
  readonly #localName: string;
  readonly #endings: Endings = noEndings();
  readonly #room: FallbackRoom;
  #ran = 0;
  #refused = 0;
  /** Calls that the first dispatcher rejected and that did not end by that. */
  #taken = 0;
  readonly #onIdle: (() => void)[] = [];
  #draining: Promise<DrainReport> | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    dispatcher: Dispatcher<TaskMap>,
    local: Dispatcher<TaskMap>,
    { maxInFlight, clock }: Required<FallbackOptions>,
  ) {
    this.#dispatcher = dispatcher;
    this.#local = local;
    this.#clock = clock;
    this.#name = dispatcher.stats().name;
    this.#localName = local.stats().name;
    this.#room = new FallbackRoom(maxInFlight, this.#name);
    this.kind = dispatcher.kind;
    this.capabilities = weaker(dispatcher.capabilities, local.capabilities);
  }

  get state(): DispatcherState {
    if (this.#closing !== undefined) return 'closed';
    return this.#draining === undefined ? this.#dispatcher.state : 'draining';
  }

  async ready(): Promise<void> {
    try {
      await this.#dispatcher.ready();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      await this.#local.ready();
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: the contract types input and output by the task's name
  async run(task: string, input?: unknown, options?: RunOptions): Promise<any> {
    const elapsedMs = since(this.#clock);
    const arrived = this.#room.coming();
    let isSent = false;
    const onWorker = (workerId: number): void => {
      isSent = true;
      this.#room.up();
      options?.onWorker?.(workerId);
    };
    let cause: unknown;
    try {
      // An option that is no function is told by the dispatcher.
      const isNoted = options === undefined || (areOptions(options) && canNote(options));
      return await this.#dispatcher.run(task, input, isNoted ? { ...options, onWorker } : options);
    } catch (error) {
      const mayRunHere = !isSent || options?.idempotent === true;
      if (!isUnavailable(error) || !mayRunHere || options?.apartFrom !== undefined) throw error;
      cause = error;
    } finally {
      arrived();
    }
    return await this.#runHere(task, input, { options, elapsedMs: elapsedMs(), cause });
  }

  map(
    task: string,
    inputs: MapInputs,
    options?: MapOptions,
    // biome-ignore lint/suspicious/noExplicitAny: as of `run`
  ): AsyncIterable<MapOutcome<any, any>> {
    const lastName = this.#localName;
    return mapBy(this, this.#dispatcher, { task, inputs, options, lastName });
  }

  /** By the first dispatcher alone. */
  stream(
    ...[task, input, options]: [task: string, input?: unknown, options?: StreamOptions]
    // biome-ignore lint/suspicious/noExplicitAny: as of `run`
  ): AsyncIterableIterator<any, undefined> {
    return this.#dispatcher.stream(task as never, input, options);
  }

  /** The workers of both: a call may run on any of them. */
  async broadcast(
    ...[task, input, options]: [task: string, input?: unknown, options?: BroadcastOptions]
    // biome-ignore lint/suspicious/noExplicitAny: as of `run`
  ): Promise<BroadcastOutcome<any>[]> {
    const both = [this.#dispatcher, this.#local];
    return (await Promise.all(both.map((each) => each.broadcast(task, input, options)))).flat();
  }

  /** As of the dispatcher, for a wrapper around this one. */
  get mostHeld(): number {
    return mostHeldBy(this.#dispatcher);
  }

  /** As of the dispatcher, for a wrapper around this one. */
  get ending(): AbortSignal | undefined {
    return endingOfMap(this.#dispatcher);
  }

  async capacity(signal?: AbortSignal, options?: CapacityOptions): Promise<void> {
    await this.#dispatcher.capacity(signal, options);
    await this.#room.wait(signal);
  }

  stats(): DispatcherStats & { readonly fallback: FallbackStats } {
    const first = this.#dispatcher.stats();
    const { completed, failed, aborted, rejected } = this.#endings;
    return {
      ...first,
      state: this.state,
      running: first.running + this.#room.inFlight,
      completed: first.completed + completed,
      failed: first.failed + failed,
      aborted: first.aborted + aborted,
      rejected: first.rejected - this.#taken + rejected,
      fallback: { inFlight: this.#room.inFlight, ran: this.#ran, refused: this.#refused },
    };
  }

  async reload(options?: ReloadOptions): Promise<void> {
    await this.#dispatcher.reload(options);
    await this.#local.reload(options);
  }

  drain(options: DrainOptions = {}): Promise<DrainReport> {
    try {
      checkDrainOptions(options);
    } catch (error) {
      return Promise.reject(error);
    }
    this.#draining ??= this.#drain(options);
    return this.#draining;
  }

  close(options: CloseOptions = {}): Promise<void> {
    try {
      checkCloseOptions(options);
    } catch (error) {
      return Promise.reject(error);
    }
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Runs a call that the first dispatcher could not send. */
  async #runHere(
    task: string,
    input: unknown,
    {
      options = {},
      elapsedMs,
      cause,
    }: {
      readonly options: RunOptions | undefined;
      readonly elapsedMs: number;
      readonly cause: unknown;
    },
  ): Promise<unknown> {
    const room = this.#room;
    const { maxInFlight } = room;
    room.isDown = true;
    this.#taken += 1;
    const name = this.#name;
    const { onWorker: _, ...mine } = options;
    let isHere = false;
    try {
      if (room.inFlight >= maxInFlight) {
        this.#refused += 1;
        const message = `Fallback is full: \`maxInFlight\` (${maxInFlight}) calls run`;
        const data = { limit: maxInFlight };
        throw callError('ERR_QUEUE_FULL', { name, task }, message, { data, cause });
      }
      const left = withTimeLeft(mine, elapsedMs, { name, task });
      isHere = true;
      room.inFlight += 1;
      this.#ran += 1;
      if (fallbackChannel.hasSubscribers) {
        fallbackChannel.publish({ name, task, error: cause, inFlight: room.inFlight });
      }
      const value = await this.#local.run(task, input, left);
      this.#endings.completed += 1;
      return value;
    } catch (error) {
      const by = isHere ? this.#localName : name;
      this.#endings[endingOf(error, by, options.signal)] += 1;
      throw error;
    } finally {
      if (isHere) room.inFlight -= 1;
      if (room.inFlight === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
      room.wake();
    }
  }

  async #drain(options: DrainOptions): Promise<DrainReport> {
    const before = { inFlight: this.#room.inFlight, answered: this.#answered };
    const elapsedMs = since(this.#clock);
    const first = await this.#dispatcher.drain(options);
    // Calls that the first one gave up came here: only now is it known which.
    await new Promise((resolve) => nextImmediate(resolve));
    const { timeoutMs } = options;
    const left = timeoutMs === undefined ? {} : { timeoutMs: Math.max(1, timeoutMs - elapsedMs()) };
    await this.#local.drain(left);
    if (this.#room.inFlight > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
    const completed = first.completed + this.#answered - before.answered;
    return { completed, aborted: first.completed + first.aborted + before.inFlight - completed };
  }

  /** Calls that `local` has answered, with a value or an error. */
  get #answered(): number {
    return this.#endings.completed + this.#endings.failed;
  }

  async #close(options: CloseOptions): Promise<void> {
    this.#room.close();
    await Promise.all([this.#dispatcher.close(options), this.#local.close(options)]);
  }
}

/** The dispatcher itself had no worker for the call, and expects none soon. */
function isUnavailable(error: unknown): boolean {
  return (
    DispatchError.is(error) && (error.code === 'ERR_CIRCUIT_OPEN' || error.code === 'ERR_NO_HOST')
  );
}

function canNote({ onWorker }: RunOptions): boolean {
  return onWorker === undefined || typeof onWorker === 'function';
}
