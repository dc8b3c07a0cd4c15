import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import {
  checkPoolsAfterEach,
  createPool,
  errorOf,
  keysOf,
  settled,
  turn,
  watch,
} from '../kernel-fixture.ts';

checkPoolsAfterEach();

test('capacity() resolves as many as there is room for, in their order', async () => {
  const { run, ready, transport, dispatcher } = createPool({ window: 1, maxQueue: 1 });
  await ready();
  const order: number[] = [];
  const wait = (place: number): void => {
    dispatcher.capacity().then(
      () => order.push(place),
      () => {},
    );
  };
  for (const place of [1, 2, 3, 4]) wait(place);
  await Promise.resolve();
  await Promise.resolve();
  expect(order).toEqual([1, 2]);
  run(1);
  run(2);
  await turn();
  expect(order).toEqual([1, 2]);
  transport.at(0).answer(1);
  await Promise.resolve();
  expect(order).toEqual([1, 2, 3]);
  run(3);
  await turn();
  expect(order).toEqual([1, 2, 3]);
  transport.at(0).answer(2);
  await turn();
  expect(order).toEqual([1, 2, 3, 4]);
});

test('a caller that was let through keeps its room until it calls, and no longer', async () => {
  const { run, ready, transport, dispatcher } = createPool({ window: 1, maxQueue: 1 });
  await ready();
  run(1);
  await dispatcher.capacity();
  run(2);
  transport.at(0).answer(1);
  // The second call is at the worker now, and the queue is empty: within the same turn there is room for one more.
  const next = watch(dispatcher.capacity());
  await Promise.resolve();
  await Promise.resolve();
  expect(next.state).toBe('resolved');
  transport.at(0).answer(2);
  await turn();
});

test('capacity() of a key waits for its worker or the queue, while others have room', async () => {
  const { dispatcher, run, ready, transport } = createPool({ max: 2, window: 1, maxQueue: 1 });
  await ready();
  const [key, other] = keysOf(2);
  await dispatcher.capacity(undefined, { key });
  const first = run(1, { key });
  await dispatcher.capacity(undefined, { key });
  const second = run(2, { key });

  const own = watch(dispatcher.capacity(undefined, { key }));
  // The other worker is idle: neither calls of its keys nor those without a key wait behind this key.
  await dispatcher.capacity(undefined, { key: other });
  await turn();
  await dispatcher.capacity();
  await turn();
  expect(own.state).toBe('pending');
  // A call of this key would be refused, although there is room for others.
  errorOf(await settled(run(3, { key })), 'ERR_QUEUE_FULL');

  transport.at(0).answer(1);
  await turn();
  expect([first.state, own.state]).toEqual(['resolved', 'resolved']);
  transport.at(0).answer(2);
  await turn();
  expect(second.state).toBe('resolved');
});

test('capacity() that is not used goes to the next', async () => {
  const { ready, dispatcher } = createPool({ window: 1, maxQueue: 0 });
  await ready();
  const waiters = [1, 2, 3].map(() => watch(dispatcher.capacity()));
  await Promise.resolve();
  expect(waiters.map(({ state }) => state)).toEqual(['resolved', 'pending', 'pending']);
  await turn();
  await turn();
  expect(waiters.map(({ state }) => state)).toEqual(['resolved', 'resolved', 'resolved']);
});

test('capacity() resolves when a call that waited is aborted', async () => {
  const { run, ready, dispatcher } = createPool({ window: 1, maxQueue: 1 });
  await ready();
  run(0);
  const controller = new AbortController();
  run(1, { signal: controller.signal });
  const waiter = watch(dispatcher.capacity());
  await turn();
  expect(waiter.state).toBe('pending');
  controller.abort();
  expect((await settled(waiter)).state).toBe('resolved');
});

test('capacity() resolves when calls would be refused for another reason', async () => {
  const { run, transport, dispatcher } = createPool({ maxQueue: 0, restart: { maxFailures: 0 } });
  const waiter = watch(dispatcher.capacity());
  await turn();
  expect(waiter.state).toBe('pending');
  transport.at(0).startFailed('no');
  expect((await settled(waiter)).state).toBe('resolved');
  await dispatcher.capacity();
  errorOf(await settled(run(0)), 'ERR_CIRCUIT_OPEN');
});

test('capacity() takes a signal, and rejects at close', async () => {
  const { dispatcher } = createPool({ maxQueue: 0 });
  const controller = new AbortController();
  const left = watch(dispatcher.capacity(controller.signal));
  const closed = watch(dispatcher.capacity(controller.signal));
  const third = new AbortController();
  const leaves = watch(dispatcher.capacity(third.signal));
  third.abort('third');
  await turn();
  expect(leaves).toMatchObject({ state: 'rejected', error: 'third' });
  expect(getEventListeners(third.signal, 'abort')).toHaveLength(0);
  expect(left.state).toBe('pending');
  void dispatcher.close();
  errorOf(await settled(left), 'ERR_CLOSED');
  errorOf(closed, 'ERR_CLOSED');
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  errorOf(await settled(watch(dispatcher.capacity())), 'ERR_CLOSED');
  await expect(dispatcher.capacity(AbortSignal.abort('no'))).rejects.toBe('no');
});

test('capacity() holds the process only while it waits', async () => {
  const { ready, run, transport, clock, dispatcher } = createPool(
    { window: 1, maxQueue: 0, abortGraceMs: 100 },
    { capabilities: { hardKill: false } },
  );
  await ready();
  const controller = new AbortController();
  run(0, { signal: controller.signal });
  await turn();
  transport.at(0).start();
  controller.abort();
  await turn();
  clock.advance(10);
  expect(transport.at(0).holds).toEqual([false]);
  const waiter = watch(dispatcher.capacity());
  expect(transport.at(0).holds).toEqual([false, true]);
  clock.advance(90);
  expect((await settled(waiter)).state).toBe('resolved');
  clock.advance(10);
  expect(transport.at(0).holds).toEqual([false, true, false]);
});

test('capacity() starts a worker where no call may wait for one', async () => {
  const { dispatcher, transport, ready, run } = createPool({
    min: 0,
    max: 2,
    window: 1,
    maxQueue: 0,
  });
  for (const workers of [1, 2]) {
    const room = watch(dispatcher.capacity());
    await turn();
    expect([room.state, transport.workers.length]).toEqual(['pending', workers]);
    await ready();
    expect(room.state).toBe('resolved');
    run(workers);
  }
  for (const worker of transport.workers) worker.answer(1);
  await turn();
});
