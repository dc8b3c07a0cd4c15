import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { checkPoolsAfterEach, createPool, turn } from '../kernel-fixture.ts';

checkPoolsAfterEach();

const abortGraceMs = 100;

test('a signal that has aborted rejects the call, which is never sent', async () => {
  const { run, ready, transport, dispatcher } = createPool();
  await ready();
  const call = run(1, { signal: AbortSignal.abort('no') });
  await turn();
  expect(call).toMatchObject({ state: 'rejected', error: 'no' });
  expect(transport.at(0).inputs).toEqual([]);
  expect(dispatcher.stats()).toMatchObject({ asked: 1, aborted: 1 });
});

test('a call that waits leaves the queue when it is aborted, and makes room', async () => {
  const { run, ready, transport } = createPool({ window: 1, maxQueue: 1 });
  await ready();
  run(0);
  const controller = new AbortController();
  const call = run(1, { signal: controller.signal });
  await turn();
  controller.abort('left');
  const next = run(2);
  await turn();
  expect(call).toMatchObject({ state: 'rejected', error: 'left' });
  expect(next.state).toBe('pending');
  transport.at(0).answer(1);
  expect(transport.at(0).inputs).toEqual([0, 2]);
  expect(transport.at(0).aborts).toEqual([]);
});

test('a call to a busy worker that is aborted in the tick in which it was made is never sent', async () => {
  const { run, ready, transport } = createPool({ window: 2 });
  await ready();
  const controller = new AbortController();
  run(0);
  const call = run(1, { signal: controller.signal });
  run(2);
  controller.abort('at once');
  await turn();
  expect(call).toMatchObject({ state: 'rejected', error: 'at once' });
  expect(transport.at(0).messages).toHaveLength(2);
  expect(transport.at(0).frames).toMatchObject([{ input: 0 }, { kind: 'run', input: 2 }]);
});

test('a worker that retires stops although its last call was aborted before it was sent', async () => {
  const { run, ready, dispatcher, transport } = createPool(
    {},
    { capabilities: { isolation: 'none' } },
  );
  await ready();
  const reload = dispatcher.reload();
  const controller = new AbortController();
  run(0, { signal: controller.signal });
  transport.at(1).ready();
  controller.abort();
  await reload;
  await turn();
  expect(transport.at(0).count('stop')).toBe(1);
  expect(transport.at(0).inputs).toEqual([]);
});

test('a call that was sent and has not started is dropped by its worker', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({ abortGraceMs });
  await ready();
  const controller = new AbortController();
  run(0);
  const call = run(1, { signal: controller.signal });
  await turn();
  transport.at(0).start(1);
  controller.abort('dropped');
  await turn();
  expect(call).toMatchObject({ state: 'rejected', error: 'dropped' });
  expect(transport.at(0).aborts).toEqual([{ seq: 2, reason: 'dropped' }]);
  expect(dispatcher.stats()).toMatchObject({ running: 1, workers: [{ inFlight: 2 }] });
  transport.at(0).drop(2);
  run(2);
  await turn();
  expect(transport.at(0).inputs).toEqual([0, 1, 2]);
  clock.advance(10 * abortGraceMs);
  expect(transport.at(0).kills).toBe(0);
});

test('a settled call no longer listens to its signal', async () => {
  const { run, ready, transport, dispatcher } = createPool({ window: 2, maxQueue: 5 });
  await ready();
  const controller = new AbortController();
  const { signal } = controller;
  for (let index = 0; index < 8; index++) run(index, { signal });
  await turn();
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  for (let seq = 1; seq <= 7; seq++) transport.at(0).answer(seq);
  await turn();
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  controller.abort();
  await turn();
  expect(dispatcher.stats()).toMatchObject({ completed: 7, rejected: 1, aborted: 0 });
});

test('one signal aborts calls in each state', async () => {
  const { run, ready, transport, dispatcher } = createPool({ window: 2 });
  await ready();
  const controller = new AbortController();
  const { signal } = controller;
  const calls = [0, 1, 2, 3].map((input) => run(input, { signal }));
  await turn();
  transport.at(0).start(1);
  controller.abort('all');
  await turn();
  for (const call of calls) expect(call).toMatchObject({ state: 'rejected', error: 'all' });
  expect(transport.at(0).inputs).toEqual([0, 1]);
  expect(transport.at(0).aborts.map(({ seq }) => seq)).toEqual([1, 2]);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  expect(dispatcher.stats()).toMatchObject({ aborted: 4, queued: 0, running: 0 });
});

test('frames of settled calls are ignored', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool();
  await ready();
  const call = run(0, { runTimeoutMs: 50, onProgress: () => {} });
  await turn();
  const worker = transport.at(0);
  worker.answer(1, 'once');
  worker.answer(1, 'twice');
  worker.fail(1, new Error('thrice'));
  worker.drop(1);
  worker.emit({ kind: 'started', seq: 1 }, { kind: 'progress', seq: 1, data: 1 });
  worker.answer(77);
  clock.advance(100);
  await turn();
  expect(call).toMatchObject({ state: 'resolved', value: 'once' });
  expect(dispatcher.stats()).toMatchObject({ completed: 1, failed: 0, workers: [{ done: 1 }] });
});

test('a call that was dropped though no caller aborted it runs elsewhere', async () => {
  const { run, ready, transport } = createPool({ max: 2, window: 1 });
  await ready();
  run(0);
  const call = run(1);
  await turn();
  transport.at(0).answer(1);
  transport.at(1).drop(1);
  await turn();
  const worker = transport.workers.find(({ open }) => open.length > 0);
  expect(worker?.open).toMatchObject([{ input: 1, attempt: 1 }]);
  worker?.answer(worker.open[0]?.seq ?? 0);
  await turn();
  expect(call.state).toBe('resolved');
});
