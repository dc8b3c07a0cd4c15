import { expect, test } from 'vitest';
import {
  checkPoolsAfterEach,
  createPool,
  errorOf,
  keysOf,
  settled,
  turn,
} from '../kernel-fixture.ts';

checkPoolsAfterEach();

test.each([
  ['without signals', {}],
  ['with signals', { signal: new AbortController().signal }],
])('a call above maxQueue is refused and never sent, %s', async (_, options) => {
  const { run, ready, transport, dispatcher } = createPool({ window: 1, maxQueue: 2 });
  await ready();
  const calls = [0, 1, 2, 3, 4].map((input) => run(input, options));
  await turn();
  expect(calls.map(({ state }) => state)).toEqual([
    'pending',
    'pending',
    'pending',
    'rejected',
    'rejected',
  ]);
  for (const call of calls.slice(3)) {
    const error = errorOf(call, 'ERR_QUEUE_FULL');
    expect(error.message).toBe('Queue is full: `maxQueue` (2) calls wait');
    expect(error.data).toEqual({ name: 'fake', task: 'echo', limit: 2 });
  }
  for (let seq = 1; seq <= 3; seq++) transport.at(0).answer(seq);
  await turn();
  expect(transport.at(0).inputs).toEqual([0, 1, 2]);
  expect(dispatcher.stats()).toMatchObject({ asked: 5, completed: 3, rejected: 2 });
});

test('with maxQueue 0 a call is taken when a worker has room, else refused', async () => {
  const { run, ready, transport } = createPool({ window: 1, maxQueue: 0 });
  errorOf(await settled(run('early')), 'ERR_QUEUE_FULL');
  await ready();
  const first = run('first');
  errorOf(await settled(run('second')), 'ERR_QUEUE_FULL');
  transport.at(0).answer(1);
  expect((await settled(first)).state).toBe('resolved');
  run('third');
  await turn();
  expect(transport.at(0).inputs).toEqual(['first', 'third']);
});

test('with maxQueue 0 a refused call makes the pool grow, also for its key', async () => {
  const { run, ready, transport } = createPool({ min: 1, max: 3, window: 1, maxQueue: 0 });
  await ready();
  run('a');
  run('b');
  expect(transport.workers).toHaveLength(2);
  await ready();
  run('b');
  const [, , third] = keysOf(3);
  run('c', { key: third });
  expect(transport.workers).toHaveLength(3);
  await ready();
  run('c', { key: third });
  await turn();
  expect(transport.workers.map(({ inputs }) => inputs)).toEqual([['a'], ['b'], ['c']]);
});

test('calls that wait go by priority, and by age: a step is worth a second', async () => {
  const { run, ready, transport, clock } = createPool({ window: 1 });
  await ready();
  run('running');
  run('old');
  clock.advance(999);
  run('young');
  run('above', { priority: 1 });
  clock.advance(2);
  run('too late', { priority: 1 });
  run('below', { priority: -1 });
  run('urgent', { priority: 1000 });
  await turn();
  for (let seq = 1; seq <= 7; seq++) transport.at(0).answer(seq);
  expect(transport.at(0).inputs).toEqual([
    'running',
    'urgent',
    'above',
    'old',
    'too late',
    'young',
    'below',
  ]);
});

test('once the first has waited for half of its limit, the newest goes first, until no call has', async () => {
  const { run, ready, transport, clock } = createPool({ window: 1 });
  const limit = { timeoutMs: 100 };
  run('a', limit);
  clock.advance(40);
  run('b', limit);
  run('c', { queueTimeoutMs: 100 });
  clock.advance(10);
  // The first has waited for its half, and no more.
  await ready();
  expect(transport.at(0).inputs).toEqual(['a']);
  clock.advance(41);
  run('d', limit);
  for (let seq = 1; seq <= 4; seq++) {
    transport.at(0).answer(seq);
    await turn();
  }
  expect(transport.at(0).inputs).toEqual(['a', 'd', 'c', 'b']);
});

test('an empty queue goes by age again', async () => {
  const { run, ready, transport, clock } = createPool({ window: 1 });
  const limit = { timeoutMs: 100 };
  run('old', limit);
  run('newest', limit);
  clock.advance(60);
  await ready();
  transport.at(0).answer(1);
  for (const input of ['a', 'b', 'c']) run(input, limit);
  await turn();
  for (let seq = 2; seq <= 5; seq++) transport.at(0).answer(seq);
  await turn();
  expect(transport.at(0).inputs).toEqual(['newest', 'old', 'a', 'b', 'c']);
});

test('calls without a limit, with a key or of another priority are not overtaken', async () => {
  const { run, ready, transport, clock } = createPool({ window: 1 });
  await ready();
  run('running');
  const limit = { timeoutMs: 100 };
  const [key] = keysOf(2);
  run('keyed 1', { ...limit, key });
  run('keyed 2', { ...limit, key });
  run('above 1', { ...limit, priority: 1 });
  run('above 2', { ...limit, priority: 1 });
  run('old', limit);
  run('any time');
  clock.advance(60);
  run('above 3', { ...limit, priority: 1 });
  await turn();
  for (let seq = 1; seq <= 7; seq++) transport.at(0).answer(seq);
  await turn();
  expect(transport.at(0).inputs).toEqual([
    ...['running', 'above 3', 'above 2', 'above 1'],
    ...['keyed 1', 'keyed 2', 'old', 'any time'],
  ]);
});

test('calls of a key keep their order also where any worker may run them', async () => {
  const { run, ready, transport, clock, pool } = createPool({ max: 2, window: 1 });
  await ready();
  const [, second] = keysOf(2);
  const limit = { timeoutMs: 100, key: second };
  for (const input of ['running', 'keyed 1', 'keyed 2', 'keyed 3']) run(input, limit);
  await turn();
  clock.advance(60);
  // Their place is given up: what waited for it is for any.
  const scaling = pool.scale(1);
  await turn();
  for (let seq = 1; seq <= 2; seq++) transport.at(0).answer(seq);
  await turn();
  expect(transport.at(0).inputs).toEqual(['keyed 1', 'keyed 2', 'keyed 3']);
  transport.at(1).answer(1);
  transport.at(1).exit({ exitCode: 0 });
  await scaling;
});
