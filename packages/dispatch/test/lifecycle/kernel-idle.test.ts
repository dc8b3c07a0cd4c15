import { expect, test } from 'vitest';
import type { PoolOptions } from '../../src/contract/pool-options.ts';
import { checkPoolsAfterEach, createPool, keysOf, type Pool, turn } from '../kernel-fixture.ts';

checkPoolsAfterEach();

/** A pool of one to three workers, of which each has answered a task. */
async function grown(options: Omit<PoolOptions, 'clock'> = {}): Promise<Pool> {
  const pool = createPool({ min: 1, max: 3, window: 1, idleTimeoutMs: 1000, ...options });
  for (let count = 0; count < 4; count++) pool.run(count);
  for (let count = 0; count < 3; count++) await pool.ready();
  expect(pool.transport.workers).toHaveLength(3);
  for (const worker of pool.transport.workers) worker.answer(1);
  pool.transport.at(0).answer(2);
  await turn();
  return pool;
}

function stops({ transport }: Pool): number[] {
  return transport.workers.map((worker) => worker.count('stop'));
}

test('workers above min that have had no call for idleTimeoutMs end, and come back when calls need them', async () => {
  const pool = await grown();
  const { clock, transport, dispatcher, run, ready } = pool;
  clock.advance(999);
  expect(stops(pool)).toEqual([0, 0, 0]);
  clock.advance(251);
  expect(stops(pool)).toEqual([0, 1, 1]);
  for (const worker of transport.workers.slice(1)) worker.exit({ exitCode: 0 });
  clock.advance(60_000);
  expect(dispatcher.stats()).toMatchObject({
    ...{ idled: 2, lost: 0, recycled: 0, spawned: 3, circuit: 'closed', state: 'ready' },
    workers: [{ slot: 0 }],
  });
  run('runs');
  const call = run('needs another');
  await ready();
  expect(transport.at(3).inputs).toEqual(['needs another']);
  transport.at(3).answer(1);
  await turn();
  expect(call.state).toBe('resolved');
});

test('a worker that has a call, or had one in between, does not end', async () => {
  const pool = await grown();
  const { clock, transport, run, dispatcher } = pool;
  run('first');
  run('runs for long');
  await turn();
  for (let round = 0; round < 10; round++) {
    clock.advance(500);
    // Now and then the third one has a call.
    const call = run('short');
    await turn();
    transport.at(2).answer(transport.at(2).open[0]?.seq ?? 0);
    await turn();
    expect(call.state).toBe('resolved');
  }
  expect(stops(pool)).toEqual([0, 0, 0]);
  expect(dispatcher.stats().idled).toBe(0);
  transport.at(1).answer(2);
  clock.advance(1250);
  expect(stops(pool)).toEqual([0, 1, 1]);
});

test('idleTimeoutMs Infinity keeps workers, and so does a pool that is its min', async () => {
  const healthMs = 100_000;
  const kept = await grown({ idleTimeoutMs: Number.POSITIVE_INFINITY, healthMs });
  kept.clock.advance(1_000_000);
  expect(stops(kept)).toEqual([0, 0, 0]);
  const fixed = createPool({ max: 2, idleTimeoutMs: 10, healthMs });
  await fixed.ready();
  fixed.clock.advance(1000);
  expect(stops(fixed)).toEqual([0, 0]);
});

test('scale() sets how many workers are kept from then on', async () => {
  const pool = await grown();
  await pool.pool.scale(3);
  pool.clock.advance(10_000);
  expect(stops(pool)).toEqual([0, 0, 0]);
});

test('no worker ends while it is being replaced, or is the only one that takes tasks', async () => {
  const pool = await grown({ restart: { backoffMs: [60_000, 60_000] } });
  const { clock, transport, dispatcher } = pool;
  const reload = dispatcher.reload({ parallel: 3 });
  clock.advance(1250);
  expect(stops(pool)).toEqual([0, 0, 0, 0, 0, 0]);
  await pool.ready();
  await reload;
  for (const worker of transport.workers.slice(0, 3)) worker.exit({ exitCode: 0 });
  // The kept one fails, and is not back for a while.
  transport.at(3).exit({ exitCode: 1 });
  transport.at(4).exit({ exitCode: 1 });
  clock.advance(5000);
  expect(dispatcher.stats().workers).toMatchObject([{ slot: 2, state: 'ready' }]);
});

test('a call for the key of a worker that ends is run by its successor', async () => {
  const pool = await grown();
  const { clock, run, transport } = pool;
  clock.advance(1250);
  const [, second] = keysOf(3);
  const call = run('keyed', { key: second });
  await turn();
  expect(transport.workers).toHaveLength(3);
  transport.at(1).exit({ exitCode: 0 });
  expect(transport.workers).toHaveLength(4);
  transport.at(3).ready();
  await turn();
  expect(transport.at(3).inputs).toEqual(['keyed']);
  transport.at(3).answer(1);
  await turn();
  expect(call.state).toBe('resolved');
});

test('min 0: no worker before the first call, none after idleTimeoutMs without one, and the next call has one', async () => {
  const pool = createPool({ min: 0, max: 2, window: 1, idleTimeoutMs: 1000 });
  const { clock, transport, dispatcher, run, ready } = pool;
  await dispatcher.ready();
  expect(dispatcher.stats()).toMatchObject({ spawned: 0, state: 'ready', workers: [] });
  for (const [index, input] of ['first', 'next'].entries()) {
    const call = run(input);
    expect(dispatcher.stats().spawned).toBe(index + 1);
    await ready();
    transport.at(index).answer(1);
    await turn();
    expect(call.state).toBe('resolved');
    clock.advance(1250);
    expect(transport.at(index).count('stop')).toBe(1);
    transport.at(index).exit({ exitCode: 0 });
    expect(dispatcher.stats()).toMatchObject({ lost: 0, circuit: 'closed', workers: [] });
  }
});

test('min 0: a call with a key has the worker of its slot started, and reload() without workers resolves', async () => {
  const pool = createPool({ min: 0, max: 3, window: 1 });
  const { transport, dispatcher, run, ready } = pool;
  await dispatcher.reload();
  expect(transport.workers).toHaveLength(0);
  const [key = ''] = keysOf(3).slice(2);
  const call = run('keyed', { key });
  await ready();
  expect(dispatcher.stats().workers).toMatchObject([{ slot: 2 }]);
  transport.at(0).answer(1);
  await turn();
  expect(call.state).toBe('resolved');
});
