import { expect, test } from 'vitest';
import { checkPoolsAfterEach, createPool, keysOf, turn } from '../kernel-fixture.ts';

checkPoolsAfterEach();

test('calls of one key go to one worker and wait for it, though others are free', async () => {
  const { run, ready, transport, dispatcher } = createPool({ max: 3, window: 1 });
  const [, key] = keysOf(3);
  await ready();
  for (let index = 0; index < 3; index++) run(index, { key });
  await turn();
  expect(transport.workers.map(({ inputs }) => inputs)).toEqual([[], [0], []]);
  expect(dispatcher.stats()).toMatchObject({ queued: 2, running: 1 });
  transport.at(1).answer(1);
  transport.at(1).answer(2);
  expect(transport.at(1).inputs).toEqual([0, 1, 2]);
});

test('calls with a key and without one go in their order', async () => {
  const { run, ready, transport } = createPool({ max: 1, window: 1 });
  await ready();
  run(0);
  run(1, { key: 'a' });
  run(2);
  run(3, { key: 'a' });
  run(4, { key: 'a', priority: 1 });
  await turn();
  for (let seq = 1; seq <= 5; seq++) transport.at(0).answer(seq);
  expect(transport.at(0).inputs).toEqual([0, 4, 1, 2, 3]);
});

test('the successor of a worker takes over its keys', async () => {
  const { run, ready, transport } = createPool({ max: 2, window: 1 });
  const [, key] = keysOf(2);
  await ready();
  const first = run(0, { key });
  run(1, { key });
  await turn();
  transport.at(1).answer(1);
  await turn();
  expect(first.state).toBe('resolved');
  transport.at(1).exit({ exitCode: 1 });
  expect(transport.workers).toHaveLength(3);
  await turn();
  expect(transport.at(0).inputs).toEqual([]);
  await ready();
  expect(transport.at(2).inputs).toEqual([1]);
});

test('a key whose slot is empty starts its worker', async () => {
  const { run, ready, transport } = createPool({ min: 1, max: 3 });
  const [, , key] = keysOf(3);
  await ready();
  run(0, { key });
  await turn();
  expect(transport.workers).toHaveLength(2);
  expect(transport.at(0).inputs).toEqual([]);
  await ready();
  expect(transport.at(1).inputs).toEqual([0]);
});

test('keys whose worker will not come are released to the others when the circuit opens', async () => {
  const restart = { maxFailures: 0 };
  const { run, ready, transport, dispatcher } = createPool({ max: 2, window: 1, restart });
  const [, key] = keysOf(2);
  transport.at(0).ready();
  run('waits', { key });
  await turn();
  expect(transport.at(0).inputs).toEqual([]);
  transport.at(1).startFailed(new Error('no memory'));
  expect(dispatcher.stats().circuit).toBe('open');
  await turn();
  expect(transport.at(0).inputs).toEqual(['waits']);
  run('next', { key });
  transport.at(0).answer(1);
  expect(transport.at(0).inputs).toEqual(['waits', 'next']);
  await ready();
});

test('a call that comes back for the slot of its key fills that slot', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({
    min: 1,
    max: 2,
    window: 1,
    maxQueue: 0,
    restart: { maxFailures: 5 },
  });
  await ready();
  const [, key] = keysOf(2);
  // Refused, but a worker starts for it; that opens the circuit, which releases the key.
  run('refused', { key });
  transport.at(1).startFailed('no', true);
  const call = run('lent', { key });
  await turn();
  expect(transport.at(0).inputs).toEqual(['lent']);
  clock.advance(5000);
  transport.at(2).ready();
  expect(dispatcher.stats().circuit).toBe('closed');
  transport.at(2).exit();
  transport.at(0).exit();
  expect(transport.workers).toHaveLength(3);
  clock.advance(5000);
  await ready();
  for (const worker of transport.living) for (const { seq } of worker.open) worker.answer(seq);
  await turn();
  expect(call.state).toBe('resolved');
});
