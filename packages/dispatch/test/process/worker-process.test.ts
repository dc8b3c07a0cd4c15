import { type ForkOptions, fork } from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { WorkerEnd } from '../../src/contract/transport.ts';
import { OutputSink } from '../../src/process/worker-output.ts';
import { WorkerProcess } from '../../src/process/worker-process.ts';
import { runFrame } from '../wire-fixture.ts';

const entry = new URL('../fixtures/child.mjs', import.meta.url);
const begun: WorkerProcess[] = [];

// What the children complain of is not what this run reports.
vi.spyOn(process.stderr, 'write').mockReturnValue(true);

function begin() {
  const messages: unknown[] = [];
  const ends: WorkerEnd[] = [];
  const waiting: (() => void)[] = [];
  const wake = () => {
    for (const go of waiting.splice(0)) go();
  };
  const launch = (stdio: ForkOptions['stdio']) =>
    fork(entry, { execArgv: [], serialization: 'advanced', stdio });
  const start = {
    launch,
    guard: undefined,
    workerId: 1,
    slot: 0,
    output: new OutputSink('inherit'),
  };
  const hear = (message: unknown): void => {
    messages.push(message);
    wake();
  };
  const exit = (end: WorkerEnd): void => {
    ends.push(end);
    wake();
  };
  const child = new WorkerProcess(start, { frames: hear, exit }, hear);
  begun.push(child);
  const until = async (ready: () => boolean) => {
    while (!ready()) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return {
    child,
    messages,
    ends,
    here: () => until(() => messages.length > 0),
    message: (count: number) => until(() => messages.length >= count),
    async end() {
      await until(() => ends.length > 0);
      await setImmediate();
      return ends;
    },
  };
}

const processes = () =>
  process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
const before = processes();

const lives = (pid: number | undefined) => {
  try {
    return process.kill(pid ?? Number.NaN, 0);
  } catch {
    return false;
  }
};

afterEach(async () => {
  // Handles are closed at the end of a turn of the event loop.
  await setImmediate();
  for (const child of begun.splice(0)) expect(lives(child.pid)).toBe(false);
  expect(processes()).toBe(before);
});

test.each([
  ['exit 0', { kind: 'exit', code: 0 }, { exitCode: 0, signal: undefined }],
  ['exit 7', { kind: 'exit', code: 7 }, { exitCode: 7, signal: undefined }],
  ['SIGKILL', { kind: 'signal', signal: 'SIGKILL' }, { exitCode: undefined, signal: 'SIGKILL' }],
  ['SIGTERM', { kind: 'signal', signal: 'SIGTERM' }, { exitCode: undefined, signal: 'SIGTERM' }],
])('a worker that ends by %s ends once, with all known facts', async (_, order, end) => {
  const worker = begin();
  worker.child.post(order);
  expect(await worker.end()).toEqual([{ ...end, stderrTail: '' }]);
});

test.each([
  ['throws in a timer', 'throwLater', 'Error: thrown in a timer'],
  ['leaves a rejection unhandled', 'reject', 'Error: nobody handles this'],
])('a worker that %s ends with 1 and its stack', async (_, kind, text) => {
  const worker = begin();
  worker.child.post({ kind });
  const [end] = await worker.end();
  expect(end).toMatchObject({ exitCode: 1, signal: undefined });
  expect(end?.stderrTail).toContain(text);
  expect(end?.stderrTail).toContain('child.mjs');
});

test('kill() ends a loop, and the journal has what had started', async () => {
  const worker = begin();
  worker.child.post({ kind: 'spin', seq: 3 });
  await worker.message(2);
  expect(worker.child.started()).toBe(3);
  worker.child.kill();
  expect(await worker.end()).toEqual([{ exitCode: undefined, signal: 'SIGKILL', stderrTail: '' }]);
  expect(worker.child.started()).toBe(3);
});

test('the journal survives SIGKILL, what was in the channel does not', async () => {
  const worker = begin();
  worker.child.post({ kind: 'flood', seq: 2000 });
  await worker.end();
  expect(worker.child.started()).toBe(2000);
  expect(worker.messages.length).toBeLessThan(2001);
});

test('kill() ends a stopped process', async () => {
  const worker = begin();
  await worker.here();
  process.kill(worker.child.pid ?? Number.NaN, 'SIGSTOP');
  worker.child.kill();
  expect(await worker.end()).toMatchObject([{ signal: 'SIGKILL' }]);
});

test('what a worker sent before its end arrives before its end', async () => {
  const worker = begin();
  for (let seq = 1; seq <= 50; seq += 1) worker.child.post({ seq });
  worker.child.post({ kind: 'exit', code: 0 });
  const seen = worker.end().then(() => worker.messages.length);
  expect(await seen).toBe(51);
});

test('a worker whose pipe has bytes that are no message is killed, and its end has the cause', async () => {
  const worker = begin();
  worker.child.post({ kind: 'scribble', text: 'progress: 100 %' });
  expect(await worker.end()).toMatchObject([
    {
      signal: 'SIGKILL',
      cause: { message: 'Cannot read messages: unknown header, got 0x676f7270' },
    },
  ]);
});

test('standard error is forwarded, and its last 4 KiB are kept', async () => {
  const worker = begin();
  const text = `first ${'é'.repeat(4000)} last`;
  worker.child.post({ kind: 'complain', text, code: 3 });
  const [end] = await worker.end();
  expect(end?.exitCode).toBe(3);
  expect(end?.stderrTail).toMatch(/^é{2045} last$/);
  const forwarded = vi.mocked(process.stderr.write).mock.calls.map(([chunk]) => chunk as Buffer);
  expect(Buffer.concat(forwarded.filter(Buffer.isBuffer)).toString()).toContain(text);
});

test('a child of the worker that keeps standard error open is not waited for', async () => {
  const worker = begin();
  worker.child.post({ kind: 'leaveChild', code: 4 });
  expect(await worker.end()).toEqual([{ exitCode: 4, signal: undefined, stderrTail: '' }]);
  const { grandchild } = worker.messages[1] as { grandchild: number };
  process.kill(grandchild, 'SIGKILL');
});

test('a worker that closes its channel and lives on is killed', async () => {
  const worker = begin();
  worker.child.post({ kind: 'disconnect' });
  expect(await worker.end()).toMatchObject([{ signal: 'SIGKILL' }]);
});

test('sending to a worker that is gone does nothing', async () => {
  const worker = begin();
  worker.child.kill();
  worker.child.post({ seq: 1 });
  await worker.end();
  worker.child.post({ seq: 2 });
  worker.child.send([runFrame(2, 'input')]);
  worker.child.kill();
  worker.child.hold(true);
  worker.child.hold(false);
  expect(await worker.end()).toHaveLength(1);
});

test('a process that cannot be started ends with the cause', async () => {
  const { execPath } = process;
  process.execPath = '/nonexistent/node';
  let worker: ReturnType<typeof begin>;
  try {
    worker = begin();
  } finally {
    process.execPath = execPath;
  }
  expect(worker.child.pid).toBe(undefined);
  expect(await worker.end()).toMatchObject([
    { exitCode: undefined, signal: undefined, cause: { code: 'ENOENT' } },
  ]);
  begun.length = 0;
});

test('without a journal every task that was sent counts as started', async () => {
  const open = vi.spyOn(fs, 'openSync').mockImplementation((path) => {
    throw new Error(`EACCES: permission denied, open '${path}'`);
  });
  syncBuiltinESMExports();
  const worker = begin();
  open.mockRestore();
  syncBuiltinESMExports();
  expect(worker.child.started()).toBe(0);
  worker.child.send([runFrame(5, 'input')]);
  expect(worker.child.started()).toBe(5);
  worker.child.post({ kind: 'exit', code: 0 });
  expect(await worker.end()).toMatchObject([{ exitCode: 0 }]);
  expect(worker.child.started()).toBe(5);
});
