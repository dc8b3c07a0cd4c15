import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync } from 'node:fs';
import { canTakeDescriptors, takeDescriptors } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { create, endAfterEach } from '../fork-fixture.ts';

endAfterEach();

test.skipIf(!canTakeDescriptors)(
  'a worker that ends while there are no descriptors is replaced once there are some',
  async () => {
    const dispatcher = create({ restart: { backoffMs: [20, 20], maxFailures: 1000 } });
    const pid = await dispatcher.run('pid', undefined);
    let ends = 0;
    const ended = new Promise<void>((resolve) => {
      const onExit = (): void => {
        ends += 1;
        // The first is the killed one; two more could not be started.
        if (ends === 3) resolve();
      };
      subscribe('ticketing:dispatch:worker-exit', onExit);
      onTestFinished(() => void unsubscribe('ticketing:dispatch:worker-exit', onExit));
    });
    const openBefore = readdirSync('/proc/self/fd').length;
    const giveBack = takeDescriptors();
    process.kill(pid, 'SIGKILL');
    await ended.finally(giveBack);
    expect(await dispatcher.run('pid', undefined)).not.toBe(pid);
    expect(dispatcher.stats()).toMatchObject({ lost: 1, state: 'ready' });
    // The killed worker had as many as its successor has.
    expect(readdirSync('/proc/self/fd')).toHaveLength(openBefore);
  },
);

test.skipIf(!canTakeDescriptors)(
  'a start with too few descriptors leaves none open, however far it came',
  async () => {
    await create().run('pid', undefined);
    const before = readdirSync('/proc/self/fd').length;
    for (let left = 0; left <= 16; left += 1) {
      const giveBack = takeDescriptors(left);
      const dispatcher = create({ restart: { maxFailures: 0 } });
      giveBack();
      await dispatcher.ready().catch(() => {});
      await dispatcher.close();
      expect([left, readdirSync('/proc/self/fd').length]).toEqual([left, before]);
    }
  },
);
