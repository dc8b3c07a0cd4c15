import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { ask, askWorker, oneConnection } from '../clients.ts';
import { answered, openWithStopped } from '../forwarding-to-stopped.ts';
import { byKey, keyed, keys } from '../keyed-workers.ts';
import { openRouter } from '../router-fixture.ts';
import { socketFolders } from '../socket-folders.ts';

test('a forwarded request with a body that a stopped worker does not take in time is 503, and runs nowhere', async () => {
  const { port, agent, first, stopped, runs } = await openWithStopped();
  const wanted = { method: 'POST', body: Buffer.from('body'), ...keyed(keys[0] ?? '') };
  expect((await ask(port, { agent, path: '/post', ...wanted })).status).toBe(503);
  process.kill(stopped, 'SIGCONT');
  await answered(port, first, { agent, ...keyed(keys[1] ?? '') });
  await answered(port, stopped, { agent, path: '/later', ...wanted });
  expect(runs('/post')).toEqual([]);
  agent.destroy();
});

test('close() removes the marks of a killed worker and of workers that forwarded to it', async () => {
  const { port, pids, router } = await openRouter({
    ...byKey,
    own: true,
    laterRequests: 'forward',
  });
  const [taker, first = 0] = pids();
  const agent = oneConnection();
  await askWorker(port, { agent, ...keyed(keys[1] ?? '') });
  expect((await askWorker(port, { agent, ...keyed(keys[0] ?? '') })).pid).toBe(taker);
  const [folder = ''] = socketFolders();
  const marks = () => readdirSync(join(tmpdir(), folder)).filter((name) => /\.taken/.test(name));
  expect(marks()).toEqual([expect.stringMatching(new RegExp(`\\.taken\\.${first}$`))]);
  process.kill(first, 'SIGKILL');
  await until(() =>
    router.stats().workers.every(({ pid, state }) => pid !== first && state === 'ready'),
  );
  await router.close({ graceMs: 2000, lameDuckMs: 0 });
  expect(socketFolders()).toEqual([]);
  agent.destroy();
});
