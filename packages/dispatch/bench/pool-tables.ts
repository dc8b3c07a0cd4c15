import { median, perSecond, table, three, times } from '@ticketing/bench-kit';
import type { PoolKind } from './pools.ts';
import { type Measured, ratioToBest } from './slices.ts';
import type { Start } from './starts.ts';

/** Results of all kinds of pools in one case. */
export interface Case {
  readonly title: string;
  readonly measured: readonly Measured[];
}

/** Tasks per second, a row a kind and a column a case; in brackets the ratio to the first kind. */
export function rates(kinds: readonly PoolKind[], cases: readonly Case[]): string[] {
  const rows = kinds.map(({ name }, row) => [
    name,
    ...cases.map(({ measured }) => {
      const { perSecond: own, ratio } = measured[row] as Measured;
      return row === 0 ? perSecond(own) : `${perSecond(own)} (${times(ratio)})`;
    }),
  ]);
  return table([['', ...cases.map(({ title }) => title)], ...rows]);
}

/** The CPU of the parent and of the worker in some cases, and what a start takes. */
export function costs(
  kinds: readonly PoolKind[],
  { cases, starts, memory }: { cases: readonly Case[]; starts: readonly Start[]; memory: string },
): string[] {
  const rows = kinds.map(({ name }, row) => [
    name,
    ...cases.map(({ measured }) => {
      const { cpuUs, workerCpuUs } = measured[row] as Measured;
      return `${three(cpuUs)} + ${three(workerCpuUs)} µs`;
    }),
    `${Math.round(starts[row]?.startMs ?? 0)} ms`,
    `${three((starts[row]?.memoryBytes ?? 0) / 1e6)} MB`,
  ]);
  return table([['', ...cases.map(({ title }) => title), 'start', memory], ...rows]);
}

/** Compares the first kind with the fastest of the others in one case, as text. */
export function toFastest(
  others: readonly PoolKind[],
  cases: readonly Case[],
  title: string,
): string {
  const measured = cases.find((each) => each.title === title)?.measured ?? [];
  const names = new Set(others.map(({ name }) => name));
  const rivals = measured.filter(({ name }) => names.has(name));
  const fastest = rivals.toSorted((a, b) => median(b.rounds) - median(a.rounds))[0]?.name;
  return `${times(ratioToBest(measured[0] as Measured, rivals))} (${fastest})`;
}
