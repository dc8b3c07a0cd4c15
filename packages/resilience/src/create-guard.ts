import {
  aFunction,
  aSignal,
  checkByRules,
  LinkedList,
  type Rules,
  wrongOption,
} from '@ticketing/kit';
import { ExecutedAttempt } from './calls/executed-attempt.ts';
import { callEvents, closeCalls, due, runCall } from './calls/run-call.ts';
import { Watch } from './calls/watch.ts';
import type { Attempt, ExecuteContext, Guard, RunOptions } from './guard.ts';
import { type GuardClock, guardClock } from './guard-clock.ts';
import { DEFAULT_BUDGET, type GuardOptions, resolveGuardOptions } from './guard-options.ts';
import type { GuardRecord } from './guard-record.ts';
import type { GuardStats } from './guard-stats.ts';
import { createBudget } from './state/budget.ts';
import { createCircuit } from './state/circuit.ts';
import { createCounts } from './state/counts.ts';
import { createLatencies } from './state/latencies.ts';
import { createLimit } from './state/limit.ts';
import { createRate } from './state/rate.ts';
import { statsOf } from './stats-of.ts';

const runRules = {
  signal: aSignal,
  deadline: {
    expected: 'a number',
    test: isDeadline,
  },
} satisfies Rules;

function isDeadline(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(value);
}

/** Returns the error for wrong options of a call. A look at each name costs less than `checkByRules`, which makes a list of them. */
function wrongOptions(options: RunOptions): unknown {
  let isKnown = typeof options === 'object' && options !== null;
  for (const name in options) if (name !== 'signal' && name !== 'deadline') isKnown = false;
  const { signal, deadline } = options ?? {};
  if (signal !== undefined && !aSignal.test(signal)) isKnown = false;
  if (deadline !== undefined && !isDeadline(deadline)) isKnown = false;
  if (isKnown) return undefined;
  try {
    checkByRules(RUN, options, runRules);
  } catch (error) {
    return error;
  }
  return undefined;
}

/**
 * Creates a guard for the calls to one upstream. Each part is off unless its option is given; an upstream that asks for fewer calls
 * pauses any guard. Without waiting calls there is no timer.
 *
 * @throws TypeError or RangeError for options that are unknown, missing or out of range
 * @example
 * const guard = createGuard({ name: 'renfe', circuit: {}, retry: {}, rate: { perSecond: 5, burst: 5 } });
 * const answer = await guard.run(({ signal }) => fetch(url, { signal }), { deadline: Date.now() + 2000 });
 */
export function createGuard(options: GuardOptions): Guard {
  return guardWith(options, guardClock(options?.now));
}

/** Creates a guard on a clock: a test drives its timers. */
export function guardWith(options: GuardOptions, clock: GuardClock): Guard {
  const resolved = resolveGuardOptions(options);
  const { retry, hedge, attemptTimeoutMs } = resolved;
  const guard: GuardRecord = {
    options: resolved,
    clock,
    circuit: resolved.circuit && createCircuit(resolved.circuit),
    rate: createRate(resolved.rate),
    limit: createLimit(resolved.concurrency),
    budget: retry || hedge ? createBudget(retry?.budget ?? DEFAULT_BUDGET) : undefined,
    latencies: createLatencies(),
    line: new LinkedList(),
    watch: new Watch(clock, due),
    counts: createCounts(),
    keepsContext: hedge !== undefined || (retry !== undefined && attemptTimeoutMs !== undefined),
    events: callEvents,
    pool: [],
    isHeld: false,
    isClosed: false,
  };
  return {
    name: resolved.name,
    run<T>(fn: (attempt: Attempt) => T | PromiseLike<T>, options?: RunOptions): Promise<T> {
      if (typeof fn !== 'function') return Promise.reject(wrongOption(RUN, 'fn', aFunction, fn));
      if (options === undefined) return runCall(guard, fn, NONE);
      const wrong = wrongOptions(options);
      if (wrong !== undefined) return Promise.reject(wrong);
      return runCall(guard, fn, options);
    },
    execute<T>(
      fn: (context: ExecuteContext) => T | PromiseLike<T>,
      signal?: AbortSignal,
    ): Promise<T> {
      if (typeof fn !== 'function') return Promise.reject(wrongOption(RUN, 'fn', aFunction, fn));
      if (signal !== undefined && !aSignal.test(signal)) {
        return Promise.reject(wrongOption(RUN, 'signal', aSignal, signal));
      }
      return runCall(guard, (attempt) => fn(new ExecutedAttempt(attempt)), { signal });
    },
    stats: (): GuardStats => statsOf(guard),
    close,
    [Symbol.asyncDispose]: close,
  };

  async function close(): Promise<void> {
    if (guard.isClosed) return;
    guard.isClosed = true;
    // For good: nothing of the line is sent after this.
    guard.isHeld = true;
    closeCalls(guard);
  }
}

const RUN = 'run a call';
const NONE: RunOptions = {};
