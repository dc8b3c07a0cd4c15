import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { ask } from './clients.ts';
import { limits, stop, testStoppedWorkers } from './no-worker-takes-cases.ts';
import { openRouter } from './router-fixture.ts';

testStoppedWorkers('socket');

test('mode passthru: a worker that has let the time for a request pass gets no more while others serve', async () => {
  const { port, pids, router } = await openRouter({ mode: 'passthru', own: true, limits });
  const [first = 0, second = 0] = pids();
  await stop([first]);
  await until(async () => {
    await Promise.all([ask(port), ask(port)]);
    return router.stats().workers[0]?.state === 'stuck';
  });
  const { refused } = router.stats();
  for (let round = 0; round < 20; round += 1) {
    expect(JSON.parse((await ask(port)).text).pid).toBe(second);
  }
  expect(router.stats().refused).toBe(refused);
  process.kill(first, 'SIGCONT');
  await until(() => router.stats().workers[0]?.state === 'ready');
});
