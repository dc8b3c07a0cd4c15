import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { turns } from '@ticketing/test-kit';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { loadReaders } from '../src/intake/head-sniffer.ts';
import { PassthruIntake } from '../src/intake/passthru-intake.ts';
import { resolveRouterOptions } from '../src/options/router-options.ts';
import { decide } from '../src/placing/decide.ts';
import type { WorkerQueue } from '../src/placing/worker-queue.ts';
import type { Workers } from '../src/placing/workers.ts';
import { CLAIM_TERMS, type ClaimTerms, decodeTerms, MarkWriter } from '../src/wire/claim-marks.ts';
import { ask } from './clients.ts';

const MAX_WAIT_MS = 400;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Turns of the event loop until something holds: the time is the test's. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turns(1);
}

/** An intake with one worker, if it is ready: a server of this process that answers when the test does. */
async function openIntake({ isReady }: { readonly isReady: boolean }) {
  const folder = mkdtempSync(join(tmpdir(), 'intake-'));
  const socketPath = join(folder, '1');
  const asked: { readonly request: IncomingMessage; readonly response: ServerResponse }[] = [];
  const worker = createServer((request, response) => asked.push({ request, response }));
  worker.listen(socketPath);
  await once(worker, 'listening');
  const queue = {
    state: 'ready',
    isFree: true,
    load: 0,
    proxied: 0,
    socketPath,
    worker: { slot: '0', pid: 1 },
    beginRequest(this: { proxied: number }) {
      this.proxied += 1;
    },
    endRequest(this: { proxied: number }) {
      this.proxied -= 1;
    },
  } as unknown as WorkerQueue;
  const suspected: WorkerQueue[] = [];
  const workers = {
    ready: isReady ? [queue] : [],
    queues: [queue],
    takeBack: () => {},
    sources: { knowsSlot: () => true, haveFailed: () => false },
    suspect: (late: WorkerQueue) => suspected.push(late),
  } as unknown as Workers;
  const refused: string[] = [];
  const options = resolveRouterOptions({
    workers: { subscribe: () => () => {} },
    mode: 'passthru',
    limits: { maxWaitMs: MAX_WAIT_MS },
  });
  const intake = new PassthruIntake(
    {
      options,
      workers,
      count: () => {},
      emit: () => {},
      decide: (head) => decide(options.route, head),
      handedOver: () => {},
      refused: (status, reason) => refused.push(`${status} ${reason}`),
    },
    await loadReaders(options),
  );
  intake.server.listen(0, '127.0.0.1');
  await once(intake.server, 'listening');
  onTestFinished(() => {
    intake.server.close();
    intake.destroy();
    worker.close().closeAllConnections();
    rmSync(folder, { recursive: true });
  });
  const { port } = intake.server.address() as AddressInfo;
  return { port, intake, asked, refused, suspected, queue, marks: new MarkWriter(socketPath) };
}

test('maxWaitMs: a request without a ready worker gets 503 when its time is over, and not before', async () => {
  const { port, intake, refused } = await openIntake({ isReady: false });
  const answer = ask(port);
  await until(() => intake.stats().waiting === 1);
  vi.advanceTimersByTime(MAX_WAIT_MS - 1);
  await turns();
  expect([intake.stats().waiting, refused]).toEqual([1, []]);
  vi.advanceTimersByTime(1);
  expect((await answer).status).toBe(503);
  expect([intake.stats().waiting, refused]).toEqual([0, ['503 worker-timeout']]);
});

test('maxWaitMs: a request that its worker has not claimed gets 503 when its time is over, and the worker is suspected', async () => {
  const { port, asked, refused, suspected, queue } = await openIntake({ isReady: true });
  const answer = ask(port);
  await until(() => asked.length === 1);
  vi.advanceTimersByTime(MAX_WAIT_MS - 1);
  await turns();
  expect([refused, suspected]).toEqual([[], []]);
  vi.advanceTimersByTime(1);
  expect((await answer).status).toBe(503);
  expect([refused, suspected, queue.proxied]).toEqual([['503 worker-timeout'], [queue], 0]);
});

test('maxWaitMs: a request that its worker has claimed is answered, however late', async () => {
  const { port, asked, refused, suspected, marks } = await openIntake({ isReady: true });
  const answer = ask(port);
  await until(() => asked.length === 1);
  const [first] = asked;
  marks.write(decodeTerms(first?.request.headers[CLAIM_TERMS]) as ClaimTerms);
  vi.advanceTimersByTime(100 * MAX_WAIT_MS);
  await turns();
  first?.response.end('late');
  expect(await answer).toMatchObject({ status: 200, text: 'late' });
  expect([refused, suspected]).toEqual([[], []]);
  marks.close();
});
