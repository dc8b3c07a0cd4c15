import { createManualClock } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import {
  BatchingError,
  type CoalescerOptions,
  createBatcher,
  createCoalescer,
  type LoadContext,
} from '../src/index.ts';
import { createCoordinator, createMemoryStore } from '../src/shared/index.ts';

type Key = number;
type Ask = (key?: Key, options?: { signal?: AbortSignal; timeoutMs?: number }) => Promise<unknown>;

/** A coalescer whose loads never end, and what its loader sees. */
function hanging(options: CoalescerOptions<Key, never> = {}) {
  const clock = createManualClock();
  const contexts: LoadContext<Key>[] = [];
  const coalescer = createCoalescer<Key, never>(
    (_key, context) => {
      contexts.push(context);
      return new Promise(() => {});
    },
    { name: 'users', clock, ...options },
  );
  const ask: Ask = (key = 1, call) => coalescer.get(key, call);
  return { clock, contexts, coalescer, ask };
}

async function errorOf(asked: Promise<unknown>): Promise<unknown> {
  const error = await asked.catch((reason) => reason);
  return BatchingError.is(error) ? [error.code, error.message] : error;
}

test('a load that takes too long, and a caller who does not wait that long', async () => {
  const { clock, ask } = hanging({ loadTimeoutMs: 2000 });
  const [caller, other] = [errorOf(ask(1, { timeoutMs: 500 })), errorOf(ask(1))];
  clock.advance(500);
  expect(await caller).toEqual([
    'ERR_CALLER_TIMEOUT',
    'Load of `users` did not finish within `timeoutMs` (500 ms)',
  ]);
  clock.advance(1500);
  expect(await other).toEqual([
    'ERR_LOAD_TIMEOUT',
    'Load of `users` did not finish within `loadTimeoutMs` (2000 ms)',
  ]);
});

test('a coalescer that is full', async () => {
  const { ask } = hanging({ maxKeys: 2, maxWaitersPerKey: 3 });
  for (const key of [1, 1, 1, 2]) void ask(key);
  expect(await errorOf(ask(3))).toEqual([
    'ERR_TOO_MANY_KEYS',
    'Coalescer `users` is full: `maxKeys` (2) loads are in flight',
  ]);
  expect(await errorOf(ask(1))).toEqual([
    'ERR_TOO_MANY_WAITERS',
    'Coalescer `users` is full: `maxWaitersPerKey` (3) callers wait for the key',
  ]);
});

test('a loader that asks for its own key', async () => {
  const users = createCoalescer((id: number): Promise<number> => users.get(id), { name: 'users' });
  expect(await errorOf(users.get(1))).toEqual([
    'ERR_REENTRANT',
    'Cannot get from `users`: its loader asked for the key that it is loading',
  ]);
});

test('the reasons of a signal: no caller, and the close, after which calls are refused', async () => {
  const { contexts, coalescer, ask } = hanging();
  const client = new AbortController();
  const left = ask(1, { signal: client.signal }).catch(() => {});
  void ask(2);
  const [abandoned, open] = contexts.map(({ signal }) => signal);
  client.abort();
  await left;
  expect(abandoned?.reason.message).toBe('Load of `users` was aborted: no caller is waiting');
  await coalescer.close();
  expect(open?.reason.message).toBe('Cannot get from `users`: the coalescer is closed');
  expect(await errorOf(ask())).toEqual([
    'ERR_CLOSED',
    'Cannot get from `users`: the coalescer is closed',
  ]);
});

test('a batch that takes too long, a batcher that is full, and one that is closed', async () => {
  const clock = createManualClock();
  const names = createBatcher<Key, never>(() => new Promise(() => {}), {
    ...{ name: 'names', clock, loadTimeoutMs: 100, maxQueued: 1, concurrency: 1 },
  });
  const late = errorOf(names.load(1));
  names.flush();
  clock.advance(100);
  expect(await late).toEqual([
    'ERR_BATCH_TIMEOUT',
    'Batch of `names` did not finish within `loadTimeoutMs` (100 ms)',
  ]);
  const waiting = errorOf(names.load(2));
  expect(await errorOf(names.load(3))).toEqual([
    'ERR_TOO_MANY_KEYS',
    'Batcher `names` is full: `maxQueued` (1) keys wait',
  ]);
  await names.close();
  const closed = ['ERR_CLOSED', 'Cannot load from `names`: the batcher is closed'];
  expect([await waiting, await errorOf(names.load(4))]).toEqual([closed, closed]);
});

test('a batch loader that is wrong', async () => {
  const loading = (answer: unknown) =>
    errorOf(createBatcher<Key, never>(() => answer as never, { name: 'names' }).load(1));
  expect(await loading('ab')).toEqual([
    'ERR_BATCH_RESULT',
    'Batch loader of `names` must return an array or a Map, got ab',
  ]);
  expect(await loading([])).toEqual([
    'ERR_BATCH_LENGTH',
    'Batch loader of `names` must return one result per key (1), got 0',
  ]);
  expect(await loading(new Map())).toEqual([
    'ERR_KEY_MISSING',
    "Batch loader of `names` returned no result for key 1; `missing: 'undefined'` allows that",
  ]);
});

test('a coordinator whose engine does not answer, and one that is closed', async () => {
  const clock = createManualClock();
  const store = { ...createMemoryStore({ clock }), forget: () => new Promise<never>(() => {}) };
  const coordinator = createCoordinator(store, { clock, name: 'redis', commandTimeoutMs: 50 });
  const late = errorOf(coordinator.forget('user'));
  clock.advance(50);
  expect(await late).toEqual([
    'ERR_NOT_FORGOTTEN',
    'Cannot forget a key of `redis`: no answer within `commandTimeoutMs` (50 ms)',
  ]);
  await coordinator.close();
  expect(await errorOf(coordinator.forget('user'))).toEqual([
    'ERR_NOT_FORGOTTEN',
    'Cannot forget a key of `redis`: it is closed',
  ]);
});

test('a lease that another load has taken', async () => {
  const clock = createManualClock();
  const store = createMemoryStore({ clock });
  const coordinator = createCoordinator(store, { clock, name: 'redis' });
  const { signal } = new AbortController();
  const claim = await coordinator.claim('user', { leaseMs: 300, signal });
  if (claim.kind !== 'lease') throw new Error(`Cannot test: got ${claim.kind}`);
  const lost = new Promise((resolve) => claim.lease.lost.addEventListener('abort', resolve));
  await store.forget('user');
  clock.advance(100);
  await lost;
  expect(claim.lease.lost.reason.message).toBe(
    'Lease of `redis` was lost: another load of this key has begun, or the key was forgotten',
  );
  await coordinator.close();
});
