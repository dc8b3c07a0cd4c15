import type { Capabilities, Dispatcher, DispatcherStats, TaskMap } from '@ticketing/dispatch';
import {
  type Clock,
  type Rules,
  resolveByRules,
  systemClock,
  wholeBetween,
  withMethods,
  wrongOption,
} from '@ticketing/kit';
import { FallbackCalls, type FallbackStats, isUnavailable } from './fallback-calls.ts';
import { aDispatcher, type UntypedDispatcher, wrapDispatcher } from './wrap-dispatcher.ts';

export interface FallbackOptions {
  /** Calls in the fallback at a time, 1 to 2^31-1; then `ERR_QUEUE_FULL`. Default 64. */
  readonly maxInFlight?: number;
  /** Clock, which tests replace. Default: the platform's. */
  readonly clock?: Clock;
}

/** A dispatcher, and another one for calls that it cannot send. */
export interface FallbackDispatcher<M extends TaskMap> extends Dispatcher<M> {
  /** Counts each call once, wherever it ran. Workers and times are figures of the first dispatcher. */
  stats(): DispatcherStats & { readonly fallback: FallbackStats };
}

const rules = {
  maxInFlight: wholeBetween(1, 2 ** 31 - 1, 64),
  clock: { ...withMethods('now', 'setTimeout', 'clearTimeout'), fallback: systemClock },
} satisfies Rules;

/**
 * Returns a dispatcher whose calls run in `local` while `dispatcher` cannot send them: its circuit is open, or no host is known to
 * be there. Only calls that no worker has begun move, and those with `idempotent`: none runs twice without permission. A call keeps
 * its signal, and what is left of its limits. Streams run in `dispatcher` alone.
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
  return wrap(new FallbackCalls(dispatcher as never, local as never, resolved)) as never;
}

function wrap(calls: FallbackCalls): UntypedDispatcher {
  const { first, local } = calls;
  const own: Partial<UntypedDispatcher> = {
    capabilities: weaker(first.capabilities, local.capabilities),
    get state() {
      return calls.state;
    },
    async ready() {
      try {
        await first.ready();
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        await local.ready();
      }
    },
    run: (task, input, options) => calls.run(task, input, options),
    // A call may run on any worker of both.
    async broadcast(...call) {
      return (await Promise.all([first, local].map((each) => each.broadcast(...call)))).flat();
    },
    capacity: (signal, options) => calls.capacity(signal, options),
    stats: () => calls.stats(),
    async reload(options) {
      await first.reload(options);
      await local.reload(options);
    },
    drain: (options) => calls.drain(options),
    close: (options) => calls.close(options),
  };
  return wrapDispatcher(first, own, local.stats().name);
}

const isolations = ['none', 'thread', 'process'] as const;

/** Returns what can be relied on wherever a call runs. Streams are run by the first dispatcher alone. */
function weaker(one: Capabilities, other: Capabilities): Capabilities {
  const [a, b] = [isolations.indexOf(one.isolation), isolations.indexOf(other.isolation)];
  return {
    isolation: isolations[Math.min(a, b)] ?? 'none',
    hardKill: one.hardKill && other.hardKill,
    transfer: one.transfer && other.transfer,
    streams: one.streams,
  };
}
