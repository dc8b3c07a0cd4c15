import type { BucketCounts } from '@ticketing/kit';
import type { OperatorView } from '../operator/view-schema.ts';

/** Labels of a series; their values come from closed lists: configuration, routes, states, slots. */
export type Labels = Readonly<Record<string, string>>;

/** One series of a family at one time. */
export interface Point {
  readonly labels: Labels;
  readonly value: number;
}

/** A histogram at one time. */
export interface Distribution {
  readonly labels: Labels;
  readonly buckets: BucketCounts;
}

/** What Prometheus calls a metric: its name, and how its series are read from the view. */
export type Family =
  | {
      readonly name: string;
      readonly help: string;
      readonly type: 'counter' | 'gauge';
      points(view: OperatorView): readonly Point[];
    }
  | {
      readonly name: string;
      readonly help: string;
      readonly type: 'histogram';
      distributions(view: OperatorView): readonly Distribution[];
    };

export const MS_PER_S = 1000;

export function inSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / MS_PER_S;
}

/** One point for each value of a label. */
export function byLabel(
  label: string,
  labels: Labels,
  values: Readonly<Record<string, number>>,
): readonly Point[] {
  return Object.entries(values).map(([name, value]) => ({
    labels: { ...labels, [label]: name },
    value,
  }));
}

/** A pool without the process that it belongs to: `tasks`, `serving`. */
export function poolLabels({
  process,
  id,
}: Pick<OperatorView['pools'][number], 'process' | 'id'>): Labels {
  return { process, pool: id.slice(id.lastIndexOf('/') + 1) };
}
