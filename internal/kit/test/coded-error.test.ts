import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { CodedError, isMarked, mark } from '../src/errors/coded-error.ts';

test('an error has the name of its mark, however a bundler has renamed its class', () => {
  // What esbuild makes of a class whose static block names it.
  const RenamedError = class _RenamedError extends CodedError<'ERR_X', object> {
    static {
      mark(_RenamedError, 'ticketing.kit.RenamedError');
    }
  };
  const error = new RenamedError('ERR_X', 'Cannot go on', { data: {} });
  expect(error.name).toBe('RenamedError');
  expect(String(error)).toBe('RenamedError: Cannot go on');
  // What Node.js prints of an uncaught error: it puts the name of the class before the stack.
  expect(inspect(error)).toMatch(/^RenamedError: Cannot go on\n {4}at /);
  expect(RenamedError.name).toBe('RenamedError');
  expect(Object.keys(error)).toEqual(['code', 'data']);
  expect([isMarked(error, 'ticketing.kit.RenamedError'), isMarked(error, 'x')]).toEqual([
    true,
    false,
  ]);
});
