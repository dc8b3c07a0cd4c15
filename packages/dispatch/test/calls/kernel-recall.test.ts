import { expect, test } from 'vitest';
import type { PoolOptions } from '../../src/contract/pool-options.ts';
import {
  checkPoolsAfterEach,
  createPool,
  errorOf,
  keysOf,
  type Pool,
  settled,
  turn,
  watch,
} from '../kernel-fixture.ts';

checkPoolsAfterEach();

/** Two workers with a window of 4, which give back what they have not begun. */
async function recallPool(
  options: Omit<PoolOptions, 'clock'> = {},
): Promise<Pool & { look(): Promise<void> }> {
  const pool = createPool({ max: 2, window: 4, ...options }, { reclaims: true });
  await pool.ready();
  return {
    ...pool,
    /** So long that a worker which begins nothing is seen to be held up. */
    async look() {
      await turn();
      for (let ms = 0; ms < 3; ms++) pool.clock.advance(1);
      await turn();
    },
  };
}

test('calls behind a long task move to another worker, in their order', async () => {
  const { run, look, transport, dispatcher } = await recallPool();
  const calls = [0, 1, 2, 3, 4, 5].map((input) => run(input));
  await turn();
  const [held, free] = [transport.at(0), transport.at(1)];
  expect([held.inputs, free.inputs]).toEqual([
    [0, 2, 4],
    [1, 3, 5],
  ]);
  held.start(1);
  for (const seq of [1, 2, 3]) free.answer(seq);
  await look();
  expect(free.inputs).toEqual([1, 3, 5, 2, 4]);
  expect(free.runs.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1]);
  expect(dispatcher.stats()).toMatchObject({ moved: 2, queued: 0, running: 3 });
  for (const seq of [4, 5]) free.answer(seq, `moved ${seq}`);
  held.drop(2);
  held.drop(3);
  held.answer(1);
  await turn();
  expect(calls.map(({ value }) => value)).toEqual([
    'answer 1',
    'answer 1',
    'moved 4',
    'answer 2',
    'moved 5',
    'answer 3',
  ]);
  expect(dispatcher.stats()).toMatchObject({ completed: 6, retried: 0 });
});

test('calls that no other worker could run move when another worker becomes ready', async () => {
  const { run, clock, transport, dispatcher } = createPool(
    { min: 2, max: 2, window: 4 },
    { reclaims: true },
  );
  transport.at(0).ready();
  await turn();
  for (const input of ['long', 'a', 'b']) run(input);
  await turn();
  transport.at(0).start(1);
  for (let ms = 0; ms < 5; ms++) clock.advance(1);
  expect(dispatcher.stats().moved).toBe(0);
  transport.at(1).ready();
  for (let ms = 0; ms < 3; ms++) clock.advance(1);
  await turn();
  expect(transport.at(1).inputs).toEqual(['a', 'b']);
});

test('a worker that begins one call after another keeps what it has', async () => {
  const { run, clock, transport, dispatcher } = await recallPool();
  for (const input of [0, 1, 2, 3, 4, 5]) run(input);
  await turn();
  for (const seq of [1, 2, 3]) {
    for (const worker of transport.workers) worker.start(seq);
    clock.advance(1);
  }
  await turn();
  expect(dispatcher.stats().moved).toBe(0);
});

test('a call that was sent only now is not taken back', async () => {
  const { run, clock, transport, dispatcher } = await recallPool();
  run('long');
  run('other');
  await turn();
  transport.at(0).start(1);
  transport.at(1).answer(1);
  clock.advance(1);
  run('a');
  run('b');
  await turn();
  clock.advance(0.5);
  expect(dispatcher.stats().moved).toBe(0);
});

test('calls with a key, of a broadcast, and with buffers that were moved stay', async () => {
  const { run, look, transport, dispatcher } = await recallPool({ window: 10 });
  const [key] = keysOf(2);
  const buffer = new ArrayBuffer(8);
  run('long', { key });
  run('keyed', { key });
  const all = watch(dispatcher.broadcast('echo', 'all'));
  await turn();
  run('elsewhere');
  run('spent', { transfer: [buffer] });
  await turn();
  structuredClone(buffer, { transfer: [buffer] });
  transport.at(0).start(1);
  for (const { seq } of transport.at(1).open) transport.at(1).answer(seq);
  await look();
  expect(transport.at(0).inputs).toContain('keyed');
  expect(dispatcher.stats().moved).toBe(0);
  for (const { seq } of transport.at(0).open) transport.at(0).answer(seq);
  await settled(all);
  expect(all.state).toBe('resolved');
});

test('a worker that is held up is given nothing until it sends a frame', async () => {
  const { run, look, transport } = await recallPool({ window: 2 });
  for (const input of ['long', 'a', 'b', 'c']) run(input);
  await turn();
  const [held, free] = [transport.at(0), transport.at(1)];
  held.start(1);
  free.answer(1);
  await look();
  expect(free.inputs).toEqual(['a', 'c', 'b']);
  run('d');
  await turn();
  expect(held.inputs).toEqual(['long', 'b']);
  held.drop(2);
  expect(held.inputs).toEqual(['long', 'b', 'd']);
});

test('what a worker has not begun stays while all others are held up, and moves to the first that is not', async () => {
  const { run, look, transport } = await recallPool({ window: 2 });
  for (const input of ['long', 'longer', 'a', 'b']) run(input);
  await turn();
  const [one, two] = [transport.at(0), transport.at(1)];
  one.start(1);
  two.start(1);
  await look();
  // The first gave its call back; then no worker could take that of the second.
  expect([one.open.length, two.open.length]).toEqual([1, 2]);
  one.drop(2);
  one.answer(1);
  one.start(3);
  await look();
  expect(one.inputs).toEqual(['long', 'a', 'a', 'b']);
});

test('a call that is aborted after it has moved is aborted where it runs', async () => {
  const { run, look, transport } = await recallPool({ window: 2 });
  const controller = new AbortController();
  run('long');
  run('other');
  const call = run('moves', { signal: controller.signal });
  await turn();
  transport.at(0).start(1);
  transport.at(1).answer(1);
  await look();
  expect(transport.at(1).inputs).toEqual(['other', 'moves']);
  controller.abort('enough');
  await turn();
  expect(call).toMatchObject({ state: 'rejected', error: 'enough' });
  expect(transport.at(0).aborts).toEqual([]);
  expect(transport.at(1).aborts).toEqual([{ seq: 2, reason: 'enough' }]);
  transport.at(1).drop(2);
});

test('a call that is aborted before it moves does not move', async () => {
  const { run, look, transport, dispatcher } = await recallPool({ window: 2 });
  const controller = new AbortController();
  run('long');
  run('other');
  const call = run('given up', { signal: controller.signal });
  await turn();
  transport.at(0).start(1);
  transport.at(1).answer(1);
  controller.abort('enough');
  await look();
  expect(call.error).toBe('enough');
  expect(transport.at(1).inputs).toEqual(['other']);
  expect(dispatcher.stats().moved).toBe(0);
  transport.at(0).drop(2);
});

test('limits of a call that moves go on: the run counts from its start, the queue until then', async () => {
  const { run, look, transport, clock } = await recallPool({ window: 2 });
  run('long');
  run('other');
  const runs = run('runs', { runTimeoutMs: 50 });
  const waits = run('waits', { queueTimeoutMs: 40 });
  await turn();
  transport.at(0).start(1);
  transport.at(1).answer(1);
  await look();
  expect(transport.at(1).inputs).toEqual(['other', 'waits', 'runs']);
  clock.advance(37);
  errorOf(await settled(waits), 'ERR_QUEUE_TIMEOUT');
  transport.at(1).drop(2);
  transport.at(1).start(3);
  clock.advance(49);
  expect((await settled(runs)).state).toBe('pending');
  clock.advance(1);
  errorOf(await settled(runs), 'ERR_RUN_TIMEOUT');
  transport.at(1).fail(3, 'aborted');
});

test('what a worker keeps back runs there, or comes back when it is dropped', async () => {
  const { run, look, transport, dispatcher } = await recallPool();
  transport.keeps = ({ input }) => input !== 'a';
  for (const input of ['long', 'x', 'a', 'y', 'b', 'z']) run(input);
  await turn();
  const [held, free] = [transport.at(0), transport.at(1)];
  held.start(1);
  for (const seq of [1, 2, 3]) free.answer(seq);
  await look();
  expect(free.inputs).toEqual(['x', 'y', 'z', 'a']);
  expect(dispatcher.stats()).toMatchObject({ moved: 1, running: 3 });
  held.drop(3);
  expect([...free.inputs, ...held.inputs].filter((input) => input === 'b')).toHaveLength(2);
  expect(dispatcher.stats()).toMatchObject({ queued: 0, running: 3 });
});

test('a worker that ends takes only what it has kept along', async () => {
  const { run, look, transport } = await recallPool({ window: 2 });
  const calls = ['long', 'other', 'moves'].map((input) => run(input));
  await turn();
  transport.at(0).start(1);
  transport.at(1).answer(1);
  await look();
  transport.at(0).exit({ exitCode: 1 });
  await turn();
  errorOf(calls[0], 'ERR_WORKER_LOST');
  expect(calls[2]?.state).toBe('pending');
  transport.at(1).answer(2, 'moved');
  expect((await settled(calls[2]))?.value).toBe('moved');
});

test('a worker that is to be replaced gives back what it has not begun, and stops', async () => {
  const { run, look, transport, dispatcher } = await recallPool({ max: 1, window: 4 });
  await dispatcher.ready();
  run('long');
  run('moves');
  await turn();
  transport.at(0).start(1);
  const reloaded = watch(dispatcher.reload());
  await turn();
  transport.at(1).ready();
  await look();
  expect(reloaded.state).toBe('resolved');
  expect(transport.at(1).inputs).toEqual([]);
  transport.at(0).answer(1);
  await turn();
});

test('one more worker is started for calls that are held up', async () => {
  const { run, look, ready, transport } = await recallPool({ min: 1, max: 2 });
  run('long');
  run('waits');
  await turn();
  expect(transport.workers).toHaveLength(1);
  transport.at(0).start(1);
  await look();
  expect(transport.workers).toHaveLength(2);
  await ready();
  expect(transport.at(1).inputs).toEqual(['waits']);
});

test('a pool of one worker takes nothing back, nor one whose workers cannot give it', async () => {
  const one = await recallPool({ max: 1 });
  const cannot = createPool({ max: 2, window: 4 });
  await cannot.ready();
  for (const { run, transport } of [one, cannot]) {
    for (const input of [0, 1, 2, 3]) run(input);
    await turn();
    transport.at(0).start(1);
  }
  await one.look();
  for (let ms = 0; ms < 5; ms++) cannot.clock.advance(1);
  expect(one.dispatcher.stats().moved + cannot.dispatcher.stats().moved).toBe(0);
  expect([one.transport.at(0).inputs, cannot.transport.at(0).inputs]).toEqual([
    [0, 1, 2, 3],
    [0, 2],
  ]);
});

test('calls that come back together are shared out: none gets a second while another has none', async () => {
  const { run, ready, transport, clock } = createPool({
    max: 3,
    window: 4,
    restart: { backoffMs: [10_000, 20_000] },
  });
  await ready();
  for (let input = 0; input < 12; input++) run(input);
  await turn();
  for (const worker of [transport.at(1), transport.at(2)]) {
    for (const { seq } of worker.open) worker.answer(seq);
  }
  transport.at(0).exit();
  await turn();
  expect([transport.at(1).open.length, transport.at(2).open.length]).toEqual([2, 2]);
  clock.advance(1);
});

test('a call that no worker begins soon stays longer with each move, so that it does not move for ever', async () => {
  const { run, clock, transport, dispatcher } = await recallPool({ window: 1 });
  const call = run('large');
  let moved = 0;
  for (let ms = 0; ms < 2000; ms++) {
    await turn();
    clock.advance(1);
    const now = dispatcher.stats().moved;
    if (now === moved) continue;
    moved = now;
    // Each drops what was taken from it, and could be given it again.
    const [one, other] = [transport.at(0), transport.at(1)];
    const loser = now % 2 === 1 ? one : other;
    loser.drop(loser.runs.length);
  }
  expect(moved).toBeGreaterThan(3);
  expect(moved).toBeLessThan(13);
  const holder = moved % 2 === 1 ? transport.at(1) : transport.at(0);
  holder.answer(holder.runs.length, 'begun at last');
  expect((await settled(call))?.value).toBe('begun at last');
});
