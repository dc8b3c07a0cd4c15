import { defineTasks } from '@ticketing/dispatch';
import { expect, test, vi } from 'vitest';
import { checkClustersAfterEach, start } from '../cluster-fixture.ts';
import type { AskingTasks } from '../fixtures/asking-worker.ts';
import { makeTasks } from '../fixtures/primary-tasks.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });

const entry = new URL('../fixtures/asking-worker.ts', import.meta.url);

test('tasks of a worker that ends are aborted in the primary; tasks of other workers go on', async () => {
  const { seen, module } = makeTasks();
  const supervisor = start({ entry, primaryTasks: module });
  const dispatcher = supervisor.dispatcher<AskingTasks>();
  const endless = dispatcher.run('endless', undefined);
  await vi.waitFor(() => expect(seen.log).toContain('endless'), 60_000);
  const exited = dispatcher.run('exit', undefined);
  for (const call of [endless, exited]) {
    await expect(call).rejects.toMatchObject({ code: 'ERR_WORKER_LOST' });
  }
  await vi.waitFor(() => expect(seen.aborted).toHaveLength(1), 60_000);
  expect(seen.aborted).toMatchObject([
    { message: 'Task was aborted: worker 1, which asked for it, has ended' },
  ]);
  expect(await dispatcher.run('search', 'again')).toBe('found again 1');
});

test('a failed setup fails the calls, and is tried again', async () => {
  let setups = 0;
  const module = defineTasks(
    { search: (query: string) => query },
    {
      setup() {
        setups += 1;
        if (setups < 3) throw new Error('no upstream');
      },
    },
  );
  const supervisor = start({ entry, workers: 1, primaryTasks: module });
  const dispatcher = supervisor.dispatcher<AskingTasks>();
  expect(await dispatcher.run('search', 'later')).toBe('later');
  expect(setups).toBe(3);
});

test('errors of the primary’s tasks keep their name, message and code', async () => {
  const supervisor = start({ entry, primaryTasks: makeTasks().module });
  const failed = supervisor.dispatcher<AskingTasks>().run('fail', 'no seats');
  await expect(failed).rejects.toMatchObject({
    name: 'RangeError',
    message: 'no seats',
    code: 'ERR_UPSTREAM',
  });
});

test('items of a task in the primary come through a worker, and few are ahead of their reader', async () => {
  const { seen, module } = makeTasks();
  const supervisor = start({ entry, primaryTasks: module });
  const dispatcher = supervisor.dispatcher<AskingTasks>();
  const items: number[] = [];
  for await (const item of dispatcher.stream('numbers', 500, { window: 2 })) {
    items.push(item);
    // Two between the primary and the worker, two between the worker and this reader.
    expect(seen.made).toBeLessThanOrEqual(items.length + 4);
  }
  expect(items).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
  expect(seen.log).toEqual(['setup', 'numbers ended']);
});

test('a reader that leaves ends the generator in the primary', async () => {
  const { seen, module } = makeTasks();
  const supervisor = start({ entry, primaryTasks: module });
  const dispatcher = supervisor.dispatcher<AskingTasks>();
  for await (const item of dispatcher.stream('numbers', 1e9)) if (item === 20) break;
  await vi.waitFor(() => expect(seen.log).toContain('numbers ended'), 60_000);
  expect(await dispatcher.run('search', 'again')).toBe('found again 1');
});
