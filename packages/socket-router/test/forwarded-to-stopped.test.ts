import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  ClaimMarks,
  type ClaimTerms,
  decodeTerms,
  encodeTerms,
  MarkWriter,
} from '../src/wire/claim-marks.ts';
import { askWorker } from './clients.ts';
import { answered, openWithStopped } from './forwarding-to-stopped.ts';
import { keyed, keys } from './keyed-workers.ts';

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

test('a mark for another worker has its own file; a mark for the router has not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'marks-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, '1');
  const [ofRouter, ofWorker] = [new ClaimMarks(path), new ClaimMarks(path, 77)];
  const writer = new MarkWriter(path);
  const terms = [ofRouter.reserve(5), ofWorker.reserve(5)] as const;
  const crossed = decodeTerms(encodeTerms(terms[1]));
  expect(crossed).toEqual({ ...terms[0], from: 77 });
  writer.write(crossed as ClaimTerms);
  expect([ofRouter.has(terms[0]), ofWorker.has(terms[1])]).toEqual([false, true]);
  expect([decodeTerms('1 2 3 x'), decodeTerms('1 2 3 -7')]).toEqual([undefined, undefined]);
  // The worker that took them removes what others have left.
  writer.close();
  expect(readdirSync(folder)).toEqual([]);
  ofRouter.close();
  ofWorker.close();
});
