import { interleaved, median, medianRatio, spread } from '@ticketing/bench-kit';

/** Figures of one time slice, by name: `perSecond`, `p99Ms`, `failed`… */
export type Sample = Readonly<Record<string, number>>;

/** One thing to measure. */
export interface Cell {
  /** The measured subject, such as `--accept cluster`. */
  readonly subject: string;
  /** The load. Subjects are compared within a setting. */
  readonly setting: string;
  /** Measures for about this time. */
  measure(sliceMs: number): Promise<Sample>;
}

/** All samples of a cell, one per round. Plain data, written to `results.json`. */
export interface Measured {
  readonly subject: string;
  readonly setting: string;
  readonly samples: readonly Sample[];
}

export interface RoundOptions {
  readonly rounds: number;
  readonly sliceMs: number;
  /** Called after each slice. */
  readonly onSlice?: () => void;
}

/** A shorter round before the first one warms up: compiles, fills pools, opens files. */
const WARM_UP_SHARE = 0.5;

/** Number of slices of {@link measureRounds}. */
export function slicesOf(cells: number, rounds: number): number {
  return cells * (rounds + 1);
}

/** Measures cells in interleaved rounds, one at a time. */
export async function measureRounds(
  cells: readonly Cell[],
  { rounds, sliceMs, onSlice = () => {} }: RoundOptions,
): Promise<Measured[]> {
  const taken = cells.map((): Sample[] => []);
  // The caller's progress spans several calls of this.
  const progress = { begin() {}, step: () => onSlice(), end() {} };
  for (const { item, place, round } of interleaved(cells, { rounds, progress })) {
    const sample = await item.measure(round < 0 ? sliceMs * WARM_UP_SHARE : sliceMs);
    if (round >= 0) taken[place]?.push(sample);
  }
  return cells.map(({ subject, setting }, place) => ({
    subject,
    setting,
    samples: taken[place] as Sample[],
  }));
}

/** Returns the cell of a subject in a setting. @throws Error if there is none */
export function cellOf(measured: readonly Measured[], subject: string, setting: string): Measured {
  const cell = measured.find((each) => each.subject === subject && each.setting === setting);
  if (cell !== undefined) return cell;
  throw new Error(`Cannot report: there is no measurement of ${subject} in ${setting}`);
}

/** Returns the median of a figure over the rounds. */
export function figureOf(measured: Measured, name: string): number {
  return median(figures(measured, name));
}

/** Returns the spread of a figure over the rounds: (largest - smallest) / median. */
export function spreadOf(measured: Measured, name: string): number {
  return spread(figures(measured, name));
}

/** Returns the median over the rounds of the ratio to another cell in the same round. */
export function ratioOf(own: Measured, other: Measured, name = 'perSecond'): number {
  return medianRatio(figures(own, name), figures(other, name));
}

function figures({ samples }: Measured, name: string): number[] {
  return samples.map((sample) => sample[name] ?? Number.NaN);
}
