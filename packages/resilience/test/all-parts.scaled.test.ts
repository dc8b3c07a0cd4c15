import { getEventListeners } from 'node:events';
import { isFullScale, scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { guardWith } from '../src/create-guard.ts';
import type { Attempt, GuardOptions } from '../src/index.ts';
import { createTestClock, jobs } from './test-clock.ts';

const SHARE = 0.2;
const MIN_PER_SECOND = 1;
const TTL_MS = 1000;
const MAX_ATTEMPTS = 3;
const LIMIT = 4;

const options: GuardOptions = {
  name: 'all',
  rate: { perSecond: 200, burst: 5, maxWaitMs: 20 },
  concurrency: { limit: LIMIT, maxQueued: 4 },
  circuit: {
    windowCalls: 20,
    windowMs: 300,
    minCalls: 8,
    failureShare: 0.75,
    openMs: 15,
    maxOpenMs: 40,
  },
  retry: {
    maxAttempts: MAX_ATTEMPTS,
    baseMs: 4,
    capMs: 10,
    budget: { share: SHARE, minPerSecond: MIN_PER_SECOND, ttlMs: TTL_MS },
  },
  hedge: { minMs: 3, minSamples: 3, afterPercentile: 0.5 },
  attemptTimeoutMs: 25,
};

/** A function's promise, and its attempt. */
interface Running {
  readonly call: number;
  readonly attempt: Attempt;
  readonly sentAt: number;
  readonly resolve: (value: string) => void;
  readonly reject: (error: unknown) => void;
}

const outcome = fc.oneof(
  { weight: 6, arbitrary: fc.constant('success' as const) },
  { weight: 5, arbitrary: fc.constant('failure' as const) },
  { weight: 1, arbitrary: fc.constantFrom('throttled' as const, 'final' as const) },
);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('run' as const),
      deadlineMs: fc.option(fc.integer({ min: 1, max: 80 })),
      isSync: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('settle' as const), which: fc.nat(100), outcome }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), which: fc.nat(100) }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 12 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('turn' as const) }) },
);

function errorOf(how: 'failure' | 'throttled' | 'final'): Error {
  const details = {
    failure: {},
    throttled: { code: 'RATE_LIMITED', retryAfterMs: 7 },
    final: { retryable: false },
  };
  return Object.assign(new Error(how), details[how]);
}

test('no part is ever above its bound, whatever is called, answered and left when', async () => {
  const totals = { retry: 0, hedge: 0, hedgesWon: 0, opened: 0, pauses: 0, attemptTimeouts: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 120, size: 'max' }), async (steps) => {
      const clock = createTestClock();
      const startedAt = clock.now();
      const guard = guardWith(options, clock);
      const running: Running[] = [];
      const controllers: AbortController[] = [];
      const settled = new Map<number, string>();
      const deadlines = new Map<number, number>();
      const sendTimes: number[] = [];
      let pausedUntil = 0;

      // A guard takes what its function throws for a failure of the upstream.
      const broken: unknown[] = [];
      const hold = (check: () => void) => {
        try {
          check();
        } catch (error) {
          broken.push(error);
        }
      };
      const run = (deadlineMs: number | null, isSync: boolean) => {
        const call = controllers.length;
        const controller = new AbortController();
        controllers.push(controller);
        let kinds = '';
        const deadline = deadlineMs === null ? undefined : clock.now() + deadlineMs;
        if (deadline !== undefined) deadlines.set(call, deadline);
        void guard
          .run(
            (attempt) => {
              kinds += attempt.kind[0];
              hold(() => {
                const stats = guard.stats();
                // One first attempt, at most two retries, and at most one hedge after the first of them.
                expect(kinds).toMatch(/^f(?=[^h]*h?[^h]*$)[rh]{0,3}$/);
                expect(kinds.replace('h', '').length).toBeLessThanOrEqual(MAX_ATTEMPTS);
                expect(attempt.number).toBe(kinds.length);
                expect(settled.has(call)).toBe(false);
                expect(controller.signal.aborted).toBe(false);
                expect(clock.now()).toBeGreaterThanOrEqual(pausedUntil);
                expect(clock.now()).toBeLessThan(deadline ?? Number.POSITIVE_INFINITY);
                expect(stats.concurrency.inFlight).toBeLessThanOrEqual(LIMIT);
                expect(stats.rate.tokens).toBeGreaterThan(-1e-6);
                expect(stats.circuit?.kind).not.toBe('open');
                if (stats.circuit?.kind === 'half-open') {
                  // Others that are in flight began before it opened.
                  expect(guard.stats().circuit?.retryAfterMs).toBe(15);
                  expect(attempt.kind).not.toBe('hedge');
                }
              });
              sendTimes.push(clock.now());
              if (call % 2 === 0) expect(attempt.signal.aborted).toBe(false);
              if (isSync) throw errorOf('failure');
              return new Promise<string>((resolve, reject) => {
                running.push({ call, attempt, sentAt: clock.now(), resolve, reject });
              });
            },
            { signal: controller.signal, ...(deadline !== undefined && { deadline }) },
          )
          .then(
            () => 'answered',
            (error: unknown) => (error instanceof Error ? error.message : 'left'),
          )
          .then((how) => {
            hold(() => expect(settled.has(call)).toBe(false));
            settled.set(call, how);
          });
      };

      for (const one of steps) {
        switch (one.do) {
          case 'run':
            run(one.deadlineMs, one.isSync && controllers.length % 3 === 0);
            break;
          case 'settle': {
            const [chosen] = running.splice(one.which % Math.max(1, running.length), 1);
            if (chosen === undefined) break;
            const isLive = !chosen.attempt.signal.aborted;
            if (one.outcome === 'success') chosen.resolve('answer');
            else chosen.reject(errorOf(one.outcome));
            if (one.outcome === 'throttled' && isLive) {
              await jobs();
              pausedUntil = Math.max(pausedUntil, clock.now() + guard.stats().rate.pausedMs);
            }
            break;
          }
          case 'leave': {
            const open = controllers.flatMap((_, call) => (settled.has(call) ? [] : [call]));
            const call = open[one.which % Math.max(1, open.length)];
            if (call !== undefined) controllers[call]?.abort(new Error('left'));
            break;
          }
          case 'wait':
            clock.turn();
            for (let passed = 0; passed < one.ms; passed += 1) {
              await clock.advance(1);
              for (const [call, deadline] of deadlines) {
                if (clock.now() >= deadline) expect(settled.has(call)).toBe(true);
              }
            }
            break;
          case 'turn':
            clock.turn();
        }
        await jobs();
        expect(broken).toEqual([]);
        const { attempts, budget, calls, concurrency, outcomes } = guard.stats();
        const { succeeded, failed, timedOut, left } = calls;
        expect(calls.begun).toBe(controllers.length);
        expect(succeeded + failed + timedOut + left + calls.inFlight).toBe(calls.begun);
        const ended = outcomes.success + outcomes.failure + outcomes.throttled + outcomes.ignored;
        const sent = attempts.first + attempts.retry + attempts.hedge;
        expect(ended + concurrency.inFlight).toBe(sent);
        const seconds = (clock.now() - startedAt + TTL_MS) / 1000;
        const extra = attempts.retry + attempts.hedge;
        expect(extra).toBeLessThanOrEqual(attempts.first * SHARE + MIN_PER_SECOND * seconds + 1e-6);
        expect(budget).toBeGreaterThan(-1);
      }
      for (let first = 0; first < sendTimes.length; first += 1) {
        for (let last = first; last < sendTimes.length; last += 1) {
          const ms = (sendTimes[last] as number) - (sendTimes[first] as number);
          expect(last - first + 1).toBeLessThanOrEqual(5 + ms / 5 + 1e-6);
        }
      }

      // Whoever is left leaves: every place is free, and nothing of the calls is there still.
      for (const controller of controllers) controller.abort(new Error('left'));
      clock.turn();
      await jobs();
      clock.turn();
      const stats = guard.stats();
      expect(settled.size).toBe(controllers.length);
      expect(stats.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
      expect(stats.concurrency.abandoned).toBe(running.length);
      expect(stats.calls.inFlight).toBe(0);
      expect(clock.pending).toBe(0);
      for (const { signal } of controllers) expect(getEventListeners(signal, 'abort')).toEqual([]);
      for (const { attempt, reject } of running) {
        expect(attempt.signal.aborted).toBe(true);
        reject(new Error('late'));
      }
      await jobs();
      expect(guard.stats().concurrency.abandoned).toBe(0);
      totals.retry += stats.attempts.retry;
      totals.hedge += stats.attempts.hedge;
      totals.hedgesWon += stats.hedgesWon;
      totals.opened += stats.circuit?.opened ?? 0;
      totals.pauses += stats.rate.pauses;
      totals.attemptTimeouts += stats.attemptTimeouts;
    }),
    { numRuns: scaled({ fast: 60, full: 400 }) },
  );
  // Otherwise the steps above lead nowhere. A few cases need not have met them all.
  if (isFullScale()) expect(Object.entries(totals).filter(([, count]) => count === 0)).toEqual([]);
});
