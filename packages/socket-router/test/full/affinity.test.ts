import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { homeSlot } from '../../src/worker/forwarding.ts';
import { ask, askWorker, oneConnection } from '../clients.ts';
import { nextEvent, openRouter } from '../router-fixture.ts';

const SLOTS = ['0', '1', '2'];
const byKey = {
  count: 3,
  env: { ROUTE: 'key' },
  route: ({ header }: { header?(name: string): string | undefined }) => ({
    key: header?.('x-key') ?? '',
  }),
};
const keyed = (key: string) => ({ headers: { 'x-key': key } });
const _TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
/** A key for each slot. */
const keys = SLOTS.map((slot) => {
  for (let index = 0; ; index++)
    if (homeSlot(`key-${index}`, SLOTS) === slot) return `key-${index}`;
});

test('affinity forward: another worker answers for one that is gone', async () => {
  const { port, pids, router } = await openRouter({ ...byKey, own: true, affinity: 'forward' });
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

test('affinity forward: a worker that leaves forwards one more request, and says that it is the last', async () => {
  const env = { ...byKey.env, LAME_DUCK_MS: '1000' };
  const { port, pids, router } = await openRouter({
    ...byKey,
    own: true,
    env,
    affinity: 'forward',
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
