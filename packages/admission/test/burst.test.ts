import { createServer } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { admitRequests } from '../src/http/index.ts';
import { admissionFor, listen } from './serve-held.ts';

/** Requests that wait for another server. */
const createWaiting = () =>
  createServer(async (_request, response) => {
    await after(50);
    response.end('found');
  });

test('a burst of 100 different requests of 50 ms, which a plain server answers within 2 s, is admitted', {
  timeout: 90_000,
}, async () => {
  const burst = async (get: (path: string) => Promise<{ status: number | undefined }>) => {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => get(`/${index}`)));
    return answers.filter(({ status }) => status === 200).length;
  };
  const plain = await listen(createWaiting());
  expect(await burst(plain.get)).toBe(100);
  // Beside programs that keep the processors the event loop is late, and then some are refused, rightly: another attempt may get its turns.
  await vi.waitFor(
    async () => {
      const admission = admissionFor({ deadlineMs: 2000 });
      const server = createWaiting();
      admitRequests(server, { admission });
      const { get } = await listen(server);
      // Fresh, then warm.
      expect([await burst(get), await burst(get)]).toEqual([100, 100]);
      expect(admission.stats().refused).toEqual({ busy: 0, late: 0 });
    },
    { timeout: 60_000, interval: 100 },
  );
});
