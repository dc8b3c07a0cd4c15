import { expect, test, vi } from 'vitest';
import { createPiscinaDispatcher } from '../../src/index.ts';
import type { Tasks } from '../fixtures/tasks.ts';
import { makePipe } from '../native-code.ts';

test('with 16 threads in native code no other is started, until one of them has returned', {
  skip: process.platform === 'win32',
  timeout: 120_000,
}, async () => {
  const { path, release } = makePipe();
  const dispatcher = createPiscinaDispatcher<Tasks>(
    new URL('../fixtures/tasks.ts', import.meta.url),
    {
      max: 1,
      execArgv: ['--conditions=@ticketing/source'],
      abortGraceMs: 0,
      restart: { maxFailures: 0, backoffMs: [10, 50] },
    },
  );
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
