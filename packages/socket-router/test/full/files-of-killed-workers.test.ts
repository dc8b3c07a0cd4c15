import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canTakeDescriptors, lives, takeDescriptors, until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { askWorker, oneConnection } from '../clients.ts';
import { byKey, keyed, keys } from '../keyed-workers.ts';
import { openRouter } from '../router-fixture.ts';
import { socketFolders } from '../socket-folders.ts';

/** Numbers of the unix sockets that the folder of the router has files of. */
function socketsWithFiles(): string[] {
  const [folder = ''] = socketFolders();
  const files = readdirSync(join(tmpdir(), folder));
  return [...new Set(files.map((file) => file.split('.')[0] ?? ''))].toSorted();
}

function filesOf(pid: number): string[] {
  const [folder = ''] = socketFolders();
  return readdirSync(join(tmpdir(), folder)).filter((file) => file.endsWith(`.taken.${pid}`));
}

test('in mode `passthru` a worker that is killed leaves no unix socket to a router that goes on', async () => {
  const { port, pids, router } = await openRouter({ mode: 'passthru', own: true, count: 2 });
  for (let round = 1; round <= 3; round += 1) {
    const { pid } = await askWorker(port);
    process.kill(pid, 'SIGKILL');
    await until(() => !pids().includes(pid) && bothAreReady(router.stats().workers));
    await until(() => socketsWithFiles().length === 2, 'the files of living workers alone');
    expect(socketsWithFiles()).toContain(String(2 + round));
  }
});

test('a worker that is killed leaves neither its marks for requests that it forwarded, nor those for requests to it', async () => {
  const { port, pids, router } = await openRouter({
    ...byKey,
    own: true,
    laterRequests: 'forward',
  });
  const [, first = 0] = pids();
  const agent = oneConnection();
  await askWorker(port, { agent, ...keyed(keys[1] ?? '') });
  await askWorker(port, { agent, ...keyed(keys[0] ?? '') });
  expect(filesOf(first)).toHaveLength(1);
  process.kill(first, 'SIGKILL');
  await until(() => !pids().includes(first) && bothAreReady(router.stats().workers));
  await until(() => filesOf(first).length === 0, 'the end of its marks');
  await until(() => socketsWithFiles().length === 3, 'the files of living workers alone');
  agent.destroy();
});

test.skipIf(!canTakeDescriptors)(
  'a worker that is killed while its router has no descriptors leaves nothing once there are some',
  async () => {
    const { port, pids, router } = await openRouter({ mode: 'passthru', own: true, count: 2 });
    const { pid } = await askWorker(port);
    const giveBack = takeDescriptors();
    process.kill(pid, 'SIGKILL');
    await until(() => !lives(pid)).finally(giveBack);
    await until(() => !pids().includes(pid) && bothAreReady(router.stats().workers));
    expect(socketsWithFiles()).toHaveLength(2);
    expect((await askWorker(port)).pid).not.toBe(pid);
  },
);

function bothAreReady(workers: readonly { readonly state: string }[]): boolean {
  return workers.length > 1 && workers.every(({ state }) => state === 'ready');
}
