import { createServer } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { admitRequests } from '../src/http/index.ts';
import { admissionFor, listen } from './serve-held.ts';

/** Requests that wait for another server. */
const createWaiting = () =>
  createServer(async (_request, response) => {
    await after(50);
    response.end('found');
  });

test('a burst of 100 different requests of 50 ms, which a plain server answers in a small part of the deadline, is admitted', async () => {
  const burst = async (get: (path: string) => Promise<{ status: number | undefined }>) => {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => get(`/${index}`)));
    return answers.filter(({ status }) => status === 200).length;
  };
  const plain = await listen(createWaiting());
  const startedAt = performance.now();
  expect(await burst(plain.get)).toBe(100);
  // 2 s; more on a machine that is so slow or so busy that a plain server needs more than a tenth of it.
  const deadlineMs = Math.max(2000, 10 * (performance.now() - startedAt));
  const admission = admissionFor({ deadlineMs });
  const server = createWaiting();
  admitRequests(server, { admission });
  const { get } = await listen(server);
  // Fresh, then warm.
  expect([await burst(get), await burst(get)]).toEqual([100, 100]);
  expect(admission.stats().refused).toEqual({ busy: 0, late: 0 });
});
