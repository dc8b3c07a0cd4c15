import { median, perSecond, table, times } from '@ticketing/bench-kit';
import type { Cell } from './cells.ts';
import type { Measured, Slice } from './measure.ts';

/** Requests a second with the ratio to the first contender; then latency and processor time. */
export function tables(
  cells: readonly Cell[],
  measured: readonly (readonly Measured[])[],
): string[] {
  const names = measured[0]?.map(({ name }) => name) ?? [];
  const rows = (show: (one: Measured, row: number) => string): string[][] =>
    names.map((name, row) => [name, ...measured.map((all) => show(all[row] as Measured, row))]);
  const head = ['', ...cells.map(({ title }) => title)];
  return [
    'Requests a second, and the ratio to node:cluster:',
    '',
    ...table([
      head,
      ...rows((one, row) => {
        const rate = perSecond(middle(one, 'perSecond')) + failuresOf(one);
        return row === 0 ? rate : `${rate} (${times(one.ratio)})`;
      }),
    ]),
    '',
    'Processor time of a request in master + workers, in ms; and the 99th percentile of latency, in ms:',
    '',
    ...table([
      head,
      ...rows((one) => {
        const [master, workers] = [middle(one, 'masterUs'), middle(one, 'workerUs')];
        return `${ms(master)} + ${ms(workers)}; ${Math.round(middle(one, 'p99Ms'))}`;
      }),
    ]),
  ];
}

function middle({ slices }: Measured, what: keyof Slice): number {
  return median(slices.map((slice) => slice[what]));
}

/** Shown, since a contender that drops requests is not fast. */
function failuresOf({ slices }: Measured): string {
  const failures = slices.reduce((sum, slice) => sum + slice.failures, 0);
  return failures === 0 ? '' : ` [${failures} failed]`;
}

function ms(us: number): string {
  return (us / 1000).toPrecision(2);
}
