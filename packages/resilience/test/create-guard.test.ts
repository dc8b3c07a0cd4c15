import { AsyncLocalStorage } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { type Attempt, createGuard, GuardError } from '../src/index.ts';
import { jobs } from './test-clock.ts';
import { deferred, refused, testGuard } from './test-guard.ts';

test('run() resolves with the answer; an attempt has a number, a kind, a signal and the deadline', async () => {
  await using guard = createGuard({ name: 'renfe' });
  const deadline = Date.now() + 60_000;
  const seen = await guard.run(
    ({ number, kind, signal, deadline: until }) => {
      return [number, kind, signal.aborted, until];
    },
    { deadline },
  );
  expect(seen).toEqual([1, 'first', false, deadline]);
  expect(guard.stats()).toMatchObject({
    name: 'renfe',
    calls: { begun: 1, inFlight: 0, succeeded: 1, failed: 0, timedOut: 0, left: 0 },
    attempts: { first: 1, retry: 0, hedge: 0 },
    outcomes: { success: 1, failure: 0, throttled: 0, ignored: 0 },
    circuit: null,
    budget: null,
    rate: { tokens: null, pausedMs: 0, pauses: 0 },
    concurrency: { limit: null, inFlight: 0, queued: 0, abandoned: 0 },
  });
});

test('run() takes values, thenables, and what is thrown at once', async () => {
  await using guard = createGuard({ name: 'any' });
  expect(await guard.run(() => 5)).toBe(5);
  // biome-ignore lint/suspicious/noThenProperty: a promise of another library
  const thenable = { then: (resolve: (value: number) => void) => resolve(6) };
  expect(await guard.run(() => thenable as PromiseLike<number>)).toBe(6);
  await expect(
    guard.run(() => {
      throw new Error('at once');
    }),
  ).rejects.toThrow('at once');
  const odd = {
    // biome-ignore lint/suspicious/noThenProperty: one that is broken
    get then(): never {
      throw new Error('no then');
    },
  };
  await expect(guard.run(() => odd as never)).rejects.toThrow('no then');
  expect(guard.stats().concurrency.inFlight).toBe(0);
});

test('run() rejects at the deadline when the function never settles, and aborts its attempt', async () => {
  const { guard, clock } = testGuard({ circuit: { minCalls: 1, failureShare: 1 } });
  let signal: AbortSignal | undefined;
  const call = guard.run(
    (attempt) => {
      ({ signal } = attempt);
      return new Promise(() => {});
    },
    { deadline: clock.now() + 20 },
  );
  const end = call.catch((error: unknown) => error);
  clock.turn();
  await clock.advance(19);
  expect(signal?.aborted).toBe(false);
  await clock.advance(1);
  const error = await end;
  expect(error).toMatchObject({
    code: 'ERR_TIMEOUT',
    name: 'TimeoutError',
    message: 'A call of guard `test` did not settle by its `deadline`',
    data: { name: 'test' },
  });
  expect(GuardError.is(error)).toBe(true);
  expect(signal?.reason).toBe(error);
  // The upstream has failed: it did not answer in time.
  expect(guard.stats()).toMatchObject({
    circuit: { kind: 'open' },
    concurrency: { inFlight: 0, abandoned: 1 },
    calls: { timedOut: 1, failed: 0 },
  });
  expect(clock.pending).toBe(0);
});

test('run() does not call the function after its deadline or its abort', async () => {
  const { guard, clock } = testGuard({ circuit: {} });
  const never = () => expect.unreachable();
  await expect(guard.run(never, { deadline: clock.now() })).rejects.toMatchObject({
    code: 'ERR_TIMEOUT',
  });
  const reason = new Error('left');
  await expect(guard.run(never, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(guard.stats()).toMatchObject({
    calls: { begun: 2, timedOut: 1, left: 1 },
    attempts: { first: 0 },
    circuit: { outcomes: 0 },
  });
});

test.each([
  ['any reason', new Error('left'), { failures: 0 }, { left: 1, timedOut: 0 }],
  [
    'the end of a time',
    new DOMException('late', 'TimeoutError'),
    { failures: 1 },
    { left: 0, timedOut: 1 },
  ],
  [
    'an error with the code TIMEOUT',
    Object.assign(new Error('late'), { code: 'TIMEOUT' }),
    { failures: 1 },
    { left: 0, timedOut: 1 },
  ],
])('a signal that aborts with %s ends the call at once', async (_, reason, circuit, calls) => {
  // Its function never settles, and has or has not read its signal; `classify` is not asked.
  for (const reads of [true, false]) {
    const { guard, clock } = testGuard({ circuit: {}, classify: () => expect.unreachable() });
    const controller = new AbortController();
    let signal: AbortSignal | undefined;
    const call = guard.run(
      (attempt) => {
        if (reads) ({ signal } = attempt);
        return new Promise(() => {});
      },
      { signal: controller.signal },
    );
    controller.abort(reason);
    if (reads) expect(signal?.reason).toBe(reason);
    else clock.turn();
    await expect(call).rejects.toBe(reason);
    expect(guard.stats()).toMatchObject({ circuit, calls, concurrency: { inFlight: 0 } });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    clock.turn();
    expect(clock.pending).toBe(0);
  }
});

test('an answer to an aborted call is not taken, even before its listener is there', async () => {
  const { guard } = testGuard({});
  const controller = new AbortController();
  const answer = deferred<string>();
  const call = guard.run(() => answer.promise, { signal: controller.signal });
  controller.abort(new Error('left'));
  answer.resolve('late');
  await expect(call).rejects.toThrow('left');
  expect(guard.stats()).toMatchObject({
    outcomes: { success: 0, ignored: 1 },
    concurrency: { inFlight: 0, abandoned: 0 },
  });
});

test('an attempt times out after `attemptTimeoutMs`, and is a failure that may be tried again', async () => {
  const { guard, clock } = testGuard({ attemptTimeoutMs: 10, retry: { baseMs: 0 } });
  const attempts: Attempt[] = [];
  const call = guard.run((attempt) => {
    attempts.push(attempt);
    return attempt.number === 2 ? 'second' : new Promise(() => {});
  });
  clock.turn();
  await clock.advance(10);
  await clock.advance(0);
  expect(await call).toBe('second');
  expect(attempts.map(({ kind }) => kind)).toEqual(['first', 'retry']);
  expect(attempts[0]?.signal.reason).toMatchObject({
    code: 'ERR_ATTEMPT_TIMEOUT',
    name: 'TimeoutError',
    message: 'An attempt of guard `test` did not settle within `attemptTimeoutMs` (10 ms)',
    data: { name: 'test', limit: 10 },
  });
  expect(guard.stats()).toMatchObject({ attemptTimeouts: 1, outcomes: { failure: 1, success: 1 } });
});

test('a signal that is read after the attempt has ended is what it would have been', async () => {
  const { guard, clock } = testGuard({ attemptTimeoutMs: 10 });
  let late: Attempt | undefined;
  const call = guard.run((attempt) => {
    late = attempt;
    return new Promise(() => {});
  });
  clock.turn();
  const end = expect(call).rejects.toMatchObject({ code: 'ERR_ATTEMPT_TIMEOUT' });
  await clock.advance(10);
  await end;
  expect(late?.signal.aborted).toBe(true);
  let answered: Attempt | undefined;
  await guard.run((attempt) => {
    answered = attempt;
  });
  // The record of that call is used by this one.
  const controller = new AbortController();
  const next = guard.run(() => new Promise(() => {}), { signal: controller.signal });
  expect(answered).toMatchObject({ number: 1, kind: 'first' });
  const { signal } = answered as Attempt;
  controller.abort(new Error('left'));
  clock.turn();
  await expect(next).rejects.toThrow('left');
  expect(signal.aborted).toBe(false);
});

test('attempts that wait, retry or hedge run in the async context of their caller', async () => {
  const store = new AsyncLocalStorage<string>();
  const { guard, clock } = testGuard({
    concurrency: { limit: 2, maxQueued: 2 },
    retry: { baseMs: 5 },
    hedge: { minMs: 4, minSamples: 1 },
    attemptTimeoutMs: 50,
  });
  const seen: string[] = [];
  const run = (name: string, fn: (attempt: Attempt) => unknown) =>
    store.run(name, () =>
      guard.run((attempt) => {
        seen.push(`${name} ${attempt.kind} ${store.getStore()}`);
        return fn(attempt);
      }),
    );
  await run('first', () => 1);
  const slow = run('slow', ({ kind }) => (kind === 'hedge' ? 1 : new Promise(() => {})));
  clock.turn();
  await clock.advance(4);
  await slow;
  const hung = run('hung', ({ kind }) => (kind === 'retry' ? 1 : new Promise(() => {})));
  const fails = run('fails', ({ number }) => {
    if (number === 1) throw new Error('no');
  });
  const waits = run('waits', () => 1);
  clock.turn();
  await clock.advance(60);
  await Promise.all([hung, fails, waits]);
  expect(seen.toSorted()).toEqual(
    [
      'first first first',
      'slow first slow',
      'slow hedge slow',
      'hung first hung',
      'hung hedge hung',
      'hung retry hung',
      'fails first fails',
      'fails retry fails',
      'waits first waits',
    ].toSorted(),
  );
});

test('a retry after an attempt that timed out runs in the async context of its caller', async () => {
  const store = new AsyncLocalStorage<string>();
  const { guard, clock } = testGuard({ retry: { baseMs: 1 }, attemptTimeoutMs: 5 });
  const seen: unknown[] = [];
  const calls = ['one', 'two'].map((name) =>
    store.run(name, () =>
      guard.run(({ number }) => {
        seen.push(store.getStore());
        return number === 2 ? name : new Promise(() => {});
      }),
    ),
  );
  clock.turn();
  await clock.advance(10);
  expect(await Promise.all(calls)).toEqual(['one', 'two']);
  expect(seen.toSorted()).toEqual(['one', 'one', 'two', 'two']);
});

test('execute() has the shape of policies of other libraries', async () => {
  await using guard = createGuard({ name: 'renfe', retry: { baseMs: 0 } });
  const controller = new AbortController();
  const seen: unknown[] = [];
  const answer = await guard.execute((context) => {
    const { attempt, signal } = context;
    seen.push(attempt, signal.aborted);
    if (attempt === 0) throw new Error('no');
    return 'answer';
  }, controller.signal);
  expect(answer).toBe('answer');
  expect(seen).toEqual([0, false, 1, false]);
  const call = guard.execute(
    ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
    controller.signal,
  );
  controller.abort(new Error('left'));
  await expect(call).rejects.toThrow('left');
});

test('close() rejects calls that run, wait or are about to retry, and later ones', async () => {
  const { guard, clock } = testGuard({
    concurrency: { limit: 1, maxQueued: 1 },
    retry: { baseMs: 100 },
    random: () => 1,
  });
  let sent = 0;
  let signal: AbortSignal | undefined;
  const retries = guard.run(() => {
    sent += 1;
    throw new Error('no');
  });
  const runs = guard.run((attempt) => {
    sent += 1;
    ({ signal } = attempt);
    return new Promise(() => {});
  });
  const waits = guard.run(() => {
    sent += 1;
  });
  const ends = [retries, runs, waits].map((call) => refused(call));
  await jobs();
  clock.turn();
  await guard.close();
  const closed = { code: 'ERR_CLOSED', message: 'Guard `test` is closed', data: { name: 'test' } };
  for (const end of ends) expect(await end).toMatchObject(closed);
  expect(await refused(guard.run(() => 1))).toMatchObject(closed);
  expect(signal?.reason).toMatchObject(closed);
  expect(sent).toBe(2);
  expect(clock.pending).toBe(0);
  await guard.close();
  await guard[Symbol.asyncDispose]();
  expect(guard.stats()).toMatchObject({
    calls: { begun: 4, failed: 4, inFlight: 0 },
    concurrency: { inFlight: 0, queued: 0, abandoned: 1 },
  });
});

test('no timer and no listener is left after 100,000 calls of all parts', async () => {
  const resources = () =>
    process.getActiveResourcesInfo().filter((name) => /Timeout|Immediate/.test(name)).length;
  const before = resources();
  const guard = createGuard({
    name: 'many',
    rate: { perSecond: 1e6, burst: 1e6 },
    concurrency: { adaptive: {}, maxQueued: 1000 },
    circuit: {},
    retry: {},
    hedge: {},
    attemptTimeoutMs: 1000,
  });
  const { signal } = new AbortController();
  for (let round = 0; round < 1000; round += 1) {
    const calls = Array.from({ length: 100 }, (_, index) =>
      guard.run(async () => index, { signal, deadline: Date.now() + 60_000 }),
    );
    expect((await Promise.all(calls))[99]).toBe(99);
    // Some calls last for longer than a turn of the event loop.
    if (round % 100 === 0) {
      const slow = guard.run(() => jobs(), { signal, deadline: Date.now() + 60_000 });
      await slow;
    }
  }
  expect(guard.stats()).toMatchObject({
    calls: { begun: 100_010, succeeded: 100_010, inFlight: 0 },
    concurrency: { inFlight: 0, queued: 0 },
  });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  await jobs();
  expect(resources()).toBeLessThanOrEqual(before);
});
