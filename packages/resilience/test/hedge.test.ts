import { expect, test } from 'vitest';
import type { Attempt, Guard, GuardOptions } from '../src/index.ts';
import type { TestClock } from './test-clock.ts';
import { deferred, refused, testGuard } from './test-guard.ts';

const hedge = { minMs: 10, minSamples: 3 };

/** Lets calls take some milliseconds each. */
async function warm(guard: Guard, clock: TestClock, durations: readonly number[]) {
  for (const ms of durations) {
    const answer = deferred<void>();
    const call = guard.run(() => answer.promise);
    await clock.advance(ms);
    answer.resolve();
    await call;
  }
}

/** Starts a call, whose attempts the test settles. */
function start(guard: Guard, clock: TestClock) {
  const attempts: (Attempt & ReturnType<typeof deferred<string>> & { readonly at: number })[] = [];
  const end = guard
    .run((attempt) => {
      const answer = deferred<string>();
      const { number, kind, signal, deadline } = attempt;
      attempts.push({ ...answer, number, kind, signal, deadline, at: clock.now() });
      return answer.promise;
    })
    .catch((error: unknown) => error);
  clock.turn();
  return { attempts, end, from: clock.now() };
}

async function slowCall(options: Omit<GuardOptions, 'name'> = {}) {
  const { guard, clock } = testGuard({ hedge, ...options });
  await warm(guard, clock, [30, 30, 30]);
  const { attempts, end, from } = start(guard, clock);
  await clock.advance(29);
  expect(attempts).toHaveLength(1);
  await clock.advance(1);
  const [first, second] = attempts;
  return { guard, clock, attempts, end, from, first, second };
}

test('a hedge is sent after the live percentile; its success wins, and the first attempt is aborted', async () => {
  const { guard, clock, end, first, second } = await slowCall();
  expect(second).toMatchObject({ number: 2, kind: 'hedge' });
  expect(first?.signal.aborted).toBe(false);
  await clock.advance(5);
  second?.resolve('hedge');
  expect(await end).toBe('hedge');
  expect(first?.signal.reason).toMatchObject({ name: 'AbortError' });
  expect(second?.signal.aborted).toBe(false);
  expect(guard.stats()).toMatchObject({
    attempts: { first: 4, hedge: 1 },
    outcomes: { success: 4, ignored: 1 },
    hedgesWon: 1,
    concurrency: { inFlight: 0, abandoned: 1 },
    // The slow attempt took 35 ms at least.
    latency: { samples: 4, p99Ms: 35 },
  });
  first?.resolve('late');
  await clock.advance(0);
  expect(guard.stats().concurrency.abandoned).toBe(0);
  expect(clock.pending).toBe(0);
});

test('the first attempt wins if it is faster than its hedge', async () => {
  const { guard, clock, end, first, second } = await slowCall();
  await clock.advance(5);
  first?.resolve('first');
  expect(await end).toBe('first');
  expect(second?.signal.aborted).toBe(true);
  expect(guard.stats()).toMatchObject({ hedgesWon: 0, latency: { samples: 4, p99Ms: 35 } });
});

test('a failure of one attempt waits for the other; the last error is the call’s', async () => {
  const one = await slowCall();
  one.first?.reject(new Error('first'));
  await one.clock.advance(1);
  one.second?.resolve('hedge');
  expect(await one.end).toBe('hedge');
  const two = await slowCall();
  two.second?.reject(new Error('hedge'));
  await two.clock.advance(1);
  two.first?.reject(new Error('first'));
  expect(await two.end).toMatchObject({ message: 'first' });
  expect(two.attempts).toHaveLength(2);
});

test('a call is hedged once, and its attempts are retried when both have failed', async () => {
  const { clock, attempts, end, first, second } = await slowCall({
    retry: { maxAttempts: 2, baseMs: 10 },
    random: () => 1,
  });
  first?.reject(new Error('first'));
  await clock.advance(1);
  second?.reject(new Error('hedge'));
  await clock.advance(10);
  expect(attempts.map(({ kind, number }) => [kind, number])).toEqual([
    ['first', 1],
    ['hedge', 2],
    ['retry', 3],
  ]);
  await clock.advance(100);
  expect(attempts).toHaveLength(3);
  attempts[2]?.resolve('retry');
  expect(await end).toBe('retry');
});

test('an error that is an answer wins as a success does', async () => {
  const { end, first, second } = await slowCall({ classify: () => 'success' });
  second?.reject(new Error('no trains'));
  expect(await end).toMatchObject({ message: 'no trains' });
  expect(first?.signal.aborted).toBe(true);
});

test('no hedge before `minSamples` successes, and none sooner than `minMs`', async () => {
  const { guard, clock } = testGuard({ hedge });
  await warm(guard, clock, [1, 1]);
  const few = start(guard, clock);
  await clock.advance(100);
  expect(few.attempts).toHaveLength(1);
  few.attempts[0]?.resolve('one');
  await few.end;
  // Percentile 0.95 of 20 is the 19th: of 1, 1, 100 and 17 more of 1 that is 1.
  await warm(
    guard,
    clock,
    Array.from({ length: 17 }, () => 1),
  );
  expect(guard.stats().latency).toMatchObject({ samples: 20, p95Ms: 1, p99Ms: 100 });
  const fast = start(guard, clock);
  await clock.advance(9);
  expect(fast.attempts).toHaveLength(1);
  await clock.advance(1);
  expect(fast.attempts).toHaveLength(2);
});

test.each<[string, Omit<GuardOptions, 'name'>]>([
  ['no token', { rate: { perSecond: 1, burst: 4, maxWaitMs: 5000 } }],
  ['no place', { concurrency: { limit: 1, maxQueued: 5 } }],
  ['no budget', { retry: { maxAttempts: 1, budget: { share: 0, minPerSecond: 0 } } }],
])('no hedge is sent, nor waits, if there is %s', async (_, options) => {
  const { guard, clock, attempts, end, first } = await slowCall(options);
  await clock.advance(500);
  expect(attempts).toHaveLength(1);
  expect(guard.stats()).toMatchObject({
    attempts: { hedge: 0 },
    concurrency: { queued: 0 },
    refused: { rateLimited: 0, overloaded: 0 },
  });
  first?.resolve('first');
  expect(await end).toBe('first');
});

test('no hedge is sent in a pause, nor while the circuit is not closed', async () => {
  const paused = testGuard({ hedge });
  await warm(paused.guard, paused.clock, [30, 30, 30]);
  const one = start(paused.guard, paused.clock);
  await refused(
    paused.guard.run(() => Promise.reject(Object.assign(new Error('429'), { status: 429 }))),
  );
  await paused.clock.advance(60);
  expect(one.attempts).toHaveLength(1);

  const open = testGuard({ hedge, circuit: { minCalls: 4, openMs: 100 } });
  await warm(open.guard, open.clock, [30, 30, 30]);
  const two = start(open.guard, open.clock);
  for (let time = 0; time < 3; time += 1) {
    await refused(open.guard.run(() => Promise.reject(new Error('down'))));
  }
  await open.clock.advance(60);
  expect(two.attempts).toHaveLength(1);
  // Nor beside a probe.
  await open.clock.advance(50);
  const probe = start(open.guard, open.clock);
  await open.clock.advance(60);
  expect(probe.attempts).toHaveLength(1);
});

test('hedges are paid from the budget of retries', async () => {
  const { guard } = await slowCall();
  // Ten of the reserve, four first attempts, one hedge.
  expect(guard.stats().budget).toBeCloseTo(10 + 4 * 0.2 - 1);
});

test('the percentile does not fall from hedge to hedge', async () => {
  const { guard, clock } = testGuard({ hedge: { minMs: 1, minSamples: 20 } });
  // A generator of pseudo-random numbers, so that each run is the same.
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (let call = 0; call < 1000; call += 1) {
    const end = guard.run(() => {
      const answer = deferred<void>();
      clock.setTimeout(() => answer.resolve(), 1 + Math.floor(60 * random()));
      return answer.promise;
    });
    clock.turn();
    while (guard.stats().calls.inFlight > 0) await clock.advance(1);
    await end;
  }
  const { attempts } = guard.stats();
  expect(attempts.hedge / attempts.first).toBeGreaterThan(0.03);
  expect(attempts.hedge / attempts.first).toBeLessThan(0.08);
});
