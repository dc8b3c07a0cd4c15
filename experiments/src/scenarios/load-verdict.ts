import { median, percent, three } from '@ticketing/bench-kit';
import type { LoadRow } from './run-load.ts';

/** The verdict of a load. */
export interface LoadVerdict {
  readonly errors: number;
  /** Growth of all processes' memory from the first to the last fifth, as a share. */
  readonly memoryDrift: number;
  /** Growth of p99, likewise. */
  readonly p99Drift: number;
  readonly lines: readonly string[];
}

/** Growth beyond chance and the heap's normal variation. */
const MUCH_MEMORY = 0.2;
const MUCH_LATENCY = 0.5;
/** Seconds at the start that do not count: code is compiled, pools fill. */
const WARM_UP_SHARE = 0.1;

/** Compares the first fifth, after the start, with the last. */
export function loadVerdict(rows: readonly LoadRow[]): LoadVerdict {
  const warm = rows.slice(Math.floor(rows.length * WARM_UP_SHARE));
  const fifth = Math.max(1, Math.floor(rows.length / 5));
  const drift = (of: (row: LoadRow) => number): number => {
    const known = (some: readonly LoadRow[]): number[] => some.map(of).filter(Number.isFinite);
    return median(known(warm.slice(-fifth))) / median(known(warm.slice(0, fifth))) - 1;
  };
  const errors = rows.reduce((sum, { failed }) => sum + failed, 0);
  const answered = rows.reduce((sum, row) => sum + row.answered, 0);
  const memoryDrift = drift(memoryOf);
  const p99Drift = drift(({ p99Ms }) => p99Ms);
  return {
    errors,
    memoryDrift,
    p99Drift,
    lines: [
      `errors   ${errors === 0 ? 'none' : errors} (${answered} answered)`,
      `memory   ${driftText(memoryDrift, MUCH_MEMORY)}`,
      `p99      ${driftText(p99Drift, MUCH_LATENCY)}; median of all seconds ${three(median(rows.map(({ p99Ms }) => p99Ms).filter(Number.isFinite)))} ms`,
    ],
  };
}

/** Total of all processes in one second; `NaN` if none is known. */
export function memoryOf({ memory }: Pick<LoadRow, 'memory'>): number {
  const all = Object.values(memory);
  return all.length === 0 ? Number.NaN : all.reduce((sum, bytes) => sum + bytes, 0);
}

function driftText(drift: number, much: number): string {
  if (!Number.isFinite(drift)) return 'unknown';
  const change = `${drift < 0 ? '' : '+'}${percent(drift)} from the first to the last fifth`;
  return drift > much ? `${change}: it grows` : `${change}: steady`;
}
