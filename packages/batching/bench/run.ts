// Measures, and writes the tables between the marks in docs/measurements. `--quick` for a look.
import { benchFlags, circumstances, report, table, times } from '@ticketing/bench-kit';
import { benchBatch } from './batch.ts';
import { benchCoalescer } from './coalescer.ts';

const flags = benchFlags({ rounds: 60 });
const coalescer = await benchCoalescer(flags.rounds);
const batch = await benchBatch(flags.rounds);
report(
  new URL('../../../docs/measurements/batching.md', import.meta.url),
  [
    circumstances('pnpm --filter @ticketing/batching bench', flags),
    '',
    ...table([
      ['', 'join in flight', 'lone miss', 'bytes per key in flight', 'bytes per waiter'],
      ...coalescer.map((row) => [
        row.name,
        `${row.joinNs.toPrecision(3)} ns (${times(row.joinRatio)})`,
        `${Math.round(row.missNs)} ns (${times(row.missRatio)})`,
        String(Math.round(row.keyBytes)),
        String(Math.round(row.waiterBytes)),
      ]),
    ]),
    '',
    "The batch loaders, as dataloader's time divided by theirs; above 1 is faster:",
    '',
    ...table([
      ['', ...batch.map(({ title }) => title)],
      ...(batch[0]?.measured ?? []).map(({ name }) => [
        name,
        ...batch.map(({ measured }) => {
          const found = measured.find((each) => each.name === name);
          return found
            ? `${Math.round(found.medianUs).toLocaleString('en')} µs (${times(found.ratio)})`
            : '';
        }),
      ]),
    ]),
  ],
  flags,
);
