import { expect, test } from 'vitest';
import type { Guard, GuardOptions, Outcome } from '../src/index.ts';
import { deferred, refused, testGuard } from './test-guard.ts';

const down = () => Promise.reject(new Error('down'));
const circuit = { minCalls: 4, openMs: 1000, maxOpenMs: 3000 };
const fail = async (guard: Guard, times: number) => {
  for (let time = 0; time < times; time += 1) await refused(guard.run(down));
};

test('a circuit opens at the least calls and the share of failures, and refuses at once', async () => {
  const { guard, clock } = testGuard({ circuit });
  await guard.run(() => 1);
  await fail(guard, 2);
  expect(guard.stats().circuit).toEqual({
    kind: 'closed',
    retryAfterMs: 0,
    outcomes: 3,
    failures: 2,
    opened: 0,
  });
  await guard.run(() => 1);
  expect(guard.stats().circuit).toEqual({
    kind: 'open',
    retryAfterMs: 1000,
    outcomes: 0,
    failures: 0,
    opened: 1,
  });
  await clock.advance(300);
  const error = await refused(guard.run(() => expect.unreachable()));
  expect(error).toMatchObject({
    code: 'ERR_CIRCUIT_OPEN',
    message:
      'Guard `test` sends no calls: too many failed; retry after 700 ms, or change `circuit`',
    data: { name: 'test', retryAfterMs: 700 },
  });
  expect(guard.stats()).toMatchObject({ refused: { circuitOpen: 1 }, attempts: { first: 4 } });
});

test('one probe at a time; three successes in a row close the circuit, and empty its window', async () => {
  const { guard, clock } = testGuard({ circuit });
  await fail(guard, 4);
  await clock.advance(1000);
  expect(guard.stats().circuit).toMatchObject({ kind: 'half-open', retryAfterMs: 0 });
  for (const left of [2, 1, 0]) {
    const answer = deferred<string>();
    const probe = guard.run(() => answer.promise);
    expect(await refused(guard.run(() => expect.unreachable()))).toMatchObject({
      code: 'ERR_CIRCUIT_OPEN',
      data: { retryAfterMs: 1000 },
    });
    answer.resolve('up');
    expect(await probe).toBe('up');
    expect(guard.stats().circuit?.kind).toBe(left > 0 ? 'half-open' : 'closed');
  }
  expect(guard.stats().circuit).toMatchObject({ outcomes: 0, failures: 0 });
  await fail(guard, 3);
  expect(guard.stats().circuit).toMatchObject({ kind: 'closed', failures: 3 });
  await fail(guard, 1);
  // The milliseconds begin anew.
  expect(guard.stats().circuit).toMatchObject({ kind: 'open', retryAfterMs: 1000, opened: 2 });
});

test('a failed probe opens for twice as long, up to `maxOpenMs`', async () => {
  const { guard, clock } = testGuard({ circuit });
  await fail(guard, 4);
  for (const ms of [1000, 2000, 3000, 3000]) {
    expect(guard.stats().circuit).toMatchObject({ kind: 'open', retryAfterMs: ms });
    await clock.advance(ms);
    await guard.run(() => 'one of three');
    await fail(guard, 1);
  }
});

test.each([
  [0, 800],
  [1, 1200],
])('the time of an open circuit varies by a fifth: random %d', async (random, ms) => {
  const { guard } = testGuard({ circuit, random: () => random });
  await fail(guard, 4);
  expect(guard.stats().circuit?.retryAfterMs).toBe(ms);
});

test.each<[string, Omit<GuardOptions, 'name' | 'circuit'>]>([
  ['its caller leaves', {}],
  ['a token is missing', { rate: { perSecond: 1, burst: 5 } }],
])('a probe frees its place when %s', async (_, options) => {
  const { guard, clock } = testGuard({ circuit, ...options });
  await fail(guard, 4);
  if (options.rate !== undefined) await clock.advance(700);
  await clock.advance(1000);
  if (options.rate === undefined) {
    const controller = new AbortController();
    const probe = guard.run(() => new Promise(() => {}), { signal: controller.signal });
    controller.abort();
    clock.turn();
    await refused(probe);
  } else {
    // Tokens: 1 left, and 1.7 have grown.
    await guard.run(() => 'first');
    await guard.run(() => 'second');
    expect(await refused(guard.run(() => 'third'))).toMatchObject({ code: 'ERR_RATE_LIMITED' });
  }
  expect(guard.stats().circuit).toMatchObject({ kind: 'half-open', retryAfterMs: 0 });
  await clock.advance(1000);
  expect(await guard.run(() => 'probe')).toBe('probe');
});

test('outcomes of attempts from before the circuit opened do not count', async () => {
  const { guard, clock } = testGuard({ circuit });
  const late = deferred<string>();
  const old = guard.run(() => late.promise);
  const older = guard.run(() => late.promise);
  await fail(guard, 4);
  await clock.advance(1000);
  const answer = deferred<string>();
  const probe = guard.run(() => answer.promise);
  late.reject(new Error('late'));
  await Promise.all([refused(old), refused(older)]);
  expect(guard.stats().circuit?.kind).toBe('half-open');
  expect(await refused(guard.run(() => 1))).toMatchObject({ code: 'ERR_CIRCUIT_OPEN' });
  answer.resolve('up');
  await probe;
});

test('attempts in the line are refused when the circuit opens', async () => {
  const { guard } = testGuard({ circuit, concurrency: { limit: 1, maxQueued: 4 } });
  await fail(guard, 3);
  const end = deferred<string>();
  const last = refused(guard.run(() => end.promise));
  const waits = refused(guard.run(() => expect.unreachable()));
  end.reject(new Error('down'));
  await last;
  expect(await waits).toMatchObject({ code: 'ERR_CIRCUIT_OPEN', data: { retryAfterMs: 1000 } });
});

test('errors that are answers close a circuit as answers do', async () => {
  const classify = (error: unknown) => (error as Error).message as Outcome;
  const { guard, clock } = testGuard({ circuit, classify });
  const end = (how: string) => refused(guard.run(() => Promise.reject(new Error(how))));
  for (let time = 0; time < 20; time += 1) await end('success');
  for (let time = 0; time < 20; time += 1) await end('ignored');
  expect(guard.stats().circuit).toMatchObject({ kind: 'closed', outcomes: 20, failures: 0 });
  clock.pass(60_001);
  expect(guard.stats().circuit).toMatchObject({ outcomes: 0 });
});
