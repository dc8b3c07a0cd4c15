import assert from 'node:assert/strict';
import { DispatchError } from '@ticketing/dispatch';
import type { CaseDraft } from '../conformance-case.ts';
import type { Failure } from '../conformance-task-map.ts';
import { rejected } from '../rejected.ts';

/** What a task throws, as its caller gets it. */
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
  throws('what of an error can be read', 'getter', (error) => {
    assert.ok(error instanceof Error);
    const { message, code } = error as Error & { code?: unknown };
    assert.deepEqual([message, code], ['look not', 'ELOOK']);
  }),
  throws('what of an error can be cloned', 'uncloneable', (error) => {
    assert.ok(error instanceof Error);
    const { message, code } = error as Error & { code?: unknown };
    assert.deepEqual([message, code], ['half of it', 'EHALF']);
  }),
  throws('undefined', 'undefined', (error) => assert.equal(error, undefined)),
  throws('null', 'null', (error) => assert.equal(error, null)),
  throws('a number', 'number', (error) => assert.equal(error, 42)),
  throws('a text', 'text', (error) => assert.equal(error, 'a text')),
  {
    name: 'a task that throws rejects its call alone, counts as failed, and its worker lives',
    async act(stage) {
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
    },
  },
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
