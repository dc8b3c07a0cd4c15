import { expect, test } from 'vitest';
import {
  checkPoolsAfterEach,
  createPool,
  errorOf,
  settled,
  turn,
  watch,
} from '../kernel-fixture.ts';

checkPoolsAfterEach();

test('broadcast() runs a task once on each worker, full ones too, and gives each answer', async () => {
  const { dispatcher, transport, ready, run } = createPool({ min: 2, max: 2, window: 1 });
  await ready();
  const busy = run('busy');
  await turn();
  expect(transport.workers.map(({ inputs }) => inputs)).toEqual([['busy'], []]);
  const all = watch(dispatcher.broadcast('echo', 'all'));
  await turn();
  expect(transport.workers.map(({ inputs }) => inputs)).toEqual([['busy'], ['all']]);
  transport.at(0).answer(1);
  await turn();
  expect(transport.workers.map(({ inputs }) => inputs)).toEqual([['busy', 'all'], ['all']]);
  transport.at(1).fail(1, new Error('not here'));
  transport.at(0).answer(2);
  await turn();
  expect(busy.state).toBe('resolved');
  expect(all.value).toMatchObject([
    { status: 'fulfilled', value: 'answer 2' },
    { status: 'rejected', reason: { message: 'not here' } },
  ]);
});

test('broadcast() skips workers that start or leave', async () => {
  const { dispatcher, transport, ready } = createPool({ min: 2, max: 2 });
  transport.at(0).ready();
  await turn();
  const first = watch(dispatcher.broadcast('echo', 1));
  await turn();
  await ready();
  expect(transport.workers.map(({ inputs }) => inputs)).toEqual([[1], []]);
  transport.at(0).answer(1);
  await turn();
  expect(first.value).toHaveLength(1);
});

test('broadcast() rejects for one that does not answer in time, and for a pool that is closed', async () => {
  const { dispatcher, transport, clock, ready } = createPool({ max: 1 });
  await ready();
  const late = watch(dispatcher.broadcast('echo', 1, { timeoutMs: 50 }));
  await turn();
  transport.at(0).start(1);
  clock.advance(50);
  await turn();
  const [outcome] = late.value ?? [];
  expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ERR_TIMEOUT' } });
  transport.at(0).answer(1);
  const closing = watch(dispatcher.close());
  await turn();
  for (const worker of transport.living) worker.exit({ exitCode: 0 });
  await turn();
  expect(closing.state).toBe('resolved');
  errorOf(await settled(watch(dispatcher.broadcast('echo', 1))), 'ERR_CLOSED');
});

test('broadcast() is counted nowhere', async () => {
  const { dispatcher, transport, ready, run } = createPool({ max: 1 });
  await ready();
  run('call');
  const all = watch(dispatcher.broadcast('echo', 'all'));
  await turn();
  transport.at(0).answer(1);
  transport.at(0).answer(2);
  await turn();
  expect(all.value).toHaveLength(1);
  const { asked, completed, histograms } = dispatcher.stats();
  const { wait, run: runs, transport: rest } = histograms;
  expect([asked, completed, wait.count, runs.count, rest.count]).toEqual([1, 1, 1, 1, 1]);
});
