import { quantile } from '@ticketing/bench-kit';
import { floorOf, type Point, type Slope, slopeOf, windows } from './slope.ts';

/** A figure that must not grow. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  /** Divisor from the measured unit to the shown one. */
  readonly per: number;
  /** Growth over the whole run that is none, in the shown unit. */
  readonly tolerance: number;
  /** Value of a window: the floor of what rises and falls, or the 99th percentile. */
  readonly pick: 'floor' | 'p99';
  /** True if it grows as requests wait, so that a machine without time proves nothing. */
  readonly waits: boolean;
}

/** Every figure. The tolerances are what V8 and malloc take while they learn how much they need, and what pools keep. */
export const FIGURES = {
  beside: {
    name: 'memory beside the heap',
    unit: 'MB',
    per: 2 ** 20,
    tolerance: 24,
    pick: 'floor',
    waits: true,
  },
  heapUsed: { name: 'heap', unit: 'MB', per: 2 ** 20, tolerance: 8, pick: 'floor', waits: false },
  external: {
    name: 'external memory',
    unit: 'MB',
    per: 2 ** 20,
    tolerance: 4,
    pick: 'floor',
    waits: false,
  },
  timers: { name: 'timers', unit: '', per: 1, tolerance: 4, pick: 'floor', waits: false },
  resources: {
    name: 'handles and requests',
    unit: '',
    per: 1,
    tolerance: 6,
    pick: 'floor',
    waits: true,
  },
  descriptors: { name: 'descriptors', unit: '', per: 1, tolerance: 6, pick: 'floor', waits: true },
  p99: { name: 'p99 of searches', unit: 'ms', per: 1, tolerance: 60, pick: 'p99', waits: true },
} as const satisfies Readonly<Record<string, Figure>>;
export type FigureName = keyof typeof FIGURES;

/** Measurements of one figure of one process over a run. */
export interface Series {
  readonly process: string;
  readonly figure: FigureName;
  readonly points: readonly Point[];
}

/** Slope of a series in the shown unit, and whether it is a growth. */
export interface Trend extends Slope {
  readonly process: string;
  readonly figure: FigureName;
  /** Middle of the values. */
  readonly level: number;
  /** True if it grows by more than the tolerance over the run, even at the lower bound. */
  readonly grows: boolean;
}

const WINDOWS = 40;
const WARM_SHARE = 0.2;
/**
 * The warm-up before a soak. In 4,500 requests V8 and malloc learn how much a server needs: resident memory rises by 60 MB in them,
 * and then stays.
 */
export const WARM_UP = { ms: 150_000, perSecond: 30 } as const;
const pickOf: Readonly<Record<Figure['pick'], (values: readonly number[]) => number>> = {
  floor: (values) => Math.min(...values),
  p99: (values) =>
    quantile(
      values.toSorted((a, b) => a - b),
      0.99,
    ),
};

/** Returns the trend of a series after the warm-up, and after a fifth of it; undefined for one that is too short. */
export function trendOf({ process, figure, points }: Series): Trend | undefined {
  const { per, pick, tolerance } = FIGURES[figure];
  const own = pick === 'floor' ? floorOf(points) : points;
  const spanMs = (own.at(-1)?.at ?? 0) - (own[0]?.at ?? 0);
  const warmShare = Math.max(WARM_SHARE, WARM_UP.ms / spanMs);
  if (!(warmShare < 1)) return undefined;
  const few = windows(own, { count: WINDOWS, warmShare, pick: pickOf[pick] });
  const shown = few.map(({ at, value }) => ({ at, value: value / per }));
  const slope = slopeOf(shown);
  if (slope === undefined) return undefined;
  const sorted = shown.map(({ value }) => value).toSorted((a, b) => a - b);
  return {
    ...slope,
    ...{ process, figure, level: quantile(sorted, 0.5) },
    grows: slope.low * slope.hours > tolerance,
  };
}
