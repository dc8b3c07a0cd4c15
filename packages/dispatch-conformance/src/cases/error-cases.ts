import assert from 'node:assert/strict';
import {
  DispatchError,
  type MapOptions,
  type PoolOptions,
  type RunOptions,
} from '@ticketing/dispatch';
import { rejected, rejectedWith } from '../calls.ts';
import { type CaseDraft, needsCopies, test } from '../conformance-case.ts';
import type { Failure } from '../conformance-task-map.ts';
import { collect } from './map-cases.ts';

/** Thrown values, as the caller gets them. */
export const errorCases: readonly CaseDraft[] = [
  throws('name, message, code and own properties', 'coded', (error) => {
    assert.ok(error instanceof Error);
    assert.deepEqual([error.name, error.message], ['Error', 'no such file']);
    const { code, errno, at } = error as Error & Record<string, unknown>;
    assert.deepStrictEqual({ code, errno, at }, { code: 'ENOENT', errno: -2, at: new Date(0) });
    assert.deepEqual(Object.keys(error).sort(), ['at', 'code', 'errno']);
    assert.ok(!DispatchError.is(error), 'no DispatchError');
  }),
  throws('a stack with the frame of the task', 'coded', (error) => {
    assert.match((error as Error).stack ?? '', /no such file\n.*throwFailure/);
  }),
  throws('the chain of causes', 'caused', (error) => {
    assert.ok(error instanceof Error && error.message === 'outer');
    const { cause } = error;
    assert.ok(cause instanceof Error && cause.name === 'TypeError' && cause.message === 'middle');
    assert.deepEqual(cause.cause, { inner: [1, 2] });
    assert.ok(!Object.keys(error).includes('cause'), 'a cause that is not listed');
  }),
  throws('an AggregateError with its errors', 'aggregate', (error) => {
    assert.ok(error instanceof AggregateError, 'an AggregateError');
    assert.equal(error.message, 'several');
    const [first, second] = error.errors;
    assert.ok(first instanceof Error && first.name === 'RangeError' && first.message === 'first');
    assert.equal(second, 'second');
  }),
  throws('a SuppressedError with both of its errors', 'suppressed', (error) => {
    assert.ok(error instanceof Error && error.name === 'SuppressedError');
    const { error: last, suppressed } = error as Error & Record<'error' | 'suppressed', unknown>;
    assert.ok(last instanceof RangeError && last.message === 'at the end');
    assert.ok(suppressed instanceof TypeError && suppressed.message === 'at first');
    assert.deepEqual(Object.keys(error), [], 'members that are not listed');
  }),
  throws('a built-in class', 'type', (error) => {
    assert.ok(error instanceof TypeError, 'a TypeError');
    assert.equal(error.message, 'of a built-in class');
  }),
  throws('the name of a class of its own', 'class', (error) => {
    assert.ok(error instanceof Error);
    assert.deepEqual([error.name, error.message], ['SeatTaken', 'the seat is taken']);
    assert.equal((error as Error & { seat?: unknown }).seat, '12A');
  }),
  throws('an error that is its own cause', 'cycle', (error) => {
    assert.ok(error instanceof Error);
    assert.equal(error.message, 'round and round');
  }),
  throws('the readable part of an error', 'getter', (error) => {
    assert.ok(error instanceof Error);
    const { message, code } = error as Error & { code?: unknown };
    assert.deepEqual([message, code], ['look not', 'ELOOK']);
  }),
  throws('the cloneable part of an error', 'uncloneable', (error) => {
    assert.ok(error instanceof Error);
    const { message, code } = error as Error & { code?: unknown };
    assert.deepEqual([message, code], ['half of it', 'EHALF']);
  }),
  throws('undefined', 'undefined', (error) => assert.equal(error, undefined)),
  throws('null', 'null', (error) => assert.equal(error, null)),
  throws('a number', 'number', (error) => assert.equal(error, 42)),
  throws('a text', 'text', (error) => assert.equal(error, 'a text')),
  test(
    'a thrown object of the platform that cannot be cloned is ERR_NOT_CLONEABLE',
    needsCopies,
    async (stage) => {
      const dispatcher = await stage.ready();
      const error = await rejectedWith('ERR_NOT_CLONEABLE', dispatcher.run('fail', 'response'));
      assert.ok(error.message.startsWith('Cannot send what was thrown: '), error.message);
      assert.ok(error.message.includes('Response'), error.message);
      assert.ok(error.message.endsWith(' could not be cloned'), error.message);
    },
  ),
  test('a task that throws rejects its call alone, counts as failed, and its worker lives', async (stage) => {
    const dispatcher = await stage.ready();
    const before = await dispatcher.run('tell', undefined);
    const calls = [
      dispatcher.run('echo', 1),
      dispatcher.run('fail', 'undefined'),
      dispatcher.run('echo', 2),
      dispatcher.run('fail', 'aggregate'),
      dispatcher.run('echo', 3),
    ];
    const outcomes = await Promise.allSettled<unknown>(calls);
    assert.deepEqual(
      outcomes.map((each) => (each.status === 'fulfilled' ? each.value : 'rejected')),
      [1, 'rejected', 2, 'rejected', 3],
    );
    assert.equal((await dispatcher.run('tell', undefined)).workerId, before.workerId);
    const { failed, lost } = dispatcher.stats();
    assert.deepEqual({ failed, lost }, { failed: 2, lost: 0 });
  }),
];

function throws(what: string, kind: Failure, check: (error: unknown) => void): CaseDraft {
  return {
    name: `${what} arrives when a task throws it`,
    async act(stage) {
      const dispatcher = await stage.ready();
      check(await rejected(dispatcher.run('fail', kind)));
    },
  };
}

const wrongRun: readonly (readonly [unknown, typeof TypeError | typeof RangeError])[] = [
  [{ timeout: 5 }, TypeError],
  [{ signal: {} }, TypeError],
  [{ timeoutMs: -1 }, RangeError],
  [{ timeoutMs: Number.NaN }, RangeError],
  [{ queueTimeoutMs: 0 }, RangeError],
  [{ runTimeoutMs: 2 ** 31 }, RangeError],
  [{ priority: 0.5 }, RangeError],
  [{ priority: 1001 }, RangeError],
  [{ key: 5 }, TypeError],
  [{ retries: -1, idempotent: true }, RangeError],
  [{ idempotent: 'yes' }, TypeError],
  [{ transfer: 'all' }, TypeError],
  [{ metadata: { number: 5 } }, TypeError],
  [{ onProgress: true }, TypeError],
  ['options', TypeError],
  [null, TypeError],
];

const wrongPool: readonly (readonly [unknown, typeof TypeError | typeof RangeError])[] = [
  [{ max: 0 }, RangeError],
  [{ min: -1 }, RangeError],
  [{ min: 3, max: 2 }, RangeError],
  [{ maxQueue: -1 }, RangeError],
  [{ abortGraceMs: -1 }, RangeError],
  [{ healthMs: 0 }, RangeError],
  [{ recycle: { tasks: 0 } }, RangeError],
  [{ restart: { maxFailures: -1 } }, RangeError],
  [{ recycle: { task: 1 } }, TypeError],
  [{ workers: 2 }, TypeError],
];

const wrongMap: readonly (readonly [unknown, typeof TypeError | typeof RangeError])[] = [
  [{ concurrency: 0 }, RangeError],
  [{ ordered: 'yes' }, TypeError],
  [{ parallel: 2 }, TypeError],
];

/** Wrong options and names. */
export const optionCases: readonly CaseDraft[] = [
  test('a task that the module does not have is ERR_UNKNOWN_TASK, before and after the start', async (stage) => {
    const dispatcher = await stage.dispatcher();
    const names = ['none', 'toString', 'constructor', '__proto__', ''] as unknown as 'echo'[];
    for (const name of names) await rejectedWith('ERR_UNKNOWN_TASK', dispatcher.run(name, 1));
    await dispatcher.ready();
    for (const name of names) await rejectedWith('ERR_UNKNOWN_TASK', dispatcher.run(name, 1));
    assert.equal(await dispatcher.run('echo', 1), 1);
  }),
  test('wrong options of run() are a TypeError or RangeError, as a rejection', async (stage) => {
    const dispatcher = await stage.ready();
    for (const [options, expected] of wrongRun) {
      const call = dispatcher.run('echo', 1, options as RunOptions);
      assertIs(await rejected(call), expected, options);
    }
    assert.equal(await dispatcher.run('echo', 1), 1);
  }),
  test('wrong options of map() are a TypeError or RangeError', async (stage) => {
    const dispatcher = await stage.ready();
    for (const [options, expected] of wrongMap) {
      const mapping = (async () => collect(dispatcher.map('echo', [1], options as MapOptions)))();
      assertIs(await rejected(mapping), expected, options);
    }
  }),
  test('wrong options of drain() and close() are a TypeError or RangeError, and change nothing', async (stage) => {
    const dispatcher = await stage.ready();
    assertIs(await rejected(dispatcher.drain({ timeoutMs: -1 })), RangeError, 'drain');
    assertIs(await rejected(dispatcher.close({ graceMs: -1 })), RangeError, 'close');
    assert.equal(dispatcher.state, 'ready');
    assert.equal(await dispatcher.run('echo', 1), 1);
  }),
  test('wrong options of the dispatcher are a TypeError or RangeError, and nothing starts', async (stage) => {
    for (const [options, expected] of wrongPool) {
      const creating = (async () => stage.dispatcher(options as PoolOptions))();
      assertIs(await rejected(creating), expected, options);
    }
  }),
];

function assertIs(error: unknown, expected: new () => Error, options: unknown): void {
  const message = `\`${JSON.stringify(options)}\` must be a ${expected.name}, got ${error}`;
  assert.ok(error instanceof expected, message);
}
