// Measures all contenders in all cells and writes the table between the marks in docs/measurements: about 11 minutes.
// `--quick` prints a short run and writes nothing, `--only socket,httpxy` for some contenders, `--cells 0,2` for some cells.
import { loadavg } from 'node:os';
import { benchFlags, circumstances, report } from '@ticketing/bench-kit';
import { measureAffinity } from './affinity.ts';
import { type Contender, hasNginx, KINDS, startContender } from './contenders.ts';
import { CELLS, type Measured, measureCell, proveEqual } from './measure.ts';
import { tables } from './tables.ts';

const flags = benchFlags(
  { rounds: 3, seconds: 3 },
  {
    quickLengths: { rounds: 1 },
    texts: { only: 'Contenders, by parts of their names', cells: 'Cells, by their numbers' },
  },
);
const wanted = flags.only?.split(',');
const kinds = KINDS.filter(({ name, program }, index) => {
  if (program === 'nginx' && !hasNginx()) return false;
  return index === 0 || wanted === undefined || wanted.some((part) => name.includes(part));
});
const cells = CELLS.filter((_, index) => flags.cells?.split(',').includes(String(index)) ?? true);

const contenders: Contender[] = [];
for (const kind of kinds) contenders.push(await startContender(kind));
await proveEqual(contenders);
const measured: Measured[][] = [];
for (const cell of cells) {
  measured.push(await measureCell(contenders, cell, flags));
  process.stderr.write(`${cell.title}\n`);
}
for (const contender of contenders) await contender.end();

const isPart = wanted !== undefined || flags.cells !== undefined;
const affinity = wanted === undefined ? await measureAffinity() : [];
report(
  new URL('../../../docs/measurements/socket-router.md', import.meta.url),
  [
    `${circumstances('pnpm --filter @ticketing/socket-router bench', flags)} 4 workers, clients by autocannon on the ` +
      `same machine; load average ${loadavg()[1]?.toFixed(0)}.${hasNginx() ? '' : ' nginx was missing.'}`,
    '',
    ...tables(cells, measured),
    ...affinity,
  ],
  { quick: flags.quick || isPart },
);
