import { afterEach, expect, test } from 'vitest';
import { createPiscinaDispatcher } from '../src/index.ts';
import type { Tasks } from './fixtures/tasks.ts';
import { makePipe } from './native-code.ts';

const module = new URL('fixtures/tasks.ts', import.meta.url);
const execArgv = ['--conditions=@ticketing/source'];
const isWindows = process.platform === 'win32';
const threads = () => process.getActiveResourcesInfo().filter((name) => name === 'Worker').length;

// A thread that was left must not keep the process.
afterEach(() => expect(threads()).toBe(0));

test('a thread in native code has a successor while it is there, and close() does not wait for it', {
  skip: isWindows,
}, async () => {
  const { path, release } = makePipe();
  const dispatcher = createPiscinaDispatcher<Tasks>(module, {
    max: 1,
    execArgv,
    abortGraceMs: 10,
  });
  const stuck = dispatcher.run('readPipe', path, { runTimeoutMs: 50 });
  await expect(stuck).rejects.toMatchObject({ code: 'ERR_RUN_TIMEOUT' });
  expect(await dispatcher.run('echo', 'next')).toBe('next');
  expect(dispatcher.stats()).toMatchObject({ killed: 1, spawned: 2, workers: [{ workerId: 2 }] });
  const again = dispatcher.run('readPipe', path).catch((error) => error);
  await dispatcher.close({ graceMs: 0 });
  expect(await again).toMatchObject({ code: 'ERR_CLOSED' });
  expect(dispatcher.stats().workers).toEqual([]);
  // Both threads were in the pipe until here.
  await release();
});

test('calls that a thread in native code has not begun run elsewhere, each once', {
  skip: isWindows,
}, async () => {
  const { path } = makePipe();
  const dispatcher = createPiscinaDispatcher<Tasks>(module, {
    max: 1,
    window: 8,
    execArgv,
    abortGraceMs: 10,
  });
  await dispatcher.ready();
  const stuck = dispatcher.run('readPipe', path, { runTimeoutMs: 50 });
  const behind = [1, 2, 3].map((value) => dispatcher.run('echo', value));
  await expect(stuck).rejects.toMatchObject({ code: 'ERR_RUN_TIMEOUT' });
  expect(await Promise.all(behind)).toEqual([1, 2, 3]);
  expect(dispatcher.stats()).toMatchObject({ completed: 3, retried: 0 });
  await dispatcher.close();
});
