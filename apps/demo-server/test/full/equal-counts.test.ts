import { test } from 'vitest';
import { getFrom, MADRID_BARCELONA, startDemo } from '../demo.ts';
import { expectEqualCounts } from '../equal-counts.ts';

// The matrix has every combination with `--offload whole`.
test.each([
  ['single', 'piscina', 'on'],
  ['single', 'cluster', 'on'],
  ['cluster', 'cluster', 'machine'],
  ['cluster', 'cluster', 'off'],
  ['socket', 'fork', 'machine'],
])(
  '--accept %s --dispatch %s --coalesce %s --offload normalise: equal counts',
  async (accept, dispatch, coalesce) => {
    const several = accept === 'single' ? [] : ['--workers', '2'];
    const demo = await startDemo([
      ...['--accept', accept, '--dispatch', dispatch, '--coalesce', coalesce, ...several],
      ...['--offload', 'normalise', '--latency', '0'],
    ]);
    for (let asked = 0; asked < 3; asked += 1) {
      await getFrom(demo.url + MADRID_BARCELONA, { headers: { connection: 'close' } });
    }
    await getFrom(demo.url + MADRID_BARCELONA, { headers: { accept: 'application/x-ndjson' } });
    await expectEqualCounts(demo, 4);
  },
);
