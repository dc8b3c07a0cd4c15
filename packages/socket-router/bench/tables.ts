import { median, perSecond, table, times } from '@ticketing/bench-kit';
import type { Cell, Measured, Slice } from './measure.ts';

/** Returns tables of requests per second, with the ratio to the first contender, and of processor time and latency. */
export function tables(
  cells: readonly Cell[],
  measured: readonly (readonly Measured[])[],
): string[] {
  const names = measured[0]?.map(({ name }) => name) ?? [];
  const rows = (show: (one: Measured, row: number) => string): string[][] =>
    names.map((name, row) => [name, ...measured.map((all) => show(all[row] as Measured, row))]);
  const head = ['', ...cells.map(({ title }) => title)];
  return [
    'Requests per second, and the ratio to node:cluster:',
    '',
    ...table([
      head,
      ...rows((one, row) => {
        const rate = perSecond(middle(one, 'perSecond')) + failuresOf(one);
        return row === 0 ? rate : `${rate} (${times(one.ratio)})`;
      }),
    ]),
    '',
    'Processor time per request in router (primary, proxy) + workers, in ms; and the 99th percentile of latency, in ms:',
    '',
    ...table([
      head,
      ...rows((one) => {
        const [front, workers] = [middle(one, 'frontUs'), middle(one, 'workerUs')];
        return `${ms(front)} + ${ms(workers)}; ${Math.round(middle(one, 'p99Ms'))}`;
      }),
    ]),
  ];
}

function middle({ slices }: Measured, what: keyof Slice): number {
  return median(slices.map((slice) => slice[what]));
}

/** Failures are shown, since a contender that drops requests is not fast. */
function failuresOf({ slices }: Measured): string {
  const failures = slices.reduce((sum, slice) => sum + slice.failures, 0);
  return failures === 0 ? '' : ` [${failures} failed]`;
}

function ms(us: number): string {
  return (us / 1000).toPrecision(2);
}
