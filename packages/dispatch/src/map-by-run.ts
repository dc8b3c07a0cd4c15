import type { Dispatcher, MapOptions, MapOutcome, RunOptions } from './contract/dispatcher.ts';
import type { TaskMap } from './contract/task.ts';
import { checkMapOptions } from './kernel/checks.ts';
import { type MapInputs, mapTasks } from './kernel/face/map-tasks.ts';

/** Members that dispatchers of this package have for the `map` of a wrapper. A wrapper passes them on. */
export interface MapSource {
  /** Calls that its workers hold at most. Default: their windows, as `stats()` has them. */
  readonly mostHeld?: number | undefined;
  /** Aborts when the dispatcher is drained or closed. */
  readonly ending?: AbortSignal | undefined;
}

/** Calls of a wrapper that `map` is made of. */
export interface MapCalls extends Pick<Dispatcher<TaskMap>, 'capacity' | 'state'> {
  run(task: string, input: unknown, options: RunOptions): Promise<unknown>;
}

/** One `map` of a wrapper. */
export interface MapByRun {
  readonly dispatcher: Pick<Dispatcher<TaskMap>, 'stats'> & MapSource;
  readonly task: string;
  readonly inputs: MapInputs;
  readonly options?: MapOptions | undefined;
  /** Name of the dispatcher that refuses calls at last. Default: that of `dispatcher`. */
  readonly lastName?: string | undefined;
}

/**
 * Runs `map` for a wrapper around `dispatcher`, by the wrapper's own `run` and `capacity`. `concurrency` defaults to what the
 * workers of `dispatcher` hold at most.
 *
 * @throws TypeError or RangeError, at once, for wrong options; else what `map` throws
 */
export function mapByRun(
  wrapper: MapCalls,
  { dispatcher, task, inputs, options = {}, lastName }: MapByRun,
): AsyncIterable<MapOutcome<unknown, unknown>> {
  checkMapOptions(options);
  const { name } = dispatcher.stats();
  const { ending } = dispatcher;
  const mostNow = (): number => mostHeldBy(dispatcher);
  const calls = wrapper as Parameters<typeof mapTasks>[0];
  return mapTasks(calls, { name, lastName, task, inputs, ending, mostNow }, options);
}

/** Returns how many calls the workers of a dispatcher hold at most; of one of another make, what they hold now. */
function mostHeldBy(dispatcher: MapByRun['dispatcher']): number {
  if (dispatcher.mostHeld !== undefined) return dispatcher.mostHeld;
  const { workers } = dispatcher.stats();
  return Math.max(
    2,
    workers.reduce((sum, { window }) => sum + window, 0),
  );
}
