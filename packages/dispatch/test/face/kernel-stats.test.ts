import { expect, test } from 'vitest';
import { checkPoolsAfterEach, createPool, turn } from '../kernel-fixture.ts';

checkPoolsAfterEach();

const none = { count: 0, mean: 0, p50: 0, p90: 0, p99: 0, max: 0 };
const leMs = [5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000];
const empty = { leMs, counts: new Array(15).fill(0), sumMs: 0 };

test('stats() adds up', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({ window: 2, maxQueue: 2 });
  expect(dispatcher.stats()).toEqual({
    name: 'fake',
    kind: 'fake',
    state: 'starting',
    queued: 0,
    running: 0,
    expectedWaitMs: undefined,
    asked: 0,
    completed: 0,
    failed: 0,
    aborted: 0,
    rejected: 0,
    refused: 0,
    retried: 0,
    moved: 0,
    returned: 0,
    lost: 0,
    killed: 0,
    recycled: 0,
    idled: 0,
    spawned: 1,
    circuit: 'closed',
    workers: [
      {
        workerId: 1,
        slot: 0,
        pid: 9001,
        state: 'starting',
        inFlight: 0,
        window: 2,
        done: 0,
        ageMs: 0,
        threadId: undefined,
        utilisation: undefined,
        memoryBytes: undefined,
        heapBytes: undefined,
        report: undefined,
        moduleReport: undefined,
      },
    ],
    histograms: { wait: none, run: none, transport: none },
    buckets: { wait: empty, run: empty, transport: empty },
  });
  await ready();
  const controller = new AbortController();
  run(0);
  run(1);
  run(2, { signal: controller.signal });
  run(3);
  run(4);
  clock.advance(40);
  expect(dispatcher.stats()).toMatchObject({ asked: 5, running: 2, queued: 2, rejected: 1 });
  await turn();
  controller.abort();
  transport.at(0).answer(1, 'ok', 30);
  transport.at(0).fail(2, 'no', 10);
  transport.at(0).answer(3, 'ok', 0);
  const stats = dispatcher.stats();
  expect(stats).toMatchObject({ asked: 5, completed: 2, failed: 1, aborted: 1, rejected: 1 });
  expect(stats.workers[0]).toMatchObject({ done: 3, ageMs: 40, inFlight: 0 });
  expect(stats.histograms.wait).toMatchObject({ count: 3, max: 40 });
  expect(stats.histograms.run).toMatchObject({ count: 3, max: 30, mean: 40 / 3 });
  expect(stats.histograms.transport).toMatchObject({ count: 3, max: 30, mean: 40 / 3 });
});

test('stats() has the times by bucket, and JSON keeps all of it', async () => {
  const { run, ready, transport, dispatcher } = createPool({ window: 8, max: 1 });
  await ready();
  for (const runMs of [1, 6, 20_000]) run(runMs);
  await turn();
  [1, 6, 20_000].forEach((runMs, index) => {
    transport.at(0).answer(index + 1, 'ok', runMs);
  });
  const { buckets } = dispatcher.stats();
  expect(buckets.run).toEqual({
    ...empty,
    counts: [1, 1, ...new Array(12).fill(0), 1],
    sumMs: 20_007,
  });
  expect(buckets.wait).toEqual({ ...empty, counts: [3, ...new Array(14).fill(0)] });
  const stats = dispatcher.stats();
  expect(JSON.stringify(stats)).not.toContain('null');
  expect(stats).toEqual(JSON.parse(JSON.stringify(stats)));
});

test('utilisation is the share of the last load frame; without calls the time since then counts as idle', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool();
  const utilisation = () => dispatcher.stats().workers[0]?.utilisation;
  await ready();
  expect(utilisation()).toBeUndefined();
  run(1);
  await turn();
  const load = { kind: 'load', memoryBytes: undefined } as const;
  transport.at(0).emit({ ...load, elapsedMs: 40, activeMs: 30 });
  clock.advance(1000);
  expect(utilisation()).toBe(0.75);
  transport.at(0).answer(1);
  expect(utilisation()).toBeCloseTo(30 / 1040);
  transport.at(0).emit({ ...load, elapsedMs: 20, activeMs: 20.1 });
  expect(utilisation()).toBe(1);
  transport.at(0).emit({ ...load, elapsedMs: 0, activeMs: 0 });
  expect(utilisation()).toBe(0);
});

test('the latest report of a module is in the row of its worker', async () => {
  const { ready, transport, dispatcher } = createPool();
  await ready();
  transport.at(0).emit({ kind: 'module-report', data: { sent: 1 } });
  transport.at(0).emit({ kind: 'module-report', data: { sent: 2 } });
  expect(dispatcher.stats().workers[0]).toMatchObject({ moduleReport: { sent: 2 }, done: 0 });
});

test('stats() shows a worker that is being killed as one that stops', async () => {
  const { dispatcher, transport, clock } = createPool();
  clock.advance(30_000);
  expect(transport.at(0).kills).toBe(1);
  expect(dispatcher.stats().workers).toMatchObject([{ state: 'stopping' }]);
  transport.at(0).exit();
  await turn();
});
