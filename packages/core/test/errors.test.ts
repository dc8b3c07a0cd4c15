import { CarrierError, type CarrierErrorCode, RailError } from '@ticketing/core';
import { expect, test } from 'vitest';

test('CarrierError.from() returns a CarrierError as it is', () => {
  const error = new CarrierError('AUTH', 'wrong key');
  expect(CarrierError.from(error)).toBe(error);
});

test('CarrierError.from() understands an error that crossed a process as plain data', () => {
  const plain = { code: 'RATE_LIMITED', message: 'slow down', retryAfterMs: 3000, httpStatus: 429 };
  const error = CarrierError.from(structuredClone(plain));
  expect(CarrierError.is(error)).toBe(true);
  expect(error).toMatchObject({ ...plain, retryable: true, cause: plain });
  expect(CarrierError.from({ ...plain, retryable: false }).retryable).toBe(false);
});

test.each<[unknown, CarrierErrorCode, string]>([
  [{ code: 'ERR_QUEUE_FULL' }, 'OVERLOADED', 'ERR_QUEUE_FULL'],
  [{ code: 'ERR_OVERLOADED' }, 'OVERLOADED', 'ERR_OVERLOADED'],
  [{ code: 'ERR_QUEUE_TIMEOUT', message: 'waited' }, 'TIMEOUT', 'waited'],
  [{ code: 'ERR_RUN_TIMEOUT' }, 'TIMEOUT', 'ERR_RUN_TIMEOUT'],
  [{ code: 'ERR_TIMEOUT' }, 'TIMEOUT', 'ERR_TIMEOUT'],
  [new RailError('ERR_MONEY', 'no amount'), 'PROTOCOL', 'no amount'],
  [new RailError('ERR_LOCAL_TIME', 'no time'), 'PROTOCOL', 'no time'],
  [new RailError('ERR_JOURNEY', 'no ride'), 'PROTOCOL', 'no ride'],
  [{ code: 'ERR_MONEY', message: 'from a worker' }, 'PROTOCOL', 'from a worker'],
  [{ code: 'ERR_ELSE' }, 'INTERNAL', 'ERR_ELSE'],
  [{ code: 'toString' }, 'INTERNAL', 'toString'],
  [new DOMException('gone', 'AbortError'), 'ABORTED', 'gone'],
  [new DOMException('late', 'TimeoutError'), 'TIMEOUT', 'late'],
  [new TypeError('broken'), 'INTERNAL', 'broken'],
  ['text', 'INTERNAL', 'text'],
  [undefined, 'INTERNAL', 'undefined'],
  [null, 'INTERNAL', 'null'],
  [Symbol('s'), 'INTERNAL', 'Symbol(s)'],
  [Object.create(null), 'INTERNAL', 'an object without a message'],
])('CarrierError.from(%o) is %s', (thrown, code, message) => {
  expect(CarrierError.from(thrown)).toMatchObject({ code, message, cause: thrown });
});

test('CarrierError.from() survives a value whose fields cannot be read', () => {
  const thrown = {
    get code() {
      throw new Error('no');
    },
  };
  expect(CarrierError.from(thrown)).toMatchObject({ code: 'INTERNAL' });
});

test('CarrierError is retryable by its code, unless its options have `retryable`', () => {
  expect(new CarrierError('NETWORK', 'reset').retryable).toBe(true);
  expect(new CarrierError('HTTP', 'status 500').retryable).toBe(false);
  expect(new CarrierError('HTTP', 'status 503', { retryable: true }).retryable).toBe(true);
  expect('cause' in new CarrierError('HTTP', 'status 500')).toBe(false);
});

test('is() recognises errors of another copy of the package, and nothing else', () => {
  const other = { [Symbol.for('ticketing.core.RailError')]: true };
  expect(RailError.is(other)).toBe(true);
  expect(CarrierError.is(other)).toBe(false);
  for (const value of [null, undefined, 'RailError', new Error('x')]) {
    expect(RailError.is(value)).toBe(false);
    expect(CarrierError.is(value)).toBe(false);
  }
  expect(new RailError('ERR_MONEY', 'no')).toMatchObject({ name: 'RailError', data: {} });
});
