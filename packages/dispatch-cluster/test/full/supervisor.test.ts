import { once } from 'node:events';
import net from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { addressOf, ask, checkClustersAfterEach, start } from '../cluster-fixture.ts';
import { testCountedRequests } from '../counted-requests.ts';
import type { Tasks } from '../fixtures/server.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });

testCountedRequests('later');
testCountedRequests('fastify');

test('reload({ parallel }) replaces that many at a time, while the same number serves', async () => {
  const supervisor = start({ workers: 2 });
  await supervisor.ready();
  const serving = () => supervisor.workers.filter(({ state }) => state === 'ready').length;
  const reload = supervisor.reload({ parallel: 2 });
  expect(supervisor.stats().dispatcher.spawned).toBe(4);
  let isOver = false;
  const least = (async () => {
    let count = 2;
    while (!isOver) {
      count = Math.min(count, serving());
      // Not at each turn: the workers that start need the processor.
      await setTimeout(2);
    }
    return count;
  })();
  await reload;
  isOver = true;
  expect(await least).toBe(2);
  expect(supervisor.stats().dispatcher).toMatchObject({ spawned: 4, lost: 0 });
  await expect(supervisor.reload({ parallel: 0 })).rejects.toThrow(
    new RangeError('Cannot reload: parallel must be an integer of 1 to 1024, got 0'),
  );
  await expect(
    supervisor.reload({ module: new URL('file:///other.js') } as object),
  ).rejects.toThrow(new TypeError('Cannot reload: unknown option module; known are parallel'));
});

test('a request that does not end is cut off after the grace', async () => {
  const supervisor = start({ shutdown: { lameDuckMs: 50, graceMs: 100 } });
  await supervisor.ready();
  const url = await addressOf(supervisor);
  const endless = ask(`${url}/?ms=60000`);
  await ask(url);
  await Promise.all([
    supervisor.close(),
    expect(endless).rejects.toMatchObject({ code: 'ECONNRESET' }),
  ]);
});

test('a connection that never said a word does not keep a worker', async () => {
  const supervisor = start({ shutdown: { lameDuckMs: 50, graceMs: 60_000 } });
  await supervisor.ready();
  const { port } = new URL(await addressOf(supervisor));
  const socket = net.connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  await vi.waitFor(() => expect(supervisor.stats().connections).toBe(1), 60_000);
  const ended = once(socket, 'close');
  await supervisor.close();
  await ended;
});

test('messages of others over the channel of a worker are passed over', async () => {
  const supervisor = start();
  const dispatcher = supervisor.dispatcher<Tasks>();
  for (const message of [{ 'watch:import': ['file:///a.ts'] }, 'text', [1], 5, { act: 'close' }]) {
    expect(await dispatcher.run('foreign', message)).toBe('sent');
  }
  supervisor.workers[0]?.process?.send({ hello: 'worker' });
  expect(await dispatcher.run('double', 2)).toBe(4);
});
