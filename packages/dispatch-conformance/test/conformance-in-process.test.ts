import { conformanceCases } from '@ticketing/dispatch-conformance';
import { expect, test } from 'vitest';
import { inProcess, testInProcess } from './conformance-in-process.ts';

testInProcess({ isShort: true });

test('with clone every case of values, copies and transfers is run', () => {
  const cases = conformanceCases(inProcess({ clone: true }));
  const ofValues = cases.filter(({ name }) => /^(values|copies|transfer):/.test(name));
  expect(ofValues.flatMap(({ skip }) => skip ?? [])).toEqual([
    'buffers can be moved',
    'buffers can be moved',
  ]);
});

test('each case has a name of its own', () => {
  const cases = conformanceCases(inProcess({ clone: false }));
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});
