import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  avoid,
  beginWait,
  finish,
  holdRequest,
  lose,
  type PendingRequest,
  type ProxyTarget,
  send,
  wait,
} from '../src/intake/pending-request.ts';
import type { WorkerQueue } from '../src/placing/worker-queue.ts';
import { UNLIMITED } from '../src/wire/claim-marks.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const TARGET = {} as ProxyTarget;

function pendingRequest(proxy: () => () => void = () => () => {}): PendingRequest {
  const request = {} as IncomingMessage;
  return holdRequest({ request, remoteAddress: undefined, answer: () => {}, proxy });
}

test('a pending request is in the list while it waits, and out of it for good once it is finished', () => {
  const step = fc.constantFrom('wait', 'send', 'finish');
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const waiters = new Set<PendingRequest>();
      const pending = pendingRequest();
      let kind = 'received';
      for (const step of steps) {
        if (step === 'wait') wait(pending, waiters);
        else if (step === 'send') send(pending, UNLIMITED, TARGET);
        else finish(pending);
        if (kind !== 'over')
          kind = { wait: 'waiting', send: 'sent', finish: 'over' }[step] as string;
        expect([pending.stage.kind, waiters.has(pending)]).toEqual([kind, kind === 'waiting']);
      }
    }),
  );
});

test('a request that ends while it is sent keeps its stage', () => {
  const waiters = new Set<PendingRequest>();
  const takeBack = vi.fn();
  const pending = pendingRequest(() => {
    wait(pending, waiters);
    return takeBack;
  });
  send(pending, UNLIMITED, TARGET);
  expect(pending.stage).toEqual({ kind: 'waiting', waiters });
  const other = pendingRequest(() => takeBack);
  send(other, UNLIMITED, TARGET);
  expect(other.stage).toEqual({ kind: 'sent', claim: UNLIMITED, takeBack });
});

test('the wait for a worker has one limit, which restarts when a worker is lost and ends with the request', () => {
  const pending = pendingRequest();
  const expired: string[] = [];
  beginWait(pending, 100, () => expired.push('first'));
  const { waitsFrom } = pending;
  vi.advanceTimersByTime(60);
  beginWait(pending, 100, () => expired.push('second'));
  expect(pending.waitsFrom - waitsFrom).toBeCloseTo(60, 3);
  vi.advanceTimersByTime(99);
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(expired).toEqual(['second']);
  beginWait(pending, 100, () => expired.push('third'));
  finish(pending);
  expect(vi.getTimerCount()).toBe(0);
});

test('a request avoids workers that could not be reached, and workers whose connection broke, which are counted', () => {
  const [one, other] = [{}, {}] as [WorkerQueue, WorkerQueue];
  const pending = pendingRequest();
  avoid(pending, one);
  expect([[...pending.avoid], pending.lost]).toEqual([[one], 0]);
  lose(pending, other);
  expect([[...pending.avoid], pending.lost]).toEqual([[one, other], 1]);
});
