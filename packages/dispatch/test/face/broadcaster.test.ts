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

const later = { later: true } as const;
const restart = { backoffMs: [1, 1], maxFailures: 9 } as const;

test('a worker takes calls only when it has run what is kept', async () => {
  const { dispatcher, transport, run } = createPool();
  expect(await dispatcher.broadcast('echo', 'config', later)).toEqual([]);
  const call = run('call');
  const ready = watch(dispatcher.ready());
  transport.at(0).ready();
  await turn();
  expect(transport.at(0).inputs).toEqual(['config']);
  expect(dispatcher.stats().workers).toMatchObject([{ state: 'starting' }]);
  expect(ready.state).toBe('pending');
  transport.at(0).answer(1);
  await turn();
  expect(transport.at(0).inputs).toEqual(['config', 'call']);
  expect(ready.state).toBe('resolved');
  transport.at(0).answer(2, 'done');
  expect((await settled(call)).value).toBe('done');
});

test('a broadcast during a start is run in that start, and one of the same task takes its place', async () => {
  const { dispatcher, transport } = createPool();
  await dispatcher.broadcast('echo', 1, later);
  transport.at(0).ready();
  await turn();
  await dispatcher.broadcast('echo', 2, later);
  await dispatcher.broadcast('other', 3, later);
  transport.at(0).fail(1, new Error('of the past'));
  await turn();
  expect(transport.at(0).inputs).toEqual([1, 2]);
  transport.at(0).answer(2);
  await turn();
  expect(transport.at(0).inputs).toEqual([1, 2, 3]);
  transport.at(0).answer(3);
  await turn();
  expect(dispatcher.state).toBe('ready');
});

test('a task that fails in a start is the reason of the open circuit', async () => {
  const { dispatcher, transport, run } = createPool({ restart: { maxFailures: 0 } });
  await dispatcher.broadcast('echo', 'bad', later);
  const call = run();
  transport.at(0).ready();
  await turn();
  transport.at(0).fail(1, new TypeError('no table'));
  await turn();
  expect(transport.at(0).kills).toBe(1);
  transport.at(0).exit();
  const error = errorOf(await settled(call), 'ERR_CIRCUIT_OPEN');
  expect(error.message).toBe('Workers keep failing to start: no table');
});

test('an answer within a start proves nothing: a probe that then ends leaves the circuit open', async () => {
  const { dispatcher, transport, clock } = createPool({ restart: { maxFailures: 0 } });
  await dispatcher.broadcast('echo', 1, later);
  transport.at(0).startFailed(new Error('broken'));
  await turn();
  expect(dispatcher.stats().circuit).toBe('open');
  clock.advance(5000);
  await turn();
  transport.at(-1).ready();
  await turn();
  transport.at(-1).answer(1);
  // Read before the start is over.
  expect(dispatcher.stats().circuit).toBe('half-open');
  await turn();
  expect(dispatcher.stats().circuit).toBe('closed');
});

test('a worker that ends, is full or hangs while it starts fails its start', async () => {
  const { dispatcher, transport, clock } = createPool({ restart, startTimeoutMs: 500 });
  await dispatcher.broadcast('echo', 1, later);
  transport.at(0).ready();
  await turn();
  transport.at(0).exit({ exitCode: 1 });
  await turn();
  clock.advance(1);
  transport.at(1).ready();
  await turn();
  transport.at(1).busy(1);
  await turn();
  expect(transport.at(1).kills).toBe(1);
  transport.at(1).exit();
  await turn();
  clock.advance(1);
  transport.at(2).ready();
  await turn();
  transport.at(2).start(1);
  clock.advance(500);
  expect(transport.at(2).kills).toBe(1);
  transport.at(2).exit();
  await turn();
  clock.advance(1);
  transport.at(3).ready();
  await turn();
  transport.at(3).answer(1);
  await turn();
  expect(dispatcher.state).toBe('ready');
  expect(dispatcher.stats()).toMatchObject({ spawned: 4, lost: 0 });
});

test('a kept one that its worker has not begun is not run by the successor again', async () => {
  const { dispatcher, transport, ready, run, clock } = createPool({ window: 1, restart });
  await ready();
  const busy = run('busy');
  const all = watch(dispatcher.broadcast('echo', 'config', later));
  await turn();
  transport.at(0).start(1);
  transport.at(0).exit({ exitCode: 1 });
  clock.advance(1);
  await turn();
  expect(busy.error).toMatchObject({ code: 'ERR_WORKER_LOST' });
  transport.at(1).ready();
  await turn();
  transport.at(1).answer(1);
  await turn();
  expect(transport.at(1).inputs).toEqual(['config']);
  expect(all.value).toMatchObject([
    {
      status: 'rejected',
      workerId: 1,
      reason: {
        code: 'ERR_WORKER_LOST',
        message: 'Task `echo` was not begun: worker 1 of its broadcast has ended, or has no room',
      },
    },
  ]);
});

test('one that is not kept and not begun is run by the successor, whose number the outcome has', async () => {
  const { dispatcher, transport, ready, run, clock } = createPool({ window: 1, restart });
  await ready();
  run('busy');
  const all = watch(dispatcher.broadcast('echo', 'once'));
  await turn();
  transport.at(0).start(1);
  transport.at(0).exit({ exitCode: 1 });
  clock.advance(1);
  await turn();
  transport.at(1).ready();
  await turn();
  transport.at(1).answer(1, 'here');
  await turn();
  expect(all.value).toEqual([{ status: 'fulfilled', value: 'here', workerId: 2, slot: 0 }]);
});

test('a lent dispatcher broadcasts until it is closed, and what it kept is forgotten then', async () => {
  const { pool, transport, ready, dispatcher } = createPool();
  const lent = pool.lend();
  await ready();
  const all = watch(lent.broadcast('echo', 'lent', later));
  await turn();
  transport.at(0).answer(1);
  await turn();
  expect(all.value).toMatchObject([{ status: 'fulfilled', workerId: 1 }]);
  await lent.close();
  errorOf(await settled(watch(lent.broadcast('echo', 1))), 'ERR_CLOSED');
  const reloading = watch(dispatcher.reload());
  await turn();
  transport.at(1).ready();
  await turn();
  expect(reloading.state).toBe('resolved');
  expect(transport.at(1).inputs).toEqual([]);
  transport.at(0).exit();
});

test('a drained lent dispatcher takes no broadcast', async () => {
  const { pool, ready } = createPool();
  const lent = pool.lend();
  await ready();
  await lent.drain();
  errorOf(await settled(watch(lent.broadcast('echo', 1))), 'ERR_DRAINING');
});

test.each([
  [{ later: 'yes' }, '`later` must be true or false, got yes'],
  [{ retries: 1 }, 'unknown option `retries`; known are'],
  [{ transfer: [] }, 'unknown option `transfer`; known are'],
  [null, '`options` must be an object, got null'],
])('broadcast() refuses the options %j', async (options, message) => {
  const { dispatcher, ready } = createPool();
  await ready();
  const broadcast = dispatcher.broadcast('echo', 1, options as never);
  await expect(broadcast).rejects.toThrow(`Cannot broadcast task: ${message}`);
});

test('drain() counts its own calls, not what a worker runs as a part of its start', async () => {
  const { dispatcher, transport, run, ready } = createPool({ restart });
  await ready();
  await Promise.all([
    dispatcher.broadcast('echo', 1, later),
    turn().then(() => transport.at(0).answer(1)),
  ]);
  const call = run('long');
  await turn();
  const drained = watch(dispatcher.drain());
  void dispatcher.reload();
  transport.at(-1).ready();
  await turn();
  transport.at(-1).answer(1);
  transport.at(0).answer(2);
  await turn();
  expect([call.state, drained.value]).toEqual(['resolved', { completed: 1, aborted: 0 }]);
});
