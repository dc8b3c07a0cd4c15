import { channel } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import type { NewEvent } from '../src/figures/operator-event.ts';
import type { ReportedEvent } from '../src/figures/process-status.ts';
import { keepEvents } from '../src/operator/event-log.ts';
import { createJournal } from '../src/operator/journal.ts';
import { type FaultsInForce, planEvents } from '../src/operator/plan-events.ts';

test('the log keeps the last 50 events in words; a storm of equal ones is one line', () => {
  let now = 0;
  const log = keepEvents(() => now);
  const ready = channel('ticketing:dispatch:worker-ready');
  const refused = channel('ticketing:socket-router:refused');
  const exit = channel('ticketing:dispatch:worker-exit');
  for (let pid = 1; pid <= 60; pid += 1) {
    now += 10;
    ready.publish({ name: 'serving', workerId: pid, pid });
  }
  ready.publish({ name: 'in-process', workerId: 1, pid: 1 });
  exit.publish({ name: 'fork', pid: 7, exitCode: 0 });
  expect(log.list()).toHaveLength(50);
  expect(log.list()[0]).toMatchObject({ no: 11, pid: 11, text: 'is ready' });
  for (let at = 0; at < 1000; at += 1) {
    now += 20;
    refused.publish({ status: 503, reason: 'no worker' });
  }
  expect(log.list().at(-1)).toMatchObject({
    ...{ no: 61, at: 620, text: 'Router refused a connection (1000 times)' },
    ...{ detail: 'HTTP 503, no worker', severity: 'bad' },
  });
  exit.publish({ name: 'fork', pid: 7, exitCode: undefined, signal: 'SIGKILL' });
  expect(log.list().at(-1)).toEqual({
    ...{ no: 62, at: 20_600, kind: 'worker-exit', severity: 'bad', pid: 7 },
    ...{ text: 'ended', detail: 'SIGKILL' },
  });
  log.close();
  expect([ready, refused, exit].map(({ hasSubscribers }) => hasSubscribers)).toEqual([
    ...[false, false, false],
  ]);
});

const event = (at: number, more: Partial<NewEvent> = {}): NewEvent => ({
  ...{ at, kind: 'refused', severity: 'bad', process: 'primary', text: 'A' },
  ...more,
});
const reported = (no: number, at: number, more: Partial<ReportedEvent> = {}): ReportedEvent => ({
  ...{ no, at, kind: 'fallback', severity: 'note', text: `of ${no}` },
  ...more,
});
const noIds = () => undefined;

test('the journal numbers the events of all processes once, in the order of their times', () => {
  const journal = createJournal();
  journal.add(event(5));
  const reports = [
    { id: 'primary', pid: 1, events: [reported(1, 1), reported(2, 3)] },
    { id: 'server-0', pid: 2, events: [reported(1, 2)] },
  ];
  for (let times = 0; times < 3; times += 1) journal.take(reports, noIds);
  expect(journal.list().map(({ no, at, process }) => [no, at, process])).toEqual([
    [2, 1, 'primary'],
    [4, 2, 'server-0'],
    [3, 3, 'primary'],
    [1, 5, 'primary'],
  ]);
  // A successor counts from 1 again; a storm changes the words of its event alone.
  journal.take(
    [
      { id: 'primary', pid: 1, events: [reported(2, 3, { text: 'of 2 (9 times)' })] },
      { id: 'server-0', pid: 3, events: [reported(1, 7)] },
    ],
    noIds,
  );
  expect(journal.list().map(({ no, text }) => [no, text])).toEqual([
    [2, 'of 1'],
    [4, 'of 1'],
    [3, 'of 2 (9 times)'],
    [1, 'A'],
    [5, 'of 1'],
  ]);
});

test('the journal has 50 events and marks 1 to 99, however many happen', () => {
  const journal = createJournal();
  for (let at = 1; at <= 250; at += 1) {
    journal.add(event(at, { kind: at % 2 === 0 ? 'killed' : 'recovered' }));
  }
  const events = journal.list();
  expect(events).toHaveLength(50);
  expect(events.at(-1)).toMatchObject({ no: 250, mark: 26 });
  expect(events.at(-2)).not.toHaveProperty('mark');
});

test('a worker that starts is an event if one has ended; an end by hand is written down once', () => {
  const journal = createJournal();
  const ready = (no: number, pid: number) =>
    reported(no, no, { kind: 'worker-ready', pid, text: 'is ready' });
  const exit = (no: number, pid: number) =>
    reported(no, no, { kind: 'worker-exit', pid, text: 'ended', detail: 'SIGKILL' });
  const ids = new Map([
    [10, 'server-0/task-0'],
    [11, 'server-0/task-1'],
    [12, 'server-0/task-0'],
  ]);
  const take = (...events: ReportedEvent[]) =>
    journal.take([{ id: 'server-0', pid: 1, events }], (pid) => ids.get(pid));
  take(ready(1, 10), ready(2, 11));
  expect(journal.list()).toEqual([]);
  journal.expectEnd(10);
  journal.add(event(3, { kind: 'killed', process: 'server-0/task-0', text: 'killed' }));
  take(exit(4, 10), ready(5, 12));
  take(exit(6, 11), ready(7, 13), ready(8, 14));
  expect(journal.list().map(({ kind, process, text }) => [kind, process, text])).toEqual([
    ['killed', 'server-0/task-0', 'killed'],
    ['worker-ready', 'server-0/task-0', 'server-0/task-0 is ready'],
    ['worker-exit', 'server-0/task-1', 'server-0/task-1 ended'],
    ['worker-ready', 'Process 13', 'Process 13 is ready'],
  ]);
});

test('a fault that an operator sets is an event, and so is its end, if there was one', () => {
  const inForce: FaultsInForce = new Map();
  const change = (at: number, patch: unknown) =>
    planEvents({ carrier: 'renfe', title: 'Renfe', patch, at }, inForce).map(
      ({ kind, severity, text, detail }) => [kind, severity, text, detail],
    );
  expect(change(0, { fault: null })).toEqual([]);
  expect(change(1000, { fault: { kind: 'hang', share: 0.5 } })).toEqual([
    ['fault-set', 'bad', 'Renfe set to hang', 'share 50 %'],
  ]);
  expect(change(2000, { fault: { kind: 'error' } })).toEqual([
    ['fault-set', 'bad', 'Renfe set to fail', 'share 100 %'],
  ]);
  expect(change(43_000, { fault: null, latency: { kind: 'fixed', ms: 300 } })).toEqual([
    ['latency-set', 'note', 'Renfe set to answer in 300 ms', undefined],
    ['fault-ended', 'note', 'Renfe reset', 'set to fail for 42 s'],
  ]);
  expect(change(44_000, { fault: null })).toEqual([]);
});
