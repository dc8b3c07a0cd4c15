import { expect, test } from 'vitest';
import { checkPoolsAfterEach, createPool, turn } from './kernel-fixture.ts';

checkPoolsAfterEach();

const none = { count: 0, mean: 0, p50: 0, p90: 0, p99: 0, max: 0 };

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
        memoryBytes: undefined,
        report: undefined,
      },
    ],
    histograms: { wait: none, run: none, transport: none },
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
