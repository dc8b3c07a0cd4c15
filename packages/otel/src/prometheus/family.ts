/** Labels of a series. Their values should come from closed lists: configuration, routes, states, slots. */
export type Labels = Readonly<Record<string, string>>;

/** Value of one series at one time. */
export interface Point {
  readonly labels: Labels;
  readonly value: number;
}

/** Histogram of one series at one time, in the unit of its family: seconds, bytes. */
export interface Distribution {
  readonly labels: Labels;
  readonly buckets: Buckets;
}

/** Values of a histogram by bucket. */
export interface Buckets {
  /** Upper bounds, ascending; a value that equals a bound is within it. */
  readonly le: readonly number[];
  /** Values of each bucket alone, not cumulative. One entry more than `le`: the last is above all bounds. */
  readonly counts: readonly number[];
  /** Sum of all values. */
  readonly sum: number;
}

/** Metric family of Prometheus: one name, and its series as they are read from a `Source`. */
export type Family<Source> = SingleFamily<Source> | HistogramFamily<Source>;

/** Family whose series have one value each. */
export interface SingleFamily<Source> {
  /** Name in Prometheus; that of a counter ends in `_total`. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  points(source: Source): readonly Point[];
}

/** Family of histograms. */
export interface HistogramFamily<Source> {
  /** Name in Prometheus, without `_bucket`, `_sum` or `_count`. */
  readonly name: string;
  readonly help: string;
  readonly type: 'histogram';
  distributions(source: Source): readonly Distribution[];
}

/** Returns a point for each value of a label. */
export function byLabel(
  label: string,
  {
    labels,
    values,
  }: { readonly labels: Labels; readonly values: Readonly<Record<string, number>> },
): readonly Point[] {
  return Object.entries(values).map(([name, value]) => ({
    labels: { ...labels, [label]: name },
    value,
  }));
}
