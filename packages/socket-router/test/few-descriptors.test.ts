import { readdirSync } from 'node:fs';
import { canTakeDescriptors, takeDescriptors } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import type { RouterError } from '../src/errors.ts';
import { ForkedProcess } from '../src/source/forked-process.ts';

test.skipIf(!canTakeDescriptors)(
  'a worker for which there are no descriptors has ended, with an error that says so, and leaves none open',
  async () => {
    const before = readdirSync('/proc/self/fd').length;
    const giveBack = takeDescriptors();
    const module = new URL('workers/http-worker.mjs', import.meta.url);
    const options = { module, slot: '0', startTimeoutMs: 60_000 };
    let started: ForkedProcess | undefined;
    const ended = new Promise<RouterError | undefined>((resolve) => {
      started = new ForkedProcess(options, { served() {}, ended: resolve });
    });
    giveBack();
    expect(started?.worker).toBeUndefined();
    expect(await ended).toMatchObject({
      code: 'ERR_WORKER_LOST',
      message: expect.stringMatching(/^Cannot start a process: fewer than 16 file descriptors/),
      data: { slot: '0', pid: undefined },
    });
    await started?.stop(0);
    started?.leave();
    expect(readdirSync('/proc/self/fd')).toHaveLength(before);
  },
);
