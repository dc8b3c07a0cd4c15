import { expect, test } from 'vitest';
import { createSocketRouter } from '../src/index.ts';
import { openRouter } from './router-fixture.ts';

test('signals: a router listens to no signal without the option, nor after its end', async () => {
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  const listeners = () => signals.map((signal) => process.listenerCount(signal));
  const before = listeners();
  await openRouter({ count: 1 });
  expect(listeners()).toEqual(before);
  const { router } = await openRouter({ count: 1, signals: true });
  expect(listeners()).toEqual(before.map((count) => count + 1));
  await router.close();
  expect(listeners()).toEqual(before);
});

test('signals: SIGHUP reloads the sources that can be reloaded', async () => {
  let reloads = 0;
  const reloading = {
    subscribe: () => () => {},
    reload: async () => {
      reloads += 1;
      throw new Error('no');
    },
  };
  const router = createSocketRouter({ workers: reloading, signals: true });
  process.emit('SIGHUP');
  await router.close();
  expect(reloads).toBe(1);
});
