import { availableParallelism } from 'node:os';
import { MAX_WORKERS } from './flag-specs.ts';
import { FlagError } from './flag-values.ts';
import type { Flags } from './flags.ts';
import type { Settings } from './settings.ts';

/** As many processes and threads as one server may have for its work. */
const MAX_IN_ALL = 256;

/**
 * How many processes serve, and how many workers each of them dispatches to.
 *
 * @throws FlagError for counts that the other flags leave no room for
 */
export function resolveCounts(settings: Settings): Pick<Flags, 'workers' | 'dispatchWorkers'> {
  const { accept, workers: askedWorkers, dispatch, dispatchWorkers: asked } = settings;
  const cores = Math.min(availableParallelism(), MAX_WORKERS);
  const isSingle = accept.value === 'single';
  const workers = orAuto(askedWorkers.value, isSingle ? 1 : cores);
  if (isSingle && workers > 1) {
    throw new FlagError(
      `Cannot start: ${askedWorkers.from} above 1 is for --accept cluster, passthru and socket, got single`,
    );
  }
  if (!isSingle && dispatch.value === 'cluster') {
    if (asked.value === 'auto') return { workers, dispatchWorkers: workers };
    throw new FlagError(
      `Cannot start: ${asked.from} is for workers of their own, got --accept ${accept.value} with --dispatch cluster, which run tasks where requests are served`,
    );
  }
  if (dispatch.value === 'in-process') {
    if (asked.value === 'auto' || asked.value === 1) return { workers, dispatchWorkers: 1 };
    throw new FlagError(
      `Cannot start: ${asked.from} above 1 is for fork, piscina and cluster, got in-process`,
    );
  }
  const dispatchWorkers = orAuto(asked.value, Math.max(1, Math.floor(cores / workers)));
  if (workers * dispatchWorkers > MAX_IN_ALL) {
    throw new FlagError(
      `Cannot start: at most ${MAX_IN_ALL} workers in all expected, got ${workers} x ${dispatchWorkers}`,
    );
  }
  return { workers, dispatchWorkers };
}

function orAuto(count: number | 'auto', auto: number): number {
  return count === 'auto' ? auto : count;
}
