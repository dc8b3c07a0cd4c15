import { expect, test, vi } from 'vitest';
import { create, makePipe, onUnix } from '../native-code.ts';

test('with 16 threads in native code no other is started, until one of them has returned', {
  ...onUnix,
  timeout: 120_000,
}, async () => {
  const { path, release } = makePipe();
  const dispatcher = create({ abortGraceMs: 0, restart: { maxFailures: 0, backoffMs: [10, 50] } });
  for (let thread = 0; thread < 16; thread += 1) {
    const stuck = dispatcher.run('readPipe', path, { runTimeoutMs: 1 });
    await expect(stuck).rejects.toMatchObject({ code: 'ERR_RUN_TIMEOUT' });
    await vi.waitFor(() => expect(dispatcher.stats().killed).toBe(thread + 1), 60_000);
  }
  await expect(dispatcher.run('echo', 1)).rejects.toMatchObject({
    code: 'ERR_CIRCUIT_OPEN',
    cause: {
      message:
        'Cannot start thread: 16 ended threads are still in native code; limit the native calls of the tasks, or run them by dispatch-fork',
    },
  });
  await release();
  await vi.waitFor(async () => expect(await dispatcher.run('echo', 2)).toBe(2), 60_000);
  await dispatcher.close();
});

test(
  'calls that a thread in native code has not begun run elsewhere, each once',
  onUnix,
  async () => {
    const { path } = makePipe();
    const dispatcher = create({ window: 8, abortGraceMs: 10 });
    await dispatcher.ready();
    const stuck = dispatcher.run('readPipe', path, { runTimeoutMs: 50 });
    const behind = [1, 2, 3].map((value) => dispatcher.run('echo', value));
    await expect(stuck).rejects.toMatchObject({ code: 'ERR_RUN_TIMEOUT' });
    expect(await Promise.all(behind)).toEqual([1, 2, 3]);
    expect(dispatcher.stats()).toMatchObject({ completed: 3, retried: 0 });
    await dispatcher.close();
  },
);
