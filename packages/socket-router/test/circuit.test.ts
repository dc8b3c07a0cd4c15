import { lives, until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { reasonIn } from '../src/source/forked-process.ts';
import { once, open, testFailedStart, testServerOfOtherKind } from './circuit-cases.ts';
import { ask } from './clients.ts';

test('a wrong path of workers: ready() rejects with the reason, and clients get 503 at once', async () => {
  const missing = new URL('workers/missing-worker.mjs', import.meta.url);
  const { router, port, circuits } = await open('', { restart: once.restart }, missing);
  const waits = ask(port);
  const error = await router.ready().catch((reason) => reason);
  expect(error).toMatchObject({
    name: 'RouterError',
    code: 'ERR_CIRCUIT_OPEN',
    message: `Workers keep failing to start: Cannot find module '${missing.pathname}'`,
    cause: {
      code: 'ERR_WORKER_LOST',
      message: `Cannot find module '${missing.pathname}'`,
      data: { exitCode: 1, stderrTail: expect.stringContaining('MODULE_NOT_FOUND') },
    },
  });
  expect((await waits).status).toBe(503);
  expect((await ask(port)).status).toBe(503);
  expect(circuits).toEqual([{ slots: ['0', '1'], error: error.cause }]);
});

testFailedStart('throw');

test('a worker that attaches no server is killed after startTimeoutMs', async () => {
  const { router } = await open('hang', { ...once, startTimeoutMs: 400 });
  const { pid } = router.stats().workers[0] ?? {};
  const { cause } = await router.ready().catch((reason) => reason);
  expect(cause).toMatchObject({
    code: 'ERR_START_TIMEOUT',
    message:
      'Worker of slot `0` did not serve within `startTimeoutMs` (400 ms); it must call `attachServer`',
    data: { slot: '0', pid, limit: 400 },
  });
  expect(lives(pid as number)).toBe(false);
});

test('probes: one process at a time, and all slots again when one serves', async () => {
  const { router, port, circuits, repair } = await open('exit', { workers: 3 });
  await expect(router.ready()).rejects.toMatchObject({ code: 'ERR_CIRCUIT_OPEN' });
  const starting = (): number =>
    router.stats().workers.filter(({ state }) => state === 'starting').length;
  // Those that were on their way when the circuit opened.
  await until(() => starting() === 0);
  // Asked within the event: the next probe may start before a promise of it settles.
  const besides: number[] = [];
  router.on('worker-down', () => besides.push(starting()));
  await until(() => besides.length >= 3);
  expect(besides).toEqual(besides.map(() => 0));
  expect((await ask(port)).status).toBe(503);
  repair();
  await until(() => router.stats().workers.filter(({ state }) => state === 'ready').length === 3);
  await router.ready();
  expect((await ask(port)).status).toBe(200);
  // Each probe that fails is the same outage.
  expect(circuits).toHaveLength(1);
});

test('close() during failed starts and probes leaves no process', async () => {
  const { router, repair } = await open('exit');
  await expect(router.ready()).rejects.toMatchObject({ code: 'ERR_CIRCUIT_OPEN' });
  const closed = router.close({ graceMs: 500 });
  repair();
  await closed;
  await router.ready();
  expect(router.stats().workers).toEqual([]);
});

test.each([
  ['Error: no\n    at a.js:1', 'no'],
  ['Error [ERR_X]: no module\n  code', 'no module'],
  ['Error: first\nnode:1\nRangeError [ERR_Y]: last\n    at x', 'RangeError: last'],
  ['Uncaught TypeError: x', 'TypeError: x'],
  ['DatabaseException: down', 'DatabaseException: down'],
  ['warning: Error: no', undefined],
  ['', undefined],
])('reasonIn(%j)', (tail, reason) => {
  expect(reasonIn(tail)).toBe(reason);
});

testServerOfOtherKind('https', 'forward');
