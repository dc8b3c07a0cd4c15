import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { OutputSink } from '../../src/process/worker-output.ts';

afterEach(() => void vi.restoreAllMocks());

const stderr = { stream: 'stderr', workerId: 7 } as const;
const drains = (): number => process.stderr.listenerCount('drain');

/** Output to our standard error, which is full from now on. */
function fillStderr(): string[] {
  const written: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    written.push(String(chunk));
    return false;
  });
  return written;
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

test('inherit: while our standard error is full no worker is read further; one listener waits for all of them', async () => {
  const before = drains();
  const written = fillStderr();
  const sink = new OutputSink('inherit');
  const workers = Array.from({ length: 20 }, (_, workerId) => {
    const readable = new PassThrough();
    return { readable, over: sink.read(readable, { stream: 'stderr', workerId }) };
  });
  for (const { readable } of workers) for (const text of ['a', 'b']) readable.write(text);
  await turns();
  expect(written.join('')).toBe('a'.repeat(20));
  expect(drains()).toBe(before + 1);
  process.stderr.emit('drain');
  await turns();
  expect(written.join('')).toBe('a'.repeat(20) + 'b'.repeat(20));
  for (const { over } of workers) over();
  expect(drains()).toBe(before);
});

test("inherit: the rest of an ended worker's output does not wait", async () => {
  const before = drains();
  const written = fillStderr();
  const readable = new PassThrough();
  const over = new OutputSink('inherit').read(readable, stderr);
  for (const text of ['one ', 'two ', 'three']) readable.write(text);
  await turns();
  expect(written).toEqual(['one ']);
  over();
  await turns();
  expect(written.join('')).toBe('one two three');
  expect(drains()).toBe(before);
});

test('a function gets chunks and their source; the worker waits for its promise', async () => {
  const taken: unknown[] = [];
  let release = (): void => {};
  const sink = new OutputSink((chunk, source) => {
    taken.push([String(chunk), source]);
    return new Promise<void>((resolve) => {
      release = resolve;
    });
  });
  const readable = new PassThrough();
  sink.read(readable, stderr);
  for (const text of ['one', 'two']) readable.write(text);
  await turns();
  expect(taken).toEqual([['one', stderr]]);
  release();
  await turns();
  expect(taken).toEqual([
    ['one', stderr],
    ['two', stderr],
  ]);
});

test('ignore reads and drops everything, so that no worker waits', async () => {
  const written = fillStderr();
  const readable = new PassThrough();
  new OutputSink('ignore').read(readable, stderr);
  for (let index = 0; index < 100; index++) readable.write(Buffer.alloc(10_000));
  await turns();
  expect([readable.readableLength, written]).toEqual([0, []]);
});

test.each([
  ['inherit', 'inherit'],
  ['ignore', 'ignore'],
  [() => {}, 'pipe'],
] as const)('a process is started with the standard output for it', (output, stdout) => {
  expect(new OutputSink(output).stdout).toBe(stdout);
});
