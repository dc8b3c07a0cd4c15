import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { Dispatcher } from '@ticketing/dispatch';
import { gone, lives } from '@ticketing/test-kit';
import { expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
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

test('a large answer, and JSON as bytes, arrive', async () => {
  const dispatcher = create();
  expect(await dispatcher.run('bytes', 5_000_000)).toHaveLength(5_000_000);
  expect(String(await dispatcher.run('json', { a: [1] }))).toBe('{"a":[1]}');
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

test('a task without end is ended', async () => {
  const dispatcher = create({ abortGraceMs: 0 });
  const pid = await dispatcher.run('pid', undefined);
  const spinning = dispatcher.run('spin', undefined, { runTimeoutMs: 50 });
  await expect(spinning).rejects.toMatchObject({ code: 'ERR_RUN_TIMEOUT' });
  expect(await dispatcher.run('pid', undefined)).not.toBe(pid);
  expect(lives(pid)).toBe(false);
});

test('foreign messages over the channel are ignored', async () => {
  const dispatcher = create();
  for (const message of [{ 'watch:import': ['file:///a.ts'] }, 'text', [1], null, 5]) {
    expect(await dispatcher.run('foreign', message)).toBe('sent');
  }
});

test('Node options of this process are kept, and some added', async () => {
  const kept = process.execArgv;
  process.execArgv = ['--no-warnings', '--inspect=0', '--watch'];
  const dispatcher = create();
  process.execArgv = kept;
  expect(await dispatcher.run('execArgv', undefined)).toEqual([
    '--no-warnings',
    // At a port of its own.
    '--inspect=127.0.0.1:0',
    ...execArgv,
  ]);
});

test('workers have the environment that is given', async () => {
  const dispatcher = create({ env: { ...process.env, GIVEN: 'yes', HOME: undefined } });
  expect(await dispatcher.run('env', 'GIVEN')).toBe('yes');
  expect(await dispatcher.run('env', 'HOME')).toBe(undefined);
});

test('the program of the workers can be elsewhere', async () => {
  const workerUrl = new URL('fixtures/worker-elsewhere.ts', import.meta.url);
  expect(await create({ workerUrl }).run('argv', undefined)).toContain('worker-elsewhere.ts');
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

test('a program that comes to its end without close() ends, and its workers with it', async () => {
  const finishing = program(new URL('fixtures/finishing-program.ts', import.meta.url));
  const [output, [code]] = await Promise.all([text(finishing.stdout), once(finishing, 'exit')]);
  expect(code).toBe(0);
  await gone(Number(output), 1000);
});

test('output: a function gets what the workers write, by stream and worker', async () => {
  const said: Record<string, string> = {};
  const dispatcher = create({
    output: (chunk, { stream, workerId }) => {
      said[`${stream} ${workerId}`] = (said[`${stream} ${workerId}`] ?? '') + String(chunk);
    },
  });
  await dispatcher.run('say', 'héllo\n');
  await dispatcher.close();
  expect(said).toEqual({ 'stdout 1': 'héllo\n', 'stderr 1': 'héllo\n' });
});

test('output: ignore drops it', async () => {
  const outputs = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write'));
  onTestFinished(() => void vi.restoreAllMocks());
  const dispatcher = create({ output: 'ignore' });
  await dispatcher.run('say', 'not to be seen');
  await dispatcher.close();
  const seen = outputs.flatMap(({ mock }) => mock.calls.map(([chunk]) => String(chunk)));
  expect(seen.filter((chunk) => chunk.includes('not to be seen'))).toEqual([]);
});

test('output: a worker that writes 16 MB waits while its reader does: no more than a chunk is on our side', async () => {
  let bytes = 0;
  let held = 0;
  let most = 0;
  const dispatcher = create({
    output: async (chunk) => {
      bytes += chunk.length;
      held += 1;
      most = Math.max(most, held);
      await setImmediate();
      held -= 1;
    },
  });
  await dispatcher.run('flood', 256);
  await dispatcher.close();
  expect([bytes, most]).toEqual([256 * 64 * 1024, 1]);
});

testGroupSignals(['SIGTERM']);
