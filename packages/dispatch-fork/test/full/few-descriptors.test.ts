import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { canTakeDescriptors, takeDescriptors } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { create, endAfterEach } from '../fork-fixture.ts';

endAfterEach();

test.skipIf(!canTakeDescriptors)(
  'a worker that ends while there are no descriptors is replaced once there are some',
  async () => {
    const dispatcher = create({ restart: { backoffMs: [20, 20], maxFailures: 1000 } });
    const pid = await dispatcher.run('pid', undefined);
    const ends: number[] = [];
    const ended = Promise.withResolvers<void>();
    const onExit = (message: unknown): void => {
      ends.push((message as { workerId: number }).workerId);
      // The first is the killed one; one more could not be started.
      if (ends.length === 3) ended.resolve();
    };
    subscribe('ticketing:dispatch:worker-exit', onExit);
    onTestFinished(() => void unsubscribe('ticketing:dispatch:worker-exit', onExit));
    const giveBack = takeDescriptors();
    process.kill(pid, 'SIGKILL');
    await ended.promise.finally(giveBack);
    expect(await dispatcher.run('pid', undefined)).not.toBe(pid);
    expect(dispatcher.stats()).toMatchObject({ lost: 1, state: 'ready' });
  },
);
