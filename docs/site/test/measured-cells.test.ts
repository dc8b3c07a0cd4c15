import { expect, test } from 'vitest';
import { measuredColumns } from '../src/markdown/measured-cells.ts';
import { slugOf } from '../src/markdown/slug.ts';

test('columns of measured numbers are read with their unit, and others are left out', () => {
  const columns = measuredColumns([
    ['', 'join', 'rate', 'said', 'half'],
    ['**ours**', '8.58 ns (0.50x)', '55.9k (1.02x)', 'fast', '1 ms'],
    ['[`peer`](x.md)', '2,852 ns (1.00x)', '941', 'slow', '1 s'],
    ['other', '0 ns', '1.09M', '', '1 ms'],
  ]);
  expect(columns).toEqual([
    {
      title: 'join',
      unit: 'ns',
      values: [
        { label: 'ours', value: 8.58, text: '8.58 ns (0.50x)' },
        { label: 'peer', value: 2852, text: '2,852 ns (1.00x)' },
        { label: 'other', value: 0, text: '0 ns' },
      ],
    },
    {
      title: 'rate',
      unit: '',
      values: [
        { label: 'ours', value: 55_900, text: '55.9k (1.02x)' },
        { label: 'peer', value: 941, text: '941' },
        { label: 'other', value: 1_090_000, text: '1.09M' },
      ],
    },
  ]);
});

test('a table of two rows, of texts, or of zeros alone has no chart', () => {
  expect(
    measuredColumns([
      ['', 'a'],
      ['x', '1'],
      ['y', '2'],
    ]),
  ).toEqual([]);
  expect(
    measuredColumns([
      ['', 'a'],
      ['x', '1'],
      ['y', 'two'],
      ['z', '3'],
    ]),
  ).toEqual([]);
  expect(
    measuredColumns([
      ['', 'a'],
      ['x', '0'],
      ['y', '0'],
      ['z', '0'],
    ]),
  ).toEqual([]);
  expect(measuredColumns([])).toEqual([]);
});

test('anchors are those of GitHub', () => {
  expect(slugOf('Shared bodies: `createSharedBodies(options)` of /http')).toBe(
    'shared-bodies-createsharedbodiesoptions-of-http',
  );
});
