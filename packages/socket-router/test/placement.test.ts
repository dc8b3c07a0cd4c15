import { afterEach, expect, test, vi } from 'vitest';
import {
  finish,
  type HeldConnection,
  queue as markQueued,
} from '../src/placing/held-connection.ts';
import { Placement } from '../src/placing/placement.ts';
import type { WorkerQueue } from '../src/placing/worker-queue.ts';
import type { Workers } from '../src/placing/workers.ts';
import { held } from './held.ts';

afterEach(() => void vi.useRealTimers());

interface FakeQueue {
  isFree: boolean;
  load: number;
  queued: number;
  firstWaitsSince: number | undefined;
  readonly taken: number[];
  enqueue(connection: HeldConnection): void;
}

function queue(load = 0): FakeQueue {
  const taken: number[] = [];
  return {
    isFree: true,
    load,
    queued: 0,
    firstWaitsSince: undefined,
    taken,
    enqueue(connection) {
      markQueued(connection, undefined);
      this.isFree = false;
      this.load += 1;
      taken.push(connection.id);
    },
  };
}

function placementOf(
  queues: readonly FakeQueue[],
  queuePerWorker = 1_000_000,
  maxWaitMs = 60_000,
  loadFactor = 1.25,
) {
  const refused: string[] = [];
  const workers = {
    ready: queues as readonly unknown[] as readonly WorkerQueue[],
    sources: { haveFailed: () => false },
  } as { ready: readonly WorkerQueue[] } & Workers;
  const refuse = (connection: HeldConnection, reason: string): void => {
    finish(connection);
    refused.push(reason);
  };
  const placement = new Placement(workers, {
    loadFactor,
    queuePerWorker,
    maxWaitMs,
    refuse,
  });
  return { placement, refused, workers };
}

test('each free worker gets one connection, the least loaded first; the next goes to the first free worker', () => {
  const queues = [queue(2), queue(0), queue(1)];
  const { placement } = placementOf(queues);
  for (let id = 1; id <= 5; id++) placement.place(held(id));
  expect(queues.map(({ taken }) => taken)).toEqual([[3], [1], [2]]);
  expect(placement.waiting).toBe(2);
  (queues[2] as FakeQueue).isFree = true;
  placement.serve();
  expect(queues[2]?.taken).toEqual([2, 4]);
});

test('a faster worker gets at most 1.25 times the mean', () => {
  const queues = [queue(100), queue(100)];
  const [fast, slow] = queues as [FakeQueue, FakeQueue];
  slow.isFree = false;
  const { placement } = placementOf(queues);
  for (let id = 1; id <= 200; id++) {
    placement.place(held(id));
    fast.isFree = true;
    placement.serve();
  }
  expect(fast.load / ((fast.load + slow.load) / 2)).toBeCloseTo(1.25, 1);
  slow.isFree = true;
  placement.serve();
  expect(slow.load).toBe(101);
});

test('100,000 waiting connections, of which half leave, are served in their order and in time', () => {
  const [only] = [queue()];
  const { placement } = placementOf([only]);
  const all = Array.from({ length: 100_000 }, (_, id) => held(id));
  for (const connection of all) placement.place(connection);
  for (const connection of all) if (connection.id % 2 === 1) finish(connection);
  expect(placement.waiting).toBe(49_999);
  while (placement.waiting > 0) {
    only.isFree = true;
    only.load = 0;
    placement.serve();
  }
  expect(only.taken).toEqual(all.filter(({ id }) => id % 2 === 0).map(({ id }) => id));
});

test('waiting connections are limited by the room; connections that have left no longer count', () => {
  const only = queue();
  const { placement, refused } = placementOf([only], 3);
  const all = [1, 2, 3, 4].map(held);
  for (const connection of all) placement.place(connection);
  expect(refused).toEqual(['queue-full']);
  finish(all[1] as HeldConnection);
  placement.place(held(5));
  expect([placement.waiting, refused.length]).toEqual([2, 1]);
  placement.retry();
  only.isFree = true;
  placement.serve();
  expect(only.taken).toEqual([1, 3]);
});

test('waiting connections are placed again when workers join, and then no longer wait', () => {
  const [first, second] = [queue(), queue()];
  first.isFree = false;
  second.isFree = false;
  const { placement } = placementOf([first, second]);
  for (const id of [1, 2, 3]) placement.place(held(id));
  second.isFree = true;
  placement.retry();
  expect([placement.waiting, second.taken]).toEqual([2, [1]]);
});

test('a connection that left the queue is skipped; one that arrives at an empty queue goes to a free worker at once', () => {
  const only = queue();
  only.isFree = false;
  const { placement } = placementOf([only]);
  const all = [1, 2, 3].map(held);
  for (const connection of all) placement.place(connection);
  finish(all[0] as HeldConnection);
  for (let turn = 0; turn < 2; turn++) {
    only.isFree = true;
    only.load = 0;
    placement.serve();
  }
  only.isFree = true;
  only.load = 0;
  placement.place(held(4));
  expect([only.taken, placement.waiting]).toEqual([[2, 3, 4], 0]);
});

test('a connection that five workers did not take is refused', () => {
  const only = queue();
  const { placement, refused } = placementOf([only]);
  placement.place({ ...held(1), attempts: 5 });
  expect([only.taken, refused]).toEqual([[], ['not-taken']]);
  placement.place({ ...held(2), attempts: 4 });
  expect([only.taken, refused.length]).toEqual([[2], 1]);
});

test('workers with equal loads take turns', () => {
  const queues = [queue(), queue(), queue()];
  const { placement } = placementOf(queues);
  for (let id = 1; id <= 6; id++) {
    placement.place(held(id));
    for (const one of queues) Object.assign(one, { isFree: true, load: 0 });
  }
  expect(queues.map(({ taken }) => taken.length)).toEqual([2, 2, 2]);
});

test('a free worker that has 1.25 times the mean waits for the others to catch up', () => {
  const [loaded, busy] = [queue(2), queue(0)];
  busy.isFree = false;
  const { placement } = placementOf([loaded, busy]);
  placement.place(held(1));
  expect([loaded.taken, busy.taken, placement.waiting]).toEqual([[], [], 1]);
  loaded.load = 1;
  placement.serve();
  expect(loaded.taken).toEqual([1]);
});

test('a queue whose first has waited for half of maxWaitMs takes no more; a connection that waited for all of it is refused', async () => {
  vi.useFakeTimers({ toFake: ['hrtime'] });
  const only = queue();
  only.isFree = false;
  const { placement, refused } = placementOf([only], 1000, 100);
  placement.place(held(1));
  vi.advanceTimersByTime(50);
  placement.place(held(2));
  expect(refused).toEqual([]);
  vi.advanceTimersByTime(1);
  placement.place(held(3));
  expect(refused).toEqual(['queue-slow']);
  // Those that wait are not asked again whether they may.
  placement.retry();
  expect([placement.waiting, refused.length]).toEqual([2, 1]);
  vi.advanceTimersByTime(50);
  only.isFree = true;
  placement.serve();
  expect([only.taken, refused]).toEqual([[2], ['queue-slow', 'queue-slow']]);
});

test('a connection that left no longer counts for how long the queue has waited', () => {
  vi.useFakeTimers({ toFake: ['hrtime'] });
  const only = queue();
  only.isFree = false;
  const { placement, refused } = placementOf([only], 1000, 100);
  const all = [1, 2, 3, 4].map(held);
  placement.place(all[0] as HeldConnection);
  vi.advanceTimersByTime(60);
  finish(all[0] as HeldConnection);
  for (const connection of all.slice(1)) placement.place(connection);
  expect([placement.waiting, refused]).toEqual([3, []]);
});

test('a queue is not slow for the time in which no worker was ready', () => {
  vi.useFakeTimers({ toFake: ['hrtime'] });
  const only = queue();
  const { placement, refused, workers } = placementOf([], 1000, 10_000);
  placement.place(held(1));
  vi.advanceTimersByTime(8000);
  placement.place(held(2));
  workers.ready = [only] as readonly unknown[] as readonly WorkerQueue[];
  placement.retry();
  expect([only.taken, placement.waiting, refused]).toEqual([[1], 1, []]);
  vi.advanceTimersByTime(100);
  only.isFree = true;
  placement.serve();
  expect(only.taken).toEqual([1, 2]);
});

test('a key goes to another worker while the queue of its own is slow; 503 when all queues are slow', () => {
  vi.useFakeTimers({ toFake: ['hrtime'] });
  const queues = [queue(), queue()];
  const { placement, refused } = placementOf(queues, 1000, 100);
  const keyed = (id: number): HeldConnection => ({
    ...held(id),
    choice: { kind: 'key', key: 'a' },
  });
  placement.place(keyed(1));
  const home = queues.find(({ taken }) => taken.length === 1) as FakeQueue;
  const other = queues.find((one) => one !== home) as FakeQueue;
  const [seconds, nanoseconds] = process.hrtime();
  home.firstWaitsSince = seconds * 1000 + nanoseconds / 1e6;
  vi.advanceTimersByTime(50);
  placement.place(keyed(2));
  expect(home.taken).toEqual([1, 2]);
  vi.advanceTimersByTime(1);
  placement.place(keyed(3));
  expect(other.taken).toEqual([3]);
  other.firstWaitsSince = home.firstWaitsSince;
  placement.place(keyed(4));
  expect(refused).toEqual(['queue-full']);
});

test('a key stays with its worker while its queue is full: 503, unless a load factor lets it go on', () => {
  const queues = [queue(), queue()];
  const { placement, refused } = placementOf(queues, 1, 60_000, Number.POSITIVE_INFINITY);
  const choice = { kind: 'key', key: 'a' } as const;
  placement.place({ ...held(1), choice });
  const home = queues.find(({ taken }) => taken.length === 1) as FakeQueue;
  home.queued = 1;
  placement.place({ ...held(2), choice });
  expect([queues.flatMap(({ taken }) => taken), refused]).toEqual([[1], ['queue-full']]);
});

test('a connection that left and returns waits behind the others', () => {
  const only = queue();
  only.isFree = false;
  const { placement } = placementOf([only]);
  const all = [1, 2, 3].map(held);
  for (const connection of all) placement.place(connection);
  markQueued(all[0] as HeldConnection, undefined);
  placement.place(all[0] as HeldConnection);
  while (placement.waiting > 0) {
    only.isFree = true;
    only.load = 0;
    placement.serve();
  }
  expect(only.taken).toEqual([2, 3, 1]);
});
