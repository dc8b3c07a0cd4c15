import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import {
  decodeTerms,
  encodeTerms,
  MarkWriter,
  TakenMarks,
  type TakeTerms,
} from '../src/wire/taken-marks.ts';
import { type Ask, ask, askWorker, oneConnection } from './clients.ts';
import { byKey, keyed, keys } from './keyed-workers.ts';
import { openJournal, openRouter } from './router-fixture.ts';
import { socketFolders } from './socket-folders.ts';

/** Asks until a worker answers: on a busy machine it may not take a request in time. */
function answered(port: number, pid: number, options: Ask): Promise<void> {
  return until(async () => (await ask(port, options)).text.includes(`"pid":${pid},`));
}

/** A router whose worker 1 has a connection, and forwards to worker 0, which is stopped. */
async function openWithStopped() {
  const journal = openJournal();
  const opened = await openRouter({
    ...byKey,
    own: true,
    env: { ...byKey.env, JOURNAL: journal.path },
    laterRequests: 'forward',
    limits: { maxWaitMs: 300 },
  });
  const [stopped = 0, first = 0] = opened.pids();
  const agent = oneConnection();
  await answered(opened.port, first, { agent, ...keyed(keys[1] ?? '') });
  process.kill(stopped, 'SIGSTOP');
  const runs = (path: string) => journal.requests().filter(({ url }) => url === path);
  return { ...opened, runs, agent, stopped, first };
}

test('a forwarded request that a stopped worker does not take in time is answered by the worker that has its connection, and runs once', async () => {
  const { port, agent, stopped, first, runs } = await openWithStopped();
  const wanted = { agent, ...keyed(keys[0] ?? '') };
  expect((await askWorker(port, { path: '/get', ...wanted })).pid).toBe(first);
  process.kill(stopped, 'SIGCONT');
  // It has read what came too late before it takes what comes now.
  await answered(port, stopped, { path: '/later', ...wanted });
  expect(runs('/get')).toEqual([{ pid: first, url: '/get' }]);
  agent.destroy();
});

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

test('a mark for another worker is in a file of its own, and a router’s is not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'marks-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, '1');
  const [ofRouter, ofWorker] = [new TakenMarks(path), new TakenMarks(path, 77)];
  const writer = new MarkWriter(path);
  const terms = [ofRouter.reserve(5), ofWorker.reserve(5)] as const;
  const crossed = decodeTerms(encodeTerms(terms[1]));
  expect(crossed).toEqual({ ...terms[0], from: 77 });
  writer.write(crossed as TakeTerms);
  expect([ofRouter.has(terms[0]), ofWorker.has(terms[1])]).toEqual([false, true]);
  expect([decodeTerms('1 2 3 x'), decodeTerms('1 2 3 -7')]).toEqual([undefined, undefined]);
  // The worker that took them removes what others have left.
  writer.close();
  expect(readdirSync(folder)).toEqual([]);
  ofRouter.close();
  ofWorker.close();
});

test('the marks of a worker that was killed are gone with those that it forwarded to', async () => {
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
