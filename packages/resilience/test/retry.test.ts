import { expect, test } from 'vitest';
import type { GuardOptions } from '../src/index.ts';
import { deferred, refused, testGuard } from './test-guard.ts';

const failing =
  (details: object = {}) =>
  () =>
    Promise.reject(Object.assign(new Error('down'), details));
/** Times of the attempts of one call that always fails. */
async function timesOf(
  options: Omit<GuardOptions, 'name'>,
  fn: (number: number) => unknown = failing(),
  deadlineMs = 100_000,
) {
  const { guard, clock } = testGuard({ random: () => 1, ...options });
  const from = clock.now();
  const times: number[] = [];
  const call = guard.run(
    ({ number }) => {
      times.push(clock.now() - from);
      return fn(number);
    },
    { deadline: from + deadlineMs },
  );
  const end = refused(call);
  await clock.advance(0);
  clock.turn();
  while (guard.stats().calls.inFlight > 0) await clock.advance(1);
  return { times, error: await end, guard };
}

test('retries wait for a random part of doubled milliseconds, up to `capMs`', async () => {
  const retry = { maxAttempts: 6, baseMs: 10, capMs: 50, budget: { minPerSecond: 100 } };
  expect((await timesOf({ retry })).times).toEqual([0, 10, 30, 70, 120, 170]);
  const halves = await timesOf({ retry, random: () => 0.5 });
  expect(halves.times).toEqual([0, 5, 15, 35, 60, 85]);
  expect(halves.error).toMatchObject({ message: 'down' });
  expect(halves.guard.stats()).toMatchObject({
    attempts: { first: 1, retry: 5 },
    calls: { failed: 1 },
    outcomes: { failure: 6 },
  });
});

test.each<[string, number, () => unknown, Omit<GuardOptions, 'name'>]>([
  ['two attempts by default', 2, failing(), {}],
  ['errors that are not retryable', 1, failing({ retryable: false }), {}],
  ['answers that are errors', 1, failing(), { classify: () => 'success' }],
  ['ignored errors', 1, failing({ name: 'AbortError' }), {}],
  [
    'a verdict that it is not',
    1,
    failing(),
    { classify: () => ({ outcome: 'failure', retryable: false }) },
  ],
  ['an upstream that asks to wait for longer than `capMs`', 1, failing({ retryAfterMs: 1001 }), {}],
  ['an upstream that is to be left alone', 1, failing({ status: 429, retryAfterMs: 10 }), {}],
  ['no retries', 1, failing(), { retry: false }],
  ['one attempt', 1, failing(), { retry: { maxAttempts: 1 } }],
])('%s: %d attempts', async (_, attempts, fn, options) => {
  expect((await timesOf({ retry: {}, ...options }, fn)).times).toHaveLength(attempts);
});

test('a retry waits as long as the upstream asks, up to `capMs`, or in a pause up to `maxWaitMs`', async () => {
  const retry = { baseMs: 10 };
  expect((await timesOf({ retry }, failing({ data: { retryAfterMs: 700 } }))).times).toEqual([
    0, 700,
  ]);
  expect((await timesOf({ retry }, failing({ retryAfterMs: 1000 }))).times).toEqual([0, 1000]);
  const rate = { perSecond: 100, burst: 10, maxWaitMs: 1500 };
  const { times } = await timesOf({ retry, rate }, failing({ status: 429, retryAfterMs: 1400 }));
  expect(times).toEqual([0, 1400]);
});

test('a retry is begun only if its wait and the median latency fit before the deadline', async () => {
  const retry = { maxAttempts: 3, baseMs: 100 };
  expect((await timesOf({ retry }, failing(), 300)).times).toEqual([0, 100, 300].slice(0, 2));
  expect((await timesOf({ retry }, failing(), 301)).times).toEqual([0, 100, 300]);
  const { guard, clock } = testGuard({ retry, random: () => 1 });
  const answer = deferred<void>();
  const slow = guard.run(() => answer.promise);
  await clock.advance(50);
  answer.resolve();
  await slow;
  let attempts = 0;
  const fails = () => {
    attempts += 1;
    return failing()();
  };
  await refused(guard.run(fails, { deadline: clock.now() + 149 }));
  expect(attempts).toBe(1);
});

test('the budget has a fifth of a retry for each first attempt, and one per second', async () => {
  const { guard, clock } = testGuard({ retry: { baseMs: 0 } });
  // The reserve of ten seconds is 10.
  expect(guard.stats().budget).toBeCloseTo(10);
  const failAll = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      const call = refused(guard.run(failing()));
      await clock.advance(0);
      clock.turn();
      await clock.advance(1);
      await call;
    }
  };
  await failAll(100);
  expect(guard.stats()).toMatchObject({
    attempts: { first: 100, retry: 30 },
    refused: { noBudget: 70 },
  });
  clock.pass(11_000);
  expect(guard.stats().budget).toBeCloseTo(10);
  await failAll(10);
  expect(guard.stats().attempts.retry).toBe(40);
});

test('the caller gets the error of the last attempt; a retry that is refused leaves the one before', async () => {
  const { error } = await timesOf({ retry: { baseMs: 1 } }, (number) =>
    Promise.reject(new Error(`attempt ${number}`)),
  );
  expect(error).toMatchObject({ message: 'attempt 2' });
  const circuit = { minCalls: 1, openMs: 1000 };
  const opened = await timesOf({ retry: { baseMs: 1 }, circuit });
  expect(opened.times).toEqual([0]);
  expect(opened.error).toMatchObject({ message: 'down' });
  const rate = { perSecond: 1, burst: 1 };
  const limited = await timesOf({ retry: { baseMs: 1 }, rate });
  expect(limited.error).toMatchObject({ message: 'down' });
  expect(limited.guard.stats()).toMatchObject({
    refused: { rateLimited: 1 },
    calls: { failed: 1 },
  });
});

test('a deadline that passes in a retry has the error of the attempt before as its cause', async () => {
  const { error } = await timesOf(
    { retry: { baseMs: 1 } },
    (number) => (number === 1 ? failing()() : new Promise(() => {})),
    50,
  );
  expect(error).toMatchObject({ code: 'ERR_TIMEOUT', cause: { message: 'down' } });
});

test('an abort ends the wait for a retry at once', async () => {
  const { guard, clock } = testGuard({ retry: { baseMs: 1000 }, random: () => 1 });
  const controller = new AbortController();
  const call = refused(guard.run(failing(), { signal: controller.signal }));
  await clock.advance(0);
  expect(guard.stats().calls.inFlight).toBe(1);
  controller.abort(new Error('left'));
  expect(await call).toMatchObject({ message: 'left' });
  clock.turn();
  expect(clock.pending).toBe(0);
});

test('what `classify` throws, or returns that is no outcome, rejects the call', async () => {
  const { guard } = testGuard({
    retry: {},
    circuit: {},
    classify: (error) => {
      if ((error as Error).message === 'throw') throw new Error('of classify');
      return 'fine' as never;
    },
  });
  expect(await refused(guard.run(() => Promise.reject(new Error('throw'))))).toMatchObject({
    message: 'of classify',
  });
  const cause = new Error('other');
  expect(await refused(guard.run(() => Promise.reject(cause)))).toMatchObject({
    message:
      'Cannot classify an error: `classify` must return success, failure, throttled or ignored, got fine',
    cause,
  });
  expect(guard.stats()).toMatchObject({
    outcomes: { ignored: 2 },
    circuit: { outcomes: 0 },
    concurrency: { inFlight: 0 },
  });
});
