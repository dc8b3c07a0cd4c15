import type { Clock } from '@ticketing/kit';
import type {
  Capabilities,
  Dispatcher,
  MapOptions,
  MapOutcome,
  RunOptions,
} from '../contract/dispatcher.ts';
import type { TaskMap } from '../contract/task.ts';
import { DispatchError } from '../errors.ts';
import { checkMapOptions } from '../kernel/checks.ts';
import { timedOut } from '../kernel/errors.ts';
import { type MapInputs, mapTasks } from '../kernel/face/map-tasks.ts';
import type { Ending } from '../kernel/state/counts.ts';

/** Calls by how they ended. */
export type Endings = Record<Ending, number>;

export function noEndings(): Endings {
  return { completed: 0, failed: 0, aborted: 0, rejected: 0 };
}

/** Returns how a call ended that rejected with this error, as its dispatcher of this name counts it. */
export function endingOf(error: unknown, name: string, signal: AbortSignal | undefined): Ending {
  if (signal?.aborted === true && error === signal.reason) return 'aborted';
  if (!DispatchError.is(error) || error.data.name !== name) return 'failed';
  const { code, data } = error;
  if (code === 'ERR_NOT_CLONEABLE' || code === 'ERR_TOO_LARGE') return 'failed';
  // The limit is that of `drain()`; without it the call was not taken.
  const isLate = code.endsWith('_TIMEOUT') || (code === 'ERR_DRAINING' && data.limit !== undefined);
  return isLate ? 'aborted' : 'rejected';
}

/**
 * Returns the options of a call that begins again `elapsedMs` after it was made: what is left of its limits.
 *
 * @throws DispatchError `ERR_TIMEOUT`, `ERR_QUEUE_TIMEOUT` if nothing is left
 */
export function withTimeLeft(
  options: RunOptions,
  elapsedMs: number,
  { name, task }: { readonly name: string; readonly task: string },
): RunOptions {
  const left: { -readonly [K in keyof RunOptions]: RunOptions[K] } = { ...options };
  for (const [option, code] of limits) {
    const limit = options[option];
    if (limit === undefined) continue;
    if (elapsedMs >= limit) throw timedOut(code, name, { task, limit });
    // A timer takes 1 ms at least.
    left[option] = Math.max(1, limit - elapsedMs);
  }
  return left;
}

const limits = [
  ['timeoutMs', 'ERR_TIMEOUT'],
  ['queueTimeoutMs', 'ERR_QUEUE_TIMEOUT'],
] as const;

/** What dispatchers of this package have for wrappers. */
interface Wrapped {
  readonly mostHeld?: number;
  readonly ending?: AbortSignal | undefined;
}

/** Runs `map` by a wrapper's own `run`; `concurrency` defaults to what the workers of `dispatcher` hold at most. */
export function mapBy(
  wrapper: Pick<Dispatcher<TaskMap>, 'run' | 'capacity' | 'state'>,
  dispatcher: Dispatcher<TaskMap> & Wrapped,
  {
    task,
    inputs,
    lastName,
    options = {},
  }: {
    readonly task: string;
    readonly inputs: MapInputs;
    /** Name of the dispatcher that refuses calls at last. Default: that of `dispatcher`. */
    readonly lastName?: string;
    readonly options: MapOptions | undefined;
  },
): AsyncIterable<MapOutcome<unknown, unknown>> {
  checkMapOptions(options);
  const { name } = dispatcher.stats();
  const { ending } = dispatcher;
  const mostNow = (): number => mostHeldBy(dispatcher);
  return mapTasks(wrapper, { name, lastName, task, inputs, ending, mostNow }, options);
}

/** Returns how many calls the workers of a dispatcher hold at most; of one of another make, what they hold now. */
export function mostHeldBy(dispatcher: Dispatcher<TaskMap> & Wrapped): number {
  if (dispatcher.mostHeld !== undefined) return dispatcher.mostHeld;
  const { workers } = dispatcher.stats();
  return Math.max(
    2,
    workers.reduce((sum, { window }) => sum + window, 0),
  );
}

/** Returns what aborts when a dispatcher is drained or closed; of one of another make, nothing. */
export function endingOfMap(dispatcher: Dispatcher<TaskMap> & Wrapped): AbortSignal | undefined {
  return dispatcher.ending;
}

/** Whether options of a call can be read: others go to the dispatcher, which says what is wrong with them. */
export function areOptions(options: unknown): options is RunOptions {
  return typeof options === 'object' && options !== null;
}

/** Returns a function that gives the milliseconds since now. */
export function since(clock: Clock): () => number {
  const startedAt = clock.now();
  return () => clock.now() - startedAt;
}

const isolations = ['none', 'thread', 'process'] as const;

/** What can be relied on wherever a call runs. Streams are run by the first dispatcher alone. */
export function weaker(one: Capabilities, other: Capabilities): Capabilities {
  const [a, b] = [isolations.indexOf(one.isolation), isolations.indexOf(other.isolation)];
  return {
    isolation: isolations[Math.min(a, b)] ?? 'none',
    hardKill: one.hardKill && other.hardKill,
    transfer: one.transfer && other.transfer,
    streams: one.streams,
  };
}
