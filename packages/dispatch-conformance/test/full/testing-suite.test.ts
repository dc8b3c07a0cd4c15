import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Capabilities, Dispatcher } from '@ticketing/dispatch';
import { type ConformanceTasks, conformanceCases } from '@ticketing/dispatch-conformance';
import { expect, onTestFinished, test } from 'vitest';
import { within } from '../../src/nothing-left.ts';
import { breakages } from '../breakages.ts';
import { brokenSubject, inProcessSubject, runCase } from '../broken-dispatcher.ts';

const noop = (): void => {};

test.each(breakages)('a dispatcher that %s fails %s', { timeout: 20_000 }, async (...broken) => {
  const [, name, says, breakage] = broken;
  await expect(runCase(brokenSubject(breakage), name)).rejects.toThrow(says);
});

test('each case that a broken dispatcher fails passes with the dispatcher in process', {
  timeout: 20_000,
}, async () => {
  for (const name of new Set(breakages.map(([, each]) => each))) {
    await runCase(inProcessSubject, name);
  }
});

const CLOSES_TWICE = 'close: close() is idempotent, also by Symbol.asyncDispose';

test('a close() that does nothing fails', async () => {
  const left: Dispatcher<ConformanceTasks>[] = [];
  onTestFinished(async () => void (await Promise.all(left.map((each) => each.close()))));
  const subject = brokenSubject({
    others(good) {
      left.push(good);
      return { close: () => Promise.resolve(), [Symbol.asyncDispose]: () => Promise.resolve() };
    },
  });
  await expect(runCase(subject, CLOSES_TWICE)).rejects.toThrow('the state after close()');
});

test('a close() that leaves a handle fails', async () => {
  const left: NodeJS.Timeout[] = [];
  onTestFinished(() => left.forEach(clearInterval));
  const subject = brokenSubject({
    others(good) {
      // More than one: this runner has timers of its own, and one of them may end meanwhile.
      for (let count = 0; count < 5; count += 1) left.push(setInterval(noop, 60_000));
      return { close: () => good.close() };
    },
  });
  await expect(runCase(subject, CLOSES_TWICE)).rejects.toThrow(/got \d Timeout/);
});

test('a close() that leaves a process fails, and the process is ended', async () => {
  const left: ChildProcess[] = [];
  const subject = brokenSubject({
    others(good) {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
        stdio: 'ignore',
      });
      left.push(child);
      const stats = (): unknown => {
        const { workers, ...rest } = good.stats();
        return { ...rest, workers: workers.map((worker) => ({ ...worker, pid: child.pid })) };
      };
      return { stats };
    },
  });
  await expect(runCase(subject, CLOSES_TWICE)).rejects.toThrow(
    /the end of worker \d+ did not come/,
  );
  for (const child of left) {
    if (child.signalCode === null) await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
  }
});

test('a dispatcher with an unhandled rejection fails', { timeout: 20_000 }, async () => {
  const program = fileURLToPath(new URL('../stray-rejection.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=@ticketing/source',
    program,
  ]);
  expect(stdout).toBe(
    'Cannot pass the case: the dispatcher caused unhandledRejection: Error: nobody catches it',
  );
});

test('a case that does not end fails in its time, and says what it waited for', async () => {
  await expect(within(5, () => 'an end', new Promise(noop))).rejects.toThrow(
    new Error('Cannot go on: an end did not come within 5 ms'),
  );
});

test('cases are skipped for what a dispatcher cannot do, and for nothing else', () => {
  const skipped = (capabilities: Capabilities): (string | undefined)[] =>
    conformanceCases({
      ...inProcessSubject,
      capabilities,
      reclaims: true,
      createWithSmallHeap: inProcessSubject.create,
      fleet: {
        createWithCapacity: inProcessSubject.create,
        createWithLimit: inProcessSubject.create,
        createWithoutHost: inProcessSubject.create,
      },
    }).flatMap(({ skip }) => skip ?? []);
  expect(skipped({ isolation: 'process', hardKill: true, transfer: true, streams: true })).toEqual([
    'buffers can be moved',
    'buffers can be moved',
    'it has streams',
  ]);
  expect(
    new Set(skipped({ isolation: 'process', hardKill: true, transfer: false, streams: true })),
  ).toEqual(new Set(['buffers cannot be moved', 'it has streams']));
  expect(
    new Set(skipped({ isolation: 'thread', hardKill: false, transfer: true, streams: true })),
  ).toEqual(
    new Set([
      'a task that does not end by itself cannot be ended',
      'buffers can be moved',
      'it has streams',
      'workers are not processes',
    ]),
  );
  expect(
    skipped({ isolation: 'process', hardKill: true, transfer: true, streams: false }),
  ).toContain('it has no streams');
  const withoutHeap = conformanceCases({
    ...inProcessSubject,
    capabilities: { isolation: 'process', hardKill: true, transfer: true, streams: true },
  });
  const count = (reason: string): number =>
    withoutHeap.filter(({ skip }) => skip === reason).length;
  expect(count('createWithSmallHeap is not given')).toBe(1);
  expect(count('reclaims is not given')).toBe(4);
  expect(count('fleet.createWithCapacity is not given')).toBe(4);
  expect(count('fleet.createWithLimit is not given')).toBe(1);
  expect(count('fleet.createWithoutHost is not given')).toBe(2);
});
