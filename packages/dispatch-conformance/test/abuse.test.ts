import { conformanceCases, splitCases } from '@ticketing/dispatch-conformance';
import { expect, test } from 'vitest';
import { inProcessSubject } from './broken-dispatcher.ts';

test('splitCases() gives each case once, and refuses a beginning that no case has', () => {
  const cases = conformanceCases(inProcessSubject);
  const { chosen, others } = splitCases(cases, ['close:', 'start: ready()']);
  expect(chosen.every(({ name }) => /^(close:|start: ready)/.test(name))).toBe(true);
  expect(chosen.length + others.length).toBe(cases.length);
  expect(new Set([...chosen, ...others])).toEqual(new Set(cases));
  expect(() => splitCases(cases, ['closes:'])).toThrow(
    new RangeError('Cannot split cases: no case begins with `closes:`'),
  );
});
