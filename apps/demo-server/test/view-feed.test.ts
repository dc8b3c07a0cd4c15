import { channel } from 'node:diagnostics_channel';
import { BatchingError } from '@ticketing/batching';
import { DispatchError } from '@ticketing/dispatch';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepEvents, mergeEvents } from '../src/operator/event-log.ts';
import { createViewFeed } from '../src/operator/view-feed.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const refuse = (error: unknown): never => {
  throw error;
};

/** A feed whose views are numbers. */
function numbered() {
  let asked = 0;
  let isDraining = false;
  const feed = createViewFeed(async () => (asked += 1), {
    isDraining: () => isDraining,
    onFault: refuse,
  });
  return {
    feed,
    asked: () => asked,
    drain() {
      isDraining = true;
    },
  };
}

test('nobody looks: nothing is asked; all who look share one question a second', async () => {
  const { feed, asked } = numbered();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked()).toBe(0);
  const viewers = [feed.follow(), feed.follow(), feed.follow()];
  expect(await Promise.all(viewers.map((viewer) => viewer.next()))).toEqual(
    viewers.map(() => ({ done: false, value: '1' })),
  );
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked()).toBeGreaterThanOrEqual(5);
  expect(asked()).toBeLessThanOrEqual(6);
  for (const viewer of viewers) await viewer.return?.();
  const before = asked();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked()).toBe(before);
  expect(vi.getTimerCount()).toBe(0);
});

test('a viewer that comes later gets the latest view at once; one that is slow skips views', async () => {
  const { feed, asked } = numbered();
  const slow = feed.follow();
  await slow.next();
  await vi.advanceTimersByTimeAsync(7000);
  expect(await slow.next()).toEqual({ done: false, value: String(asked()) });
  const before = asked();
  const late = feed.follow();
  expect(await late.next()).toEqual({ done: false, value: String(before) });
  expect(asked()).toBe(before);
  // Neither is given the same view again.
  const again = Promise.all([slow.next(), late.next()]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(await again).toEqual([1, 2].map(() => ({ done: false, value: String(before + 1) })));
});

test('the feed ends for each viewer when the server drains, and takes none after that', async () => {
  const { feed, drain } = numbered();
  const viewers = [feed.follow(), feed.follow()];
  await Promise.all(viewers.map((viewer) => viewer.next()));
  const ends = Promise.all(viewers.map((viewer) => viewer.next()));
  drain();
  await vi.advanceTimersByTimeAsync(200);
  expect(await ends).toEqual(viewers.map(() => ({ done: true, value: undefined })));
  expect(vi.getTimerCount()).toBe(0);
  expect(await feed.follow().next()).toEqual({ done: true, value: undefined });
});

const of = (name: string) => ({ data: { name } });

test.each([
  ['a primary that did not answer', new DispatchError('ERR_TIMEOUT', 'no answer', of('primary'))],
  ['a primary that is closing', new BatchingError('ERR_CLOSED', 'closed', of('overview'))],
  [
    'the same, as it crosses to another process',
    crossed(new BatchingError('ERR_CLOSED', 'closed', of('overview'))),
  ],
])('a question that fails for %s is followed by another', async (_, failure) => {
  let asked = 0;
  const ask = async () => {
    asked += 1;
    if (asked < 3) throw failure;
    return asked;
  };
  const viewer = createViewFeed(ask, { isDraining: () => false, onFault: refuse }).follow();
  const first = viewer.next();
  await vi.advanceTimersByTimeAsync(3000);
  expect(await first).toEqual({ done: false, value: '3' });
  await viewer.return?.();
});

test.each<[string, () => unknown]>([
  ['throws', () => refuse(new TypeError('cannot read properties of undefined'))],
  ['cannot be written', () => 1n],
])('a view that %s is reported as a fault, and viewers get the next', async (_, make) => {
  const faults: unknown[] = [];
  let asked = 0;
  const ask = async () => {
    asked += 1;
    return asked < 3 ? make() : asked;
  };
  const options = { isDraining: () => false, onFault: (error: unknown) => faults.push(error) };
  const viewer = createViewFeed(ask, options).follow();
  const first = viewer.next();
  await vi.advanceTimersByTimeAsync(3000);
  expect(await first).toEqual({ done: false, value: '3' });
  expect(faults.map((fault) => fault instanceof TypeError)).toEqual([true, true]);
  await viewer.return?.();
  expect(vi.getTimerCount()).toBe(0);
});

/** As an error of another process arrives. */
function crossed({ name, message, code, data }: BatchingError): Error {
  return Object.assign(new Error(message), { name, code, data });
}

test('the log keeps the last 50 events in words; a storm of equal ones is one line', () => {
  let now = 0;
  const log = keepEvents(() => now);
  const ready = channel('ticketing:dispatch:worker-ready');
  const refused = channel('ticketing:socket-router:refused');
  for (let pid = 1; pid <= 60; pid += 1) {
    now += 10;
    ready.publish({ name: 'serving', workerId: pid, pid });
  }
  ready.publish({ name: 'in-process', workerId: 1, pid: 1 });
  expect(log.list()).toHaveLength(50);
  expect(log.list()[0]?.text).toBe('Server process 11 is ready');
  for (let at = 0; at < 1000; at += 1) refused.publish({ status: 503, reason: 'no worker' });
  expect(log.list().at(-1)?.text).toBe('A connection was refused with 503: no worker (1000 times)');
  const exit = { name: 'fork', pid: 7, exitCode: undefined, signal: 'SIGKILL' };
  channel('ticketing:dispatch:worker-exit').publish(exit);
  expect(log.list().at(-1)).toEqual({
    ...{ at: 600, kind: 'worker-exit', process: '', text: 'Worker of fork 7 ended (SIGKILL)' },
  });
  log.close();
  expect([ready.hasSubscribers, refused.hasSubscribers]).toEqual([false, false]);
});

test('mergeEvents() sorts the events of all processes, and says whose they are', () => {
  const event = (at: number) => ({ at, kind: 'refused', process: '', text: '' }) as const;
  const merged = mergeEvents([
    { id: 'primary', events: [event(1), event(3)] },
    { id: 'server-0', events: [event(2)] },
  ]);
  expect(merged.map(({ at, process }) => [at, process])).toEqual([
    [1, 'primary'],
    [2, 'server-0'],
    [3, 'primary'],
  ]);
});
