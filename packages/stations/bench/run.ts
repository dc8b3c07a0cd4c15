// Measures suggestions beside three libraries, opening, and places, and writes the tables between the marks in docs/measurements.
// `--quick` for a look.
import { readFileSync } from 'node:fs';
import {
  benchFlags,
  circumstances,
  interleaved,
  table as markdown,
  measureRounds,
  median,
  quantile,
  report,
  three,
} from '@ticketing/bench-kit';
import { openStations } from '../src/index.ts';
import { readAsset } from '../src/table/asset.ts';
import { openTable } from '../src/table/station-table.ts';
import { type Find, LIMIT, libraries } from './contenders.ts';
import { prefixes, randomFrom, typingErrors } from './texts.ts';

const flags = benchFlags({ rounds: 9 });
const BUILDS = flags.quick ? 1 : 5;
const ASSET = new URL('../data/stations.bin', import.meta.url);
const { head, section } = await readAsset(readFileSync(ASSET));
const table = openTable(head, section);

interface Judged {
  readonly text: string;
  readonly row: number;
}
const judged: readonly Judged[] = readFileSync(new URL('./judged.tsv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [text = '', id = ''] = line.split('\t');
    const row = table.rowOfId(id);
    if (row === undefined) throw new Error(`Cannot judge ${text}: no station ${id}`);
    return { text, row };
  });

/** Builds each library some times, in turns, by processor time: others wait for the cores too. Then once more to be measured: what it keeps, and what it finds. */
function buildAll(): { find: Find; buildMs: number; heapMb: number }[] {
  const took = libraries.map((): number[] => []);
  for (const { item, place } of interleaved(libraries, { rounds: BUILDS, warmUps: 0 })) {
    const own = openTable(head, section);
    const start = process.cpuUsage();
    item.build(own);
    const { user, system } = process.cpuUsage(start);
    took[place]?.push((user + system) / 1000);
  }
  return libraries.map((library, place) => {
    const before = usedMb();
    const find = library.build(table);
    return { find, buildMs: median(took[place] ?? []), heapMb: usedMb() - before };
  });
}

function usedMb(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}

/** Milliseconds for each text: the median of its rounds, so that other programs on the machine do not count. */
function timeTexts(finds: readonly Find[], texts: readonly string[]): Float64Array[] {
  const took = finds.map(() => texts.map((): number[] => []));
  for (const { item, place, round } of interleaved(finds, { rounds: flags.rounds, warmUps: 2 })) {
    for (const [at, text] of texts.entries()) {
      const start = process.hrtime.bigint();
      item(text);
      const ms = Number(process.hrtime.bigint() - start) / 1e6;
      if (round >= 0) took[place]?.[at]?.push(ms);
    }
  }
  return took.map((own) => Float64Array.from(own, median).sort());
}

function right(find: Find): number {
  return judged.filter(({ text, row }) => find(text).slice(0, LIMIT).includes(row)).length;
}

const built = buildAll();
const finds = built.map(({ find }) => find);
const byPrefix = timeTexts(finds, prefixes(table));
const byError = timeTexts(finds, typingErrors(table));
const ms = (times: Float64Array | undefined, share: number) => three(quantile(times ?? [], share));
const rows = libraries.map(({ name }, place) => [
  name,
  built[place]?.buildMs.toFixed(0) ?? '',
  built[place]?.heapMb.toFixed(1) ?? '',
  ...[0.5, 0.99].map((share) => ms(byPrefix[place], share)),
  ...[0.5, 0.99].map((share) => ms(byError[place], share)),
  `${finds[place] === undefined ? 0 : right(finds[place])}/${judged.length}`,
]);

const book = await openStations();
const random = randomFrom(5);
const points = Array.from({ length: 1000 }, () => {
  const row = Math.floor(random() * table.length);
  return {
    latitude: (table.latitude[row] ?? 0) / 1e4,
    longitude: (table.longitude[row] ?? 0) / 1e4,
  };
});
let turn = 0;
const nextPoint = () => points[turn++ % points.length] ?? { latitude: 0, longitude: 0 };
const others = await measureRounds(
  [
    { name: '`openStations({ index: false })`', work: () => openStations({ index: false }) },
    { name: '`openStations()`, with the index', work: () => openStations() },
  ],
  { rounds: Math.max(2, flags.rounds), repeats: 1 },
);
const near = await measureRounds(
  [
    { name: '`near`, 5 km', work: () => book.near(nextPoint(), { radiusKm: 5 }) },
    { name: '`near`, 50 km', work: () => book.near(nextPoint(), { radiusKm: 50 }) },
    { name: '`suggest`, as users call it, of a beginning', work: () => book.suggest('barcel') },
  ],
  { rounds: flags.rounds, repeats: 1000 },
);
const held = await heldMb();

report(
  new URL('../../../docs/measurements/stations.md', import.meta.url),
  [
    circumstances('pnpm --filter @ticketing/stations bench', flags),
    '',
    ...markdown([
      ['', 'build, CPU ms', 'MB', 'prefix p50', 'p99', 'error p50', 'p99', 'right in 10'],
      ...rows,
    ]),
    '',
    ...markdown([
      ['', 'median ms'],
      ...[...others, ...near].map(({ name, medianUs }) => [name, three(medianUs / 1000)]),
      ['MB that a book with its index holds', held.toFixed(1)],
    ]),
  ],
  flags,
);

async function heldMb(): Promise<number> {
  const before = usedMb();
  const one = await openStations();
  const after = usedMb();
  one.suggest('a');
  return after - before;
}
