import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { ask, askWorker, oneConnection } from '../clients.ts';
import { byKey, keyed, keys } from '../keyed-workers.ts';
import { nextEvent, openRouter } from '../router-fixture.ts';

test('laterRequests forward: another worker answers for one that has ended', async () => {
  const { port, pids, router } = await openRouter({
    ...byKey,
    own: true,
    laterRequests: 'forward',
  });
  const agent = oneConnection();
  expect((await askWorker(port, { agent, ...keyed(keys[0] ?? '') })).pid).toBe(pids()[0]);
  expect((await askWorker(port, { agent, ...keyed(keys[1] ?? '') })).pid).toBe(pids()[1]);
  const down = nextEvent(router, 'worker-down');
  const [, lost = 0] = pids();
  process.kill(lost, 'SIGKILL');
  await down;
  const reply = await askWorker(port, { agent, ...keyed(keys[1] ?? '') });
  expect(reply.pid).not.toBe(lost);
  agent.destroy();
});

test('laterRequests forward: a worker that leaves forwards one more request, whose answer closes the connection', async () => {
  const env = { ...byKey.env, LAME_DUCK_MS: '1000' };
  const { port, pids, router } = await openRouter({
    ...byKey,
    own: true,
    env,
    laterRequests: 'forward',
  });
  const agent = oneConnection();
  const [leaving = 0, other] = pids();
  expect((await askWorker(port, { agent, ...keyed(keys[0] ?? '') })).pid).toBe(leaving);
  process.kill(leaving, 'SIGUSR2');
  await until(() => router.stats().workers.some(({ state }) => state === 'retired'));
  const { headers, text } = await ask(port, { agent, ...keyed(keys[1] ?? '') });
  expect(headers.connection).toBe('close');
  expect(JSON.parse(text).pid).toBe(other);
  agent.destroy();
});
