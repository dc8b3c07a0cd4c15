import type { Cell } from '../rounds/measure-rounds.ts';
import type { LoadJob } from './load-job.ts';
import type { Loader } from './loader.ts';

/** A cell whose measurement is a load. */
export function loadCell(
  loader: Loader,
  cell: Pick<Cell, 'subject' | 'setting'> & { readonly job: Omit<LoadJob, 'ms'> },
): Cell {
  const { subject, setting, job } = cell;
  return { subject, setting, measure: (ms) => loader.run({ ...job, ms }) };
}
