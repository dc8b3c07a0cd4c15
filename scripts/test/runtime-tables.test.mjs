import { expect, test } from 'vitest';
import { differences, readTables, verdictOf } from '../shared/runtime-tables.mjs';

const page = `
| entry              | Bun           | Deno    |
| ------------------ | ------------- | ------- |
| \`one\`              | \`with limits\` | \`works\` |
| \`two\` of \`one\`     | \`no\`          | \`works\` |

| entry          | runtime | case   | because     |
| -------------- | ------- | ------ | ----------- |
| \`one\`          | Bun     | b      | it has none |
| \`two\` of \`one\` | Bun     | all    | it has none |
`;
const tables = readTables(page);

test('readTables() returns the promises of the page by entry and runtime', () => {
  expect(tables.promised('one', 'Bun')).toEqual({ verdict: 'with limits', limits: ['b'] });
  expect(tables.promised('one', 'Deno')).toEqual({ verdict: 'works', limits: [] });
  expect(tables.promised('`two` of `one`', 'Bun')).toEqual({ verdict: 'no', limits: ['all'] });
});

test('readTables() finds entries without a row, and rows without an entry', () => {
  expect(tables.faultsBeside(['one', '`two` of `one`'])).toEqual([]);
  expect(tables.faultsBeside(['one', 'three'])).toEqual(['three: no row', 'two of one: no cases']);
});

test('verdictOf() is works, with limits or no', () => {
  const cases = ['a', 'b'];
  expect(verdictOf(cases, [])).toBe('works');
  expect(verdictOf(cases, ['b'])).toBe('with limits');
  expect(verdictOf(cases, ['b', 'a'])).toBe('no');
});

test.each([
  ['works', [], [], []],
  ['works', [], ['b'], ['b']],
  ['works', [], ['uncaught exception'], ['uncaught exception']],
  ['with limits', ['b'], ['b'], []],
  ['with limits', ['b'], [], ['b']],
  ['with limits', ['b'], ['a', 'b'], ['a']],
  ['works', ['b'], ['b'], ['the cell must be `with limits`']],
  ['no', ['all'], ['a', 'b'], []],
  ['no', ['all'], ['a'], ['b']],
  ['no', ['all'], ['import', 'a', 'b'], []],
])(
  'differences() of a cell `%s` with the limits %j, if %j fail, are %j',
  (verdict, limits, failed, found) => {
    expect(differences({ verdict, limits }, { cases: ['a', 'b'], failed })).toEqual(found);
  },
);
