import type { Dispatcher } from '@ticketing/dispatch';
import { expect, expectTypeOf, test, vi } from 'vitest';
import { primaryDispatcher, type Supervisor } from '../src/index.ts';
import { checkClustersAfterEach, start } from './cluster-fixture.ts';
import type { AskingTasks } from './fixtures/asking-worker.ts';
import { makeTasks } from './fixtures/primary-tasks.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });

const entry = new URL('fixtures/asking-worker.ts', import.meta.url);

test('dispatchers over the workers and over the primary are typed by a module of tasks', () => {
  const { module } = makeTasks();
  type Module = { readonly default: typeof module };
  type Expected = Dispatcher<typeof module.tasks>;
  const overWorkers = (supervisor: Supervisor) => supervisor.dispatcher<Module>();
  expectTypeOf(overWorkers).returns.toEqualTypeOf<Expected>();
  expectTypeOf(() => primaryDispatcher<Module>()).returns.toEqualTypeOf<Expected>();
});

test('equal calls of several workers are shared in the primary: one run at a time on the machine', async () => {
  const { seen, module } = makeTasks();
  const supervisor = start({ entry, workers: 2, primaryTasks: module });
  await supervisor.ready();
  const dispatcher = supervisor.dispatcher<AskingTasks>();
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
  // Each worker has opened its way to the primary.
  await Promise.all(keys.map((key) => dispatcher.run('search', 'warm', { key })));
  seen.runs = 0;
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => dispatcher.run('searchOften', { query: 'A to B', times: 75 })),
  );
  expect(answers.flat()).toHaveLength(300);
  expect(seen.most).toBe(1);
  expect(seen.runs).toBeLessThanOrEqual(2);
  expect(new Set(answers.flat()).size).toBe(seen.runs);
  await supervisor.close();
  expect(seen.log).toEqual(['setup', 'teardown']);
});

test('a caller’s signal reaches the task in the primary', async () => {
  const { seen, module } = makeTasks();
  const supervisor = start({ entry, primaryTasks: module });
  const controller = new AbortController();
  const { signal } = controller;
  const call = supervisor.dispatcher<AskingTasks>().run('endless', undefined, { signal });
  await vi.waitFor(() => expect(seen.log).toContain('endless'), 60_000);
  controller.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
  await vi.waitFor(() => expect(seen.aborted).toMatchObject([{ message: 'enough' }]), 60_000);
});

test('a worker that ends in the middle of a stream ends the generator in the primary', async () => {
  const { seen, module } = makeTasks();
  const supervisor = start({ entry, workers: 1, primaryTasks: module });
  const dispatcher = supervisor.dispatcher<AskingTasks>();
  const items = dispatcher.stream('numbers', 1e9, { window: 4 });
  expect(await items.next()).toEqual({ done: false, value: 1 });
  const exited = dispatcher.run('exit', undefined);
  await expect(exited).rejects.toMatchObject({ code: 'ERR_WORKER_LOST' });
  await expect(items.next()).rejects.toMatchObject({ code: 'ERR_WORKER_LOST' });
  expect(await items.next()).toEqual({ done: true, value: undefined });
  await vi.waitFor(() => expect(seen.log).toContain('numbers ended'), 60_000);
  expect(seen.log.filter((line) => line === 'numbers ended')).toHaveLength(1);
});

test('without tasks in the primary a call rejects with what is missing', async () => {
  const supervisor = start({ entry });
  const call = supervisor.dispatcher<AskingTasks>().run('search', 'A to B');
  await expect(call).rejects.toMatchObject({
    code: 'ERR_CIRCUIT_OPEN',
    cause: {
      message: 'Cannot run tasks in the primary: `startCluster` was given no `primaryTasks`',
    },
  });
});
