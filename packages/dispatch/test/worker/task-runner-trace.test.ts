import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createRig, defer, settle } from './task-runner-fixture.ts';

const CHANNEL = 'ticketing:dispatch:task';

/** Events of the tasks that run from now on, in their order. */
function listen(): [event: string, message: object][] {
  const events: [string, object][] = [];
  const names = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const;
  const note =
    (name: string) =>
    (message: unknown): void => {
      events.push([name, { ...(message as object) }]);
    };
  const handlers = Object.fromEntries(names.map((name) => [name, note(name)])) as never;
  tracingChannel(CHANNEL).subscribe(handlers);
  onTestFinished(() => void tracingChannel(CHANNEL).unsubscribe(handlers));
  return events;
}

test('a task is published with its call, its attempt and its metadata, from its start until it has settled', async () => {
  const gate = defer();
  const rig = createRig({
    now: () => 'now',
    later: () => gate.promise.then(() => 'later'),
    fail() {
      throw new Error('no');
    },
  });
  await rig.runner.start();
  const events = listen();
  rig.run({ seq: 1, id: 7, task: 'now', attempt: 2, metadata: { trace: 'a' } });
  const first = { task: 'now', id: 7, attempt: 2, workerId: 3, metadata: { trace: 'a' } };
  expect(events.splice(0)).toEqual([
    ['start', first],
    ['end', first],
    ['asyncStart', { ...first, result: 'now' }],
    ['asyncEnd', { ...first, result: 'now' }],
  ]);
  rig.run({ seq: 2, task: 'later' });
  expect(events.splice(0).map(([event]) => event)).toEqual(['start', 'end']);
  gate.resolve();
  await settle();
  expect(events.splice(0)).toMatchObject([
    ['asyncStart', { task: 'later', metadata: {}, result: 'later' }],
    ['asyncEnd', { result: 'later' }],
  ]);
  rig.run({ seq: 3, task: 'fail' });
  expect(events).toMatchObject([
    ['start', { task: 'fail' }],
    ['end', { task: 'fail' }],
    ['error', { error: { message: 'no' } }],
    ['asyncStart', {}],
    ['asyncEnd', {}],
  ]);
});

test('a task runs in the store that a subscriber binds, also after it has waited, and no other task does', async () => {
  const storage = new AsyncLocalStorage<unknown>();
  const seen: unknown[] = [];
  const look = async (): Promise<void> => {
    seen.push(storage.getStore());
    await Promise.resolve();
    seen.push(storage.getStore());
  };
  const rig = createRig({ look });
  await rig.runner.start();
  const { start } = tracingChannel(CHANNEL);
  start.bindStore(storage, (message) => (message as { id: number }).id);
  onTestFinished(() => void start.unbindStore(storage));
  storage.run('of the sender', () => rig.run({ seq: 1, id: 11, task: 'look' }));
  rig.run({ seq: 2, id: 12, task: 'look' });
  await settle();
  expect(seen).toEqual([11, 12, 11, 12]);
  expect(rig.told.map(({ kind }) => kind)).toEqual(['ready', 'done', 'done']);
});

test('the report of a module goes out at the start and twice a second, until the worker stops', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let sent = 0;
  const report = () => {
    sent += 1;
    return { sent };
  };
  const rig = createRig({ task: () => 1 }, { report });
  await rig.runner.start();
  vi.advanceTimersByTime(1000);
  expect(rig.told).toEqual([
    { kind: 'ready', tasks: ['task'] },
    ...[1, 2, 3].map((each) => ({ kind: 'module-report', data: { sent: each } })),
  ]);
  rig.runner.accept([{ kind: 'stop' }]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a worker outlives a report that fails, and one that is halted reports no more', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const report = vi.fn(() => {
    throw new Error('no figures');
  });
  const rig = createRig({ task: () => 1 }, { report });
  await rig.runner.start();
  vi.advanceTimersByTime(500);
  expect(report).toHaveBeenCalledTimes(2);
  expect(rig.told).toEqual([{ kind: 'ready', tasks: ['task'] }]);
  rig.runner.halt();
  expect(vi.getTimerCount()).toBe(0);
});
