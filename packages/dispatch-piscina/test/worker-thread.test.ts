import { setImmediate } from 'node:timers/promises';
import type { WorkerEnd } from '@ticketing/dispatch/transport';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WorkerThread, type WorkerThreadOptions } from '../src/worker-thread.ts';

const entry = new URL('fixtures/thread.mjs', import.meta.url);
const resources = () =>
  process.getActiveResourcesInfo().filter((name) => name === 'MessagePort' || name === 'Worker')
    .length;
let before = 0;
const escaped: unknown[] = [];
const note = (error: unknown) => escaped.push(error);

beforeAll(() => {
  before = resources();
  process.on('uncaughtException', note).on('unhandledRejection', note);
});
afterAll(() => {
  process.off('uncaughtException', note).off('unhandledRejection', note);
});
afterEach(async () => {
  // Handles are closed at the end of a turn of the event loop.
  await setImmediate();
  await setImmediate();
  expect(escaped).toEqual([]);
  expect(resources()).toBe(before);
});

function begin(options: Partial<WorkerThreadOptions> = {}) {
  const messages: unknown[] = [];
  const ends: WorkerEnd[] = [];
  const waiting: (() => void)[] = [];
  const wake = () => {
    for (const go of waiting.splice(0)) go();
  };
  const start = {
    entry,
    workerId: 1,
    slot: 0,
    workerData: undefined,
    module: 'file:///tasks.js',
    env: process.env,
    execArgv: undefined,
    resourceLimits: undefined,
    ...options,
  };
  const thread = new WorkerThread(start, {
    message: (message) => {
      messages.push(message);
      wake();
    },
    exit: (end) => {
      ends.push(end);
      wake();
    },
  });
  const until = async (ready: () => boolean) => {
    while (!ready()) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return {
    thread,
    messages,
    message: (count: number) => until(() => messages.length >= count),
    async end() {
      await until(() => ends.length > 0);
      await setImmediate();
      return ends;
    },
  };
}

const ended = (exitCode: number | undefined) => ({ exitCode, signal: undefined, stderrTail: '' });

test.each([0, 1, 7])(
  'a thread that calls process.exit(%i) ends once, with its code',
  async (code) => {
    const worker = begin();
    worker.thread.send({ kind: 'exit', code }, []);
    expect(await worker.end()).toEqual([ended(code)]);
  },
);

test.each([
  ['throws in a timer', 'throwLater', { message: 'thrown in a timer', code: 'E_TIMER' }],
  ['leaves a rejection unhandled', 'reject', { message: 'nobody handles this' }],
])('a thread that %s ends once, with the error', async (_, kind, error) => {
  const worker = begin();
  worker.thread.send({ kind }, []);
  const ends = await worker.end();
  expect(ends).toMatchObject([{ ...ended(1), cause: error }]);
  expect(ends[0]?.cause).toBeInstanceOf(Error);
});

test('a thread that throws undefined ends once', async () => {
  const worker = begin();
  worker.thread.send({ kind: 'throwUndefined' }, []);
  expect(await worker.end()).toEqual([{ ...ended(1), cause: undefined }]);
});

test('a thread whose heap is full ends once, with the error', async () => {
  const worker = begin({ resourceLimits: { maxOldGenerationSizeMb: 16 } });
  worker.thread.send({ kind: 'fill' }, []);
  expect(await worker.end()).toMatchObject([
    { ...ended(1), cause: { code: 'ERR_WORKER_OUT_OF_MEMORY' } },
  ]);
});

test('kill() ends a loop, and the journal has what had started', async () => {
  const worker = begin();
  expect(worker.thread.started()).toBe(0);
  worker.thread.send({ kind: 'spin', seq: 2 ** 40 }, []);
  await worker.message(2);
  expect(worker.thread.started()).toBe(2 ** 40);
  worker.thread.kill();
  worker.thread.kill();
  expect(await worker.end()).toEqual([ended(undefined)]);
  expect(worker.thread.started()).toBe(2 ** 40);
});

test('kill() ends a thread that has not begun', async () => {
  const worker = begin();
  worker.thread.kill();
  expect(await worker.end()).toEqual([ended(undefined)]);
});

test('what a thread posted before its end arrives before its end, in order', async () => {
  const worker = begin();
  worker.thread.send({ kind: 'flood', count: 5000, code: 3 }, []);
  const seen = worker.end().then((ends) => ({ ends, count: worker.messages.length }));
  expect(await seen).toEqual({ ends: [ended(3)], count: 5001 });
  expect(worker.messages.slice(1)).toEqual(
    Array.from({ length: 5000 }, (_, index) => ({ seq: index + 1 })),
  );
});

test('buffers are moved, there and back', async () => {
  const worker = begin();
  const bytes = new ArrayBuffer(100);
  worker.thread.send({ kind: 'move', bytes }, [bytes]);
  expect(bytes.byteLength).toBe(0);
  await worker.message(2);
  expect((worker.messages[1] as { bytes: ArrayBuffer }).bytes.byteLength).toBe(100);
  worker.thread.kill();
  await worker.end();
});

test('a thread that closes its port can be killed', async () => {
  const worker = begin();
  worker.thread.send({ kind: 'close' }, []);
  await worker.message(1);
  worker.thread.kill();
  expect(await worker.end()).toHaveLength(1);
});

test('sending to a thread that is gone does nothing', async () => {
  const worker = begin();
  worker.thread.kill();
  worker.thread.send({ seq: 1 }, []);
  await worker.end();
  worker.thread.send({ seq: 2 }, []);
  worker.thread.kill();
  worker.thread.hold(true);
  worker.thread.hold(false);
  expect(await worker.end()).toHaveLength(1);
});

test('a thread gets its environment and Node options', async () => {
  const worker = begin({
    env: { ONLY: 'this', NOT: undefined },
    execArgv: ['--conditions=one'],
    workerId: 5,
  });
  worker.thread.send({ kind: 'tell' }, []);
  await worker.message(2);
  expect(worker.messages[1]).toEqual({
    workerId: 5,
    module: 'file:///tasks.js',
    env: { ONLY: 'this' },
    execArgv: ['--conditions=one'],
  });
  worker.thread.kill();
  await worker.end();
});

test('a thread that cannot be started throws', () => {
  expect(() => begin({ execArgv: ['--expose-gc'] })).toThrow('--expose-gc');
});

test('a missing worker program ends the thread, with the cause', async () => {
  const worker = begin({ entry: new URL('nothing.mjs', entry) });
  expect(await worker.end()).toMatchObject([
    { exitCode: 1, cause: { code: 'ERR_MODULE_NOT_FOUND' } },
  ]);
});
