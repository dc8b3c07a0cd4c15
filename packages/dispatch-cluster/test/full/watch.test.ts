import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { addressOf, checkClustersAfterEach, hideComplaints, start } from '../cluster-fixture.ts';

checkClustersAfterEach();
hideComplaints();
vi.setConfig({ testTimeout: 120_000 });

/** A program in a folder of its own, whose answer is in a file beside it. */
function programIn(name: string) {
  const folder = new URL(`.readme/watched-${name}/`, import.meta.url);
  const write = (file: string, text: string): void => writeFileSync(new URL(file, folder), text);
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  write('answer.mjs', `export const answer = 'first';`);
  write(
    'server.mjs',
    `import { clusterWorker } from '../../../../src/worker/cluster-worker.ts';
    import { answer } from './answer.mjs';
    clusterWorker({ server: (_, response) => response.end(answer), listen: { port: 0 } });`,
  );
  return { entry: new URL('server.mjs', folder), write, folder };
}

const ask = async (url: string): Promise<string> =>
  (await fetch(url, { headers: { connection: 'close' } })).text();

test('watch: a change reloads the workers, a broken file does not take them down, and its repair is served', async () => {
  const { entry, write, folder } = programIn('changed');
  const supervisor = start({ entry, watch: true });
  await supervisor.ready();
  const url = await addressOf(supervisor);
  expect(await ask(url)).toBe('first');

  const changed = once(supervisor.events, 'files-changed');
  const second = once(supervisor.events, 'worker-ready');
  write('answer.mjs', `export const answer = 'second';`);
  expect(await changed).toEqual([{ paths: [fileURLToPath(new URL('answer.mjs', folder))] }]);
  const [{ pid }] = await second;
  await vi.waitFor(async () => expect(await ask(url)).toBe('second'), 60_000);

  const failed = once(supervisor.events, 'reload-failed');
  write('answer.mjs', 'export const answer = ;');
  const [{ error }] = await failed;
  expect(error).toMatchObject({ code: 'ERR_WORKER_LOST' });
  expect(await ask(url)).toBe('second');
  expect(supervisor.workers.find(({ state }) => state === 'ready')).toMatchObject({ pid });

  const third = once(supervisor.events, 'worker-ready');
  write('answer.mjs', `export const answer = 'third';`);
  await third;
  await vi.waitFor(async () => expect(await ask(url)).toBe('third'), 60_000);
});

test('watch: a program that could not start is started by its repair', async () => {
  const { entry, write } = programIn('repaired');
  write('answer.mjs', 'export const answer = ;');
  const supervisor = start({ entry, watch: true, restart: { maxFailures: 0 } });
  await expect(supervisor.ready()).rejects.toMatchObject({ code: 'ERR_CIRCUIT_OPEN' });
  const ready = once(supervisor.events, 'worker-ready');
  write('answer.mjs', `export const answer = 'repaired';`);
  await ready;
  expect(await ask(await addressOf(supervisor))).toBe('repaired');
});

test('watch: after close() a change starts nothing', async () => {
  const { entry, write, folder } = programIn('closed');
  const supervisor = start({ entry, watch: [folder] });
  await supervisor.ready();
  const changed = vi.fn();
  supervisor.events.on('files-changed', changed);
  write('answer.mjs', `export const answer = 'late';`);
  await supervisor.close();
  expect(supervisor.stats().dispatcher.spawned).toBe(1);
  expect(changed).not.toHaveBeenCalled();
});
