// Measures all contenders in all cells and writes the table between the marks in README.md: about 11 minutes.
// `--quick` for a look that is not written, `--only socket,httpxy` for some contenders, `--cells 0,2` for some cells.
import { parseArgs } from 'node:util';
import { measureAffinity } from './affinity.ts';
import { CELLS } from './cells.ts';
import { type Contender, hasNginx, KINDS, startContender } from './contenders.ts';
import { type Measured, measureCell, proveEqual } from './measure.ts';
import { circumstances, report, tables } from './report.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    only: { type: 'string' },
    cells: { type: 'string' },
  },
});
const { quick } = values;
const rounds = Number(values.rounds ?? (quick ? 1 : 3));
const seconds = Number(values.seconds ?? (quick ? 1 : 3));
if (!(Number.isInteger(rounds) && rounds > 0 && seconds > 0)) {
  throw new RangeError(`Cannot measure: positive numbers expected, got ${rounds} and ${seconds}`);
}
const wanted = values.only?.split(',');
const kinds = KINDS.filter(({ name, program }, index) => {
  if (program === 'nginx' && !hasNginx()) return false;
  return index === 0 || wanted === undefined || wanted.some((part) => name.includes(part));
});
const cells = CELLS.filter((_, index) => values.cells?.split(',').includes(String(index)) ?? true);

const contenders: Contender[] = [];
for (const kind of kinds) contenders.push(await startContender(kind));
await proveEqual(contenders);
const measured: Measured[][] = [];
for (const cell of cells) {
  measured.push(await measureCell(contenders, cell, { rounds, seconds }));
  process.stderr.write(`${cell.title}\n`);
}
for (const contender of contenders) await contender.end();

const isWhole = !quick && wanted === undefined && values.cells === undefined;
const affinity = wanted === undefined ? await measureAffinity() : [];
report(
  [
    circumstances({ rounds, seconds, hasNginx: hasNginx() }),
    '',
    ...tables(cells, measured),
    ...affinity,
  ],
  { isWritten: isWhole },
);
