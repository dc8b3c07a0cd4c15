import { expect, test } from 'vitest';
import { slowRepetition } from '../../regexps/repeated-inputs.mjs';

test.each([
  // Each match reads a quoted text to the end of the input, which never closes, and keeps a character of it.
  /;[^;,"]*(?:"(?:[^"\\]|\\.)*"[^;,"]*)*/g,
  /a(?:b[^c]*c)?/g,
  /x(?:x*y)?/y,
])('slowRepetition() finds an input for %s, each match of which is linear', ({ source, flags }) => {
  expect(slowRepetition(source, flags)).toEqual(expect.any(String));
});

test.each([/\s+/g, /[^;,"]*/g, /"(?:[^"\\]|\\.)*"/y, /[&<>"']/g])(
  'slowRepetition() finds none for %s',
  ({ source, flags }) => {
    expect(slowRepetition(source, flags)).toBeUndefined();
  },
);

test('slowRepetition() treats a pattern of split() like one with the flag g', () => {
  expect(slowRepetition(';(?:"[^!]*!)?', '')).toEqual(expect.any(String));
  expect(slowRepetition(', *', '')).toBeUndefined();
});
