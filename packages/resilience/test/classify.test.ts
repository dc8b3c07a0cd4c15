import { expect, test } from 'vitest';
import { classifyError, GuardError } from '../src/index.ts';

const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error('no');
    },
  },
);

test.each([
  ['an error', new Error('down'), 'failure'],
  ['no error', undefined, 'failure'],
  ['null', null, 'failure'],
  ['a text', 'AbortError', 'failure'],
  ['an object that throws', hostile, 'failure'],
  ['an abort', new DOMException('left', 'AbortError'), 'ignored'],
  ['the end of a time', new DOMException('late', 'TimeoutError'), 'failure'],
  ['a socket that timed out', { code: 'ETIMEDOUT' }, 'failure'],
  ['a status of 429', { status: 429 }, 'throttled'],
  ['a status code of 429', { statusCode: 429 }, 'throttled'],
  ['a status of HTTP of 429', { httpStatus: 429 }, 'throttled'],
  ['a status of 503', { status: 503 }, 'failure'],
  ['a code', { code: 'RATE_LIMITED' }, 'throttled'],
  [
    'a refusal of another guard',
    new GuardError('ERR_RATE_LIMITED', 'no', { data: { name: 'inner' } }),
    'ignored',
  ],
  [
    'a timeout of another guard',
    new GuardError('ERR_ATTEMPT_TIMEOUT', 'no', { data: { name: 'inner' } }),
    'failure',
  ],
])('%s', (_, error, outcome) => {
  expect(classifyError(error)).toBe(outcome);
});
