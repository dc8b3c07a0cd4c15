import { once } from 'node:events';
import type { Dispatcher } from '@ticketing/dispatch';
import { checkReportedOutput, gone, lives } from '@ticketing/test-kit';
import { expect, expectTypeOf, test, vi } from 'vitest';
import { createForkDispatcher } from '../src/index.ts';
import type { Tasks } from './fixtures/tasks.ts';
import { create, endAfterEach, execArgv, module, open, program } from './fork-fixture.ts';
import { testGroupSignals } from './group-signals.ts';

endAfterEach();
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

test('a dispatcher is typed by its module, or by a map of tasks', async () => {
  const dispatcher = createForkDispatcher<typeof import('./fixtures/tasks.ts')>(module, {
    max: 1,
    execArgv,
  });
  open.push(dispatcher);
  expectTypeOf(dispatcher).toEqualTypeOf<Dispatcher<Tasks>>();
  const pid = dispatcher.run('pid');
  expectTypeOf(pid).toEqualTypeOf<Promise<number>>();
  expect(await pid).not.toBe(process.pid);
  // @ts-expect-error: no such task
  await expect(dispatcher.run('pids')).rejects.toThrow('did you mean `pid`?');
});

test('tasks run in other processes, of which nothing is left after close()', async () => {
  const dispatcher = create({ max: 2 });
  expect(dispatcher).toMatchObject({
    kind: 'fork',
    capabilities: { isolation: 'process', hardKill: true, transfer: false, streams: true },
  });
  await dispatcher.ready();
  const pids = dispatcher.stats().workers.map(({ pid }) => pid ?? Number.NaN);
  expect(new Set([...pids, process.pid]).size).toBe(3);
  expect(pids).toContain(await dispatcher.run('pid', undefined));
  await dispatcher.close();
  expect(pids.map(lives)).toEqual([false, false]);
});

test('the end of a worker is reported with all known facts', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const dispatcher = create();
  const pid = await dispatcher.run('pid', undefined);
  await expect(dispatcher.run('complain', 'out of order')).rejects.toMatchObject({
    code: 'ERR_WORKER_LOST',
    data: { pid, exitCode: 3, signal: undefined, stderrTail: 'out of order' },
  });
  await expect(dispatcher.run('kill', 'SIGKILL')).rejects.toMatchObject({
    code: 'ERR_WORKER_LOST',
    data: { exitCode: undefined, signal: 'SIGKILL' },
  });
  vi.restoreAllMocks();
});

test('signals of a terminal or a service change nothing in a worker', async () => {
  const dispatcher = create();
  const pid = await dispatcher.run('pid', undefined);
  for (const signal of signals) process.kill(pid, signal);
  expect(await dispatcher.run('pid', undefined)).toBe(pid);
  expect(dispatcher.stats().spawned).toBe(1);
});

test('workers of a parent that is killed are gone within a second, idle and busy', async () => {
  const parent = program(new URL('fixtures/dispatching-parent.ts', import.meta.url));
  const [line] = await once(parent.stdout, 'data');
  const pids = JSON.parse(String(line)) as number[];
  expect(pids.map(lives)).toEqual([true, true]);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await Promise.all(pids.map((pid) => gone(pid, 1000)));
});

test('output: a function gets what the workers write, by stream and worker', () =>
  checkReportedOutput(create));

testGroupSignals(['SIGTERM']);
