import { afterEach, expect, test } from 'vitest';
import { create, makePipe, onUnix } from './native-code.ts';

const threads = () => process.getActiveResourcesInfo().filter((name) => name === 'Worker').length;

// A thread that was left behind must not keep the process alive.
afterEach(() => expect(threads()).toBe(0));

test(
  'a thread in native code has a successor while it is there, and close() does not wait for it',
  onUnix,
  async () => {
    const { path, release } = makePipe();
    const dispatcher = create({ abortGraceMs: 10 });
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
  },
);
