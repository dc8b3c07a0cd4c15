import type { Dispatcher, DispatcherStats, RunOptions, TaskMap } from '@ticketing/dispatch';
import {
  aShare,
  aSignal,
  between,
  type Clock,
  MAX_TIMER_MS,
  type Rules,
  resolveByRules,
  systemClock,
  withMethods,
  wrongOption,
} from '@ticketing/kit';
import { HedgedCall } from './hedged-call.ts';
import { type HedgeStats, Hedges } from './hedges.ts';
import { aDispatcher, wrapDispatcher } from './wrap-dispatcher.ts';
import { areOptions } from './wrapped-calls.ts';

export interface HedgeOptions {
  /**
   * Milliseconds after which a second worker gets the call too, counted from when the first one got it, 1 to 2^31-1. The 95th
   * percentile of the task's time is a good choice.
   */
  readonly afterMs: number;
  /** Share of the calls that may be hedged which are, at most: above 0, to 1. Default 0.05. */
  readonly share?: number;
  /** Clock, which tests replace. Default: the platform's. */
  readonly clock?: Clock;
}

/** A dispatcher that asks a second worker when the first one is slow. */
export interface HedgeDispatcher<M extends TaskMap> extends Dispatcher<M> {
  /** Counts each call once, however many workers have it. Times include all attempts. */
  stats(): DispatcherStats & { readonly hedge: HedgeStats };
}

const rules = {
  afterMs: between(1, MAX_TIMER_MS),
  share: { ...aShare, fallback: 0.05 },
  clock: { ...withMethods('now', 'setTimeout', 'clearTimeout'), fallback: systemClock },
} satisfies Rules;

/**
 * Returns a dispatcher that gives a slow call to a second worker, takes the first answer, and aborts the other attempt, whose
 * outcome is never seen. Hedges calls with `idempotent` only, `share` of them at most, and none with a `key`, `transfer` or
 * `onProgress`. The second attempt goes to another worker that has room now, or to none: it never waits, and an overloaded
 * pool gets none. `retries` apply to the first attempt.
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
  const hedges = new Hedges(dispatcher as never, resolved);
  return wrapDispatcher(dispatcher as never, {
    run: (task, input, options) => runHedged(hedges, { task, input, options }),
    stats: () => hedges.stats(),
    drain: (options) => hedges.drain(options),
  }) as never;
}

function runHedged(
  hedges: Hedges,
  { task, input, options }: { task: string; input: unknown; options: RunOptions | undefined },
): Promise<unknown> {
  if (!mayHedge(options)) return hedges.dispatcher.run(task, input, options);
  hedges.save();
  return new Promise((resolve, reject) => {
    new HedgedCall(hedges, { task, input, options, resolve, reject }).begin();
  });
}

/** True if a call with these options may have a second attempt. All others go to the dispatcher as they are. */
function mayHedge(options: RunOptions | undefined): options is RunOptions {
  if (!areOptions(options) || options.idempotent !== true) return false;
  const { key, transfer, onProgress, onWorker, apartFrom, signal } = options;
  if ((key ?? transfer ?? onProgress ?? apartFrom) !== undefined) return false;
  if (onWorker !== undefined && typeof onWorker !== 'function') return false;
  return signal === undefined || (aSignal.test(signal) && !signal.aborted);
}
