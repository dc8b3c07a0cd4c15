import { expect, test } from 'vitest';
import type { Guard } from '../src/index.ts';
import { deferred, refused, testGuard } from './test-guard.ts';

const rate = { perSecond: 10, burst: 2 };
const throttled = (retryAfterMs?: number) => () =>
  Promise.reject(Object.assign(new Error('429'), { status: 429, retryAfterMs }));

test('without `maxWaitMs` a call for which there is no token is refused at once', async () => {
  const { guard, clock } = testGuard({ rate });
  await guard.run(() => 1);
  await guard.run(() => 2);
  expect(await refused(guard.run(() => 3))).toMatchObject({
    code: 'ERR_RATE_LIMITED',
    message:
      'Guard `test` has no token left of `rate.perSecond` (10): retry after 100 ms, or raise `rate.maxWaitMs`',
    data: { name: 'test', retryAfterMs: 100, limit: 10 },
  });
  await clock.advance(40);
  expect(guard.stats().rate.tokens).toBeCloseTo(0.4);
  expect(await refused(guard.run(() => 3))).toMatchObject({ data: { retryAfterMs: 60 } });
  await clock.advance(60);
  expect(await guard.run(() => 4)).toBe(4);
  expect(guard.stats().refused.rateLimited).toBe(2);
});

test('calls wait for their tokens first come first served, and leave their place when they leave', async () => {
  const { guard, clock } = testGuard({ rate: { ...rate, maxWaitMs: 250 } });
  const order: string[] = [];
  const run = (name: string, signal?: AbortSignal) =>
    refused(guard.run(() => order.push(`${name} ${clock.now() - 1000}`), { signal }));
  const controller = new AbortController();
  const calls = [run('a'), run('b'), run('c', controller.signal), run('d')];
  expect(guard.stats().concurrency.queued).toBe(2);
  // The fifth would wait for 300 ms.
  expect(await run('e')).toMatchObject({ data: { retryAfterMs: 300 } });
  controller.abort(new Error('left'));
  expect(await calls[2]).toMatchObject({ message: 'left' });
  clock.turn();
  await clock.advance(100);
  calls.push(run('f'));
  clock.turn();
  await clock.advance(300);
  await Promise.all(calls);
  expect(order).toEqual(['a 0', 'b 0', 'd 100', 'f 200']);
  expect(clock.pending).toBe(0);
});

test('no call waits beyond its deadline less the median latency', async () => {
  const { guard, clock } = testGuard({ rate: { ...rate, maxWaitMs: 1000 } });
  for (let time = 0; time < 2; time += 1) {
    const answer = deferred<void>();
    const call = guard.run(() => answer.promise);
    await clock.advance(30);
    answer.resolve();
    await call;
  }
  // The next token is there in 40 ms, and the answer would take 30.
  expect(guard.stats().latency).toMatchObject({ samples: 2, p50Ms: 30 });
  const late = guard.run(() => 1, { deadline: clock.now() + 69 });
  expect(await refused(late)).toMatchObject({ code: 'ERR_RATE_LIMITED' });
  const early = guard.run(() => 1, { deadline: clock.now() + 70 });
  clock.turn();
  await clock.advance(40);
  expect(await early).toBe(1);
});

test('an upstream that is asked too often pauses the guard for as long as it says', async () => {
  const { guard, clock } = testGuard({});
  expect(await refused(guard.run(throttled(5000)))).toMatchObject({ message: '429' });
  expect(guard.stats()).toMatchObject({
    rate: { pausedMs: 5000, pauses: 1 },
    outcomes: { throttled: 1 },
  });
  await clock.advance(4999);
  expect(await refused(guard.run(() => expect.unreachable()))).toMatchObject({
    code: 'ERR_RATE_LIMITED',
    message:
      'Guard `test` pauses: the upstream asked for fewer calls; retry after 1 ms, or raise `rate.maxWaitMs`',
    data: { name: 'test', retryAfterMs: 1 },
  });
  await clock.advance(1);
  expect(await guard.run(() => 'again')).toBe('again');
});

const pausesOf = async (guard: Guard, times: number, advance: (ms: number) => Promise<void>) => {
  const seen: number[] = [];
  for (let time = 0; time < times; time += 1) {
    await refused(guard.run(throttled()));
    const { pausedMs } = guard.stats().rate;
    seen.push(pausedMs);
    await advance(pausedMs);
  }
  return seen;
};

test('pauses of unknown length double from a second to a minute, until a success', async () => {
  const { guard, clock } = testGuard({});
  const advance = async (ms: number) => {
    clock.pass(ms);
  };
  expect(await pausesOf(guard, 8, advance)).toEqual(
    [1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000),
  );
  await refused(guard.run(() => Promise.reject(new Error('a failure is no success'))));
  expect(await pausesOf(guard, 1, advance)).toEqual([60_000]);
  await guard.run(() => 1);
  expect(await pausesOf(guard, 2, advance)).toEqual([1000, 2000]);
});

test('calls that were in flight together make one pause, as long as the longest that was asked for', async () => {
  const { guard, clock } = testGuard({});
  const end = deferred<never>();
  const calls = [undefined, undefined, 500, 3000].map((retryAfterMs) =>
    refused(guard.run(() => end.promise.catch(() => throttled(retryAfterMs)()))),
  );
  end.reject(new Error('end'));
  await Promise.all(calls);
  expect(guard.stats().rate).toMatchObject({ pausedMs: 3000, pauses: 1 });
  clock.pass(3000);
  await refused(guard.run(throttled()));
  expect(guard.stats().rate).toMatchObject({ pausedMs: 2000, pauses: 2 });
});

test('in a pause nothing is sent: attempts in the line wait for its end, or are refused', async () => {
  const { guard, clock } = testGuard({
    rate: { perSecond: 1000, burst: 10, maxWaitMs: 100 },
    concurrency: { limit: 1, maxQueued: 5 },
  });
  const times: number[] = [];
  const end = deferred<never>();
  const run = (ms: number) =>
    refused(guard.run(() => times.push(clock.now() - 1000), { deadline: clock.now() + ms }));
  const first = refused(guard.run(() => end.promise.catch(throttled(50))));
  const [short, long] = [run(49), run(2000)];
  end.reject(new Error('end'));
  await first;
  expect(await short).toMatchObject({ code: 'ERR_RATE_LIMITED' });
  clock.turn();
  await clock.advance(60);
  await long;
  expect(times).toEqual([50]);
});

test('a pause that is longer than attempts may wait refuses all of the line', async () => {
  const { guard } = testGuard({ concurrency: { limit: 1, maxQueued: 5 } });
  const end = deferred<never>();
  const first = refused(guard.run(() => end.promise.catch(throttled(50))));
  const waits = refused(guard.run(() => expect.unreachable()));
  end.reject(new Error('end'));
  await first;
  expect(await waits).toMatchObject({ code: 'ERR_RATE_LIMITED', data: { retryAfterMs: 50 } });
});
