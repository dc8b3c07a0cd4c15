import { expect, test } from 'vitest';
import { deferred, refused, testGuard } from './test-guard.ts';

test('calls above a fixed limit are refused at once', async () => {
  const { guard } = testGuard({ concurrency: { limit: 2 } });
  const end = deferred<void>();
  const calls = [guard.run(() => end.promise), guard.run(() => end.promise)];
  expect(await refused(guard.run(() => expect.unreachable()))).toMatchObject({
    code: 'ERR_OVERLOADED',
    message:
      'Guard `test` has 2 attempts in flight: retry after 1 ms, or raise `concurrency.maxQueued`',
    data: { name: 'test', retryAfterMs: 1, limit: 2 },
  });
  expect(guard.stats()).toMatchObject({
    concurrency: { limit: 2, inFlight: 2, queued: 0 },
    refused: { overloaded: 1 },
  });
  end.resolve();
  await Promise.all(calls);
  expect(await guard.run(() => 'room')).toBe('room');
});

test('up to `maxQueued` calls wait, until their deadline leaves no median latency', async () => {
  const { guard, clock } = testGuard({ concurrency: { limit: 1, maxQueued: 2 } });
  const slow = deferred<void>();
  const first = guard.run(() => slow.promise);
  await clock.advance(40);
  slow.resolve();
  await first;
  const end = deferred<void>();
  const running = guard.run(() => end.promise);
  const late = refused(guard.run(() => expect.unreachable(), { deadline: clock.now() + 90 }));
  const waits = guard.run(() => 'waited', { deadline: clock.now() + 1000 });
  expect(await refused(guard.run(() => 1))).toMatchObject({
    code: 'ERR_OVERLOADED',
    // The median latency, for each that waits and one more.
    data: { retryAfterMs: 120 },
  });
  expect(await refused(guard.run(() => 1, { deadline: clock.now() + 39 }))).toMatchObject({
    code: 'ERR_OVERLOADED',
  });
  clock.turn();
  await clock.advance(49);
  expect(guard.stats().concurrency.queued).toBe(2);
  await clock.advance(1);
  expect(guard.stats().concurrency.queued).toBe(1);
  expect(await late).toMatchObject({ code: 'ERR_OVERLOADED' });
  end.resolve();
  await running;
  expect(await waits).toBe('waited');
  expect(clock.pending).toBe(0);
});

test('an overloaded guard tells when as many attempts have ended as wait, by estimate', async () => {
  const { guard, clock } = testGuard({ concurrency: { limit: 4, maxQueued: 1 } });
  const slow = deferred<void>();
  const first = guard.run(() => slow.promise);
  await clock.advance(60);
  slow.resolve();
  await first;
  for (let call = 0; call < 5; call += 1) void refused(guard.run(() => new Promise(() => {})));
  expect(await refused(guard.run(() => 1))).toMatchObject({ data: { retryAfterMs: 30, limit: 4 } });
  await guard.close();
});

test('a call whose deadline comes while it waits is not sent, be its place free or not', async () => {
  const { guard, clock } = testGuard({ concurrency: { limit: 1, maxQueued: 2 } });
  const deadline = clock.now() + 10;
  const calls = [1, 2].map(() => refused(guard.run(() => new Promise(() => {}), { deadline })));
  clock.turn();
  await clock.advance(10);
  expect(await calls[0]).toMatchObject({ code: 'ERR_TIMEOUT' });
  expect(await calls[1]).toMatchObject({ code: 'ERR_OVERLOADED' });
  // The timer may be late.
  const end = deferred<void>();
  const running = guard.run(() => end.promise);
  const waits = refused(guard.run(() => expect.unreachable(), { deadline: clock.now() + 5 }));
  clock.turn();
  clock.pass(5);
  end.resolve();
  await running;
  expect(await waits).toMatchObject({ code: 'ERR_OVERLOADED' });
});

test('an adaptive limit falls with timeouts and grows with answers', async () => {
  const { guard, clock } = testGuard({
    concurrency: { adaptive: { initial: 16, min: 2, max: 20 } },
    attemptTimeoutMs: 10,
  });
  expect(guard.stats().concurrency.limit).toBe(16);
  const hung = [1, 2].map(() => refused(guard.run(() => new Promise(() => {}))));
  clock.turn();
  await clock.advance(10);
  await Promise.all(hung);
  expect(guard.stats().concurrency.limit).toBe(Math.floor(16 * 0.9 * 0.9));
  for (let round = 0; round < 40; round += 1) {
    const calls = Array.from({ length: guard.stats().concurrency.limit ?? 0 }, () => {
      const answer = deferred<void>();
      return { answer, call: guard.run(() => answer.promise) };
    });
    await clock.advance(5);
    for (const { answer } of calls) answer.resolve();
    await Promise.all(calls.map(({ call }) => call));
  }
  expect(guard.stats().concurrency.limit).toBe(20);
});
