import { threadId } from 'node:worker_threads';
import type { Dispatcher } from '@ticketing/dispatch';
import { checkReportedOutput } from '@ticketing/test-kit';
import { expect, expectTypeOf, test } from 'vitest';
import { createPiscinaDispatcher } from '../src/index.ts';
import type { Tasks } from './fixtures/tasks.ts';
import { create, leaveNothing, module } from './piscina-fixture.ts';

leaveNothing();

test('a dispatcher is typed by its module, or by a map of tasks', () => {
  const create = () => createPiscinaDispatcher<typeof import('./fixtures/tasks.ts')>(module);
  expectTypeOf(create).returns.toEqualTypeOf<Dispatcher<Tasks>>();
  expectTypeOf(() => createPiscinaDispatcher<Tasks>(module)).returns.toEqualTypeOf<
    Dispatcher<Tasks>
  >();
});

test('tasks run in other threads', async () => {
  const dispatcher = create({ max: 2 });
  expect(dispatcher).toMatchObject({
    kind: 'piscina',
    capabilities: { isolation: 'thread', hardKill: true, transfer: true, streams: true },
  });
  await dispatcher.ready();
  const ran = await dispatcher.run('threadId', undefined);
  const { workers } = dispatcher.stats();
  expect(workers.map(({ pid }) => pid)).toEqual([process.pid, process.pid]);
  const ids = workers.map((worker) => worker.threadId);
  expect(ids).toContain(ran);
  expect(new Set([...ids, threadId]).size).toBe(3);
});

test('buffers are moved, not copied', async () => {
  const dispatcher = create();
  const bytes = Uint8Array.of(1, 2, 3);
  const doubled = await dispatcher.run('double', bytes, { transfer: [bytes.buffer] });
  expect(doubled).toEqual(Uint8Array.of(2, 4, 6));
  expect(bytes).toHaveLength(0);
});

test('output: a function gets what the threads write, by stream and worker', () =>
  checkReportedOutput(create));
