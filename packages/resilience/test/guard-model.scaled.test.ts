import { isFullScale, scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { guardWith } from '../src/create-guard.ts';
import { GuardError } from '../src/index.ts';
import { type Ending, NaiveGuard, type NaiveSettings } from './naive-guard.ts';
import { createTestClock, jobs } from './test-clock.ts';

const settings: fc.Arbitrary<NaiveSettings> = fc.record({
  rate: fc.option(
    fc.record({
      tokenMs: fc.constantFrom(2, 4, 5, 10),
      burst: fc.integer({ min: 1, max: 4 }),
      maxWaitMs: fc.constantFrom(0, 12, 40),
    }),
    { nil: undefined },
  ),
  concurrency: fc.option(
    fc.record({ limit: fc.integer({ min: 1, max: 3 }), maxQueued: fc.integer({ min: 0, max: 3 }) }),
    { nil: undefined },
  ),
  circuit: fc.option(
    fc.record({
      windowCalls: fc.integer({ min: 4, max: 8 }),
      windowMs: fc.constantFrom(20, 200),
      minCalls: fc.integer({ min: 2, max: 4 }),
      failureShare: fc.constantFrom(0.34, 0.5, 1),
      openMs: fc.constant(10),
      maxOpenMs: fc.constantFrom(10, 40),
      probes: fc.integer({ min: 1, max: 3 }),
    }),
    { nil: undefined },
  ),
  attemptTimeoutMs: fc.option(fc.constantFrom(7, 30), { nil: undefined }),
});

type Step =
  | { readonly do: 'run'; readonly deadlineMs: number }
  | { readonly do: 'settle'; readonly which: number; readonly ending: Ending }
  | { readonly do: 'leave'; readonly which: number; readonly isTimeout: boolean }
  | { readonly do: 'wait'; readonly ms: number };

const ending: fc.Arbitrary<Ending> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Ending>({ kind: 'success' }) },
  { weight: 4, arbitrary: fc.constant<Ending>({ kind: 'failure' }) },
  { weight: 1, arbitrary: fc.constantFrom<Ending>({ kind: 'answer' }, { kind: 'ignored' }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(undefined, 3, 11, 30)
      .map((retryAfterMs): Ending => ({ kind: 'throttled', retryAfterMs })),
  },
);
const which = fc.nat(1000);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('run' as const),
      deadlineMs: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 0, max: 60 })),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('settle' as const), which, ending }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('leave' as const), which, isTimeout: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.oneof(fc.integer({ min: 1, max: 15 }), fc.constant(1100)),
    }),
  },
);

class Said extends Error {
  readonly ending: Ending;
  constructor(said: Ending) {
    super(said.kind);
    this.ending = said;
  }
}

test('a guard does what its naive reference does', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(settings, fc.array(step, { maxLength: 60 }), async (given, steps) => {
      const clock = createTestClock();
      const { rate, concurrency, circuit, attemptTimeoutMs } = given;
      const guard = guardWith(
        {
          name: 'model',
          random: () => 0.5,
          classify: (error) => {
            const { kind, ...details } = (error as Said).ending;
            return { outcome: kind === 'answer' ? 'success' : kind, ...details };
          },
          ...(rate && {
            rate: { perSecond: 1000 / rate.tokenMs, burst: rate.burst, maxWaitMs: rate.maxWaitMs },
          }),
          ...(concurrency && { concurrency }),
          ...(circuit && { circuit }),
          ...(attemptTimeoutMs !== undefined && { attemptTimeoutMs }),
        },
        clock,
      );
      const naive = new NaiveGuard(given, clock.now());
      const log: string[] = [];
      const controllers: AbortController[] = [];
      const settlers = new Map<number, (ending: Ending) => void>();
      const note = (id: number, how: string) => void log.push(`${clock.now()} ${id} ${how}`);
      const run = (deadlineMs: number) => {
        const id = controllers.length;
        const controller = new AbortController();
        controllers.push(controller);
        const deadline = clock.now() + deadlineMs;
        naive.run(id, deadline);
        const options = Number.isFinite(deadline) ? { deadline } : {};
        let isSync = true;
        void guard
          .run(
            (attempt) => {
              // Half of the functions never look at their signal.
              if (id % 2 === 0 && attempt.signal.aborted) note(id, 'aborted');
              note(id, 'sent');
              return new Promise((resolve, reject) => {
                settlers.set(id, (how) =>
                  how.kind === 'success' ? resolve(id) : reject(new Said(how)),
                );
              });
            },
            { signal: controller.signal, ...options },
          )
          .then(
            () => note(id, 'answered'),
            (error: unknown) => {
              if (!GuardError.is(error)) note(id, error instanceof Said ? 'rejected' : 'left');
              else if (isSync && error.data.retryAfterMs !== undefined) {
                note(id, `${error.code} ${error.data.retryAfterMs}`);
              } else note(id, error.code);
            },
          );
        return jobs().then(() => {
          isSync = false;
        });
      };
      for (const one of steps) {
        const there = [...naive.inFlight, ...naive.line].map(({ id }) => id);
        switch (one.do) {
          case 'run':
            await run(one.deadlineMs);
            break;
          case 'settle': {
            const ids = naive.inFlight.map(({ id }) => id);
            const id = ids[one.which % Math.max(1, ids.length)];
            if (id === undefined) break;
            settlers.get(id)?.(one.ending);
            naive.settle(id, one.ending);
            break;
          }
          case 'leave': {
            const id = there[one.which % Math.max(1, there.length)];
            if (id === undefined) break;
            controllers[id]?.abort(
              new DOMException('gone', one.isTimeout ? 'TimeoutError' : 'AbortError'),
            );
            naive.leave(id, one.isTimeout);
            break;
          }
          case 'wait':
            for (let passed = 0; passed < one.ms; passed += 1) {
              naive.tick();
              await clock.advance(1);
              if (one.ms > 100 && naive.inFlight.length + naive.line.length === 0) {
                // Only the clock changes from now on.
                for (; passed < one.ms - 1; passed += 1) naive.tick();
                await clock.advance(0);
                clock.pass(naive.now - clock.now());
              }
            }
        }
        await jobs();
        clock.turn();
        await jobs();
        const stats = guard.stats();
        expect(log.toSorted()).toEqual(naive.log.toSorted());
        expect(stats.concurrency.inFlight).toBe(naive.inFlight.length);
        expect(stats.concurrency.queued).toBe(naive.line.length);
        seen.add(naive.circuit);
        if (rate !== undefined) expect(stats.rate.tokens).toBeCloseTo(naive.tokens, 6);
      }
      for (const entry of log) seen.add(entry.split(' ')[2] ?? '');
      for (const controller of controllers) controller.abort();
      await jobs();
      clock.turn();
      await jobs();
      expect(clock.pending).toBe(0);
      expect(guard.stats().concurrency).toMatchObject({ inFlight: 0, queued: 0 });
    }),
    { numRuns: scaled({ fast: 200, full: 3000 }) },
  );
  // Otherwise the steps above lead nowhere. A few cases need not have met them all.
  if (!isFullScale()) return;
  expect([...seen].sort()).toEqual([
    'ERR_ATTEMPT_TIMEOUT',
    'ERR_CIRCUIT_OPEN',
    'ERR_OVERLOADED',
    'ERR_RATE_LIMITED',
    'ERR_TIMEOUT',
    'answered',
    'closed',
    'half-open',
    'left',
    'open',
    'rejected',
    'sent',
  ]);
});
