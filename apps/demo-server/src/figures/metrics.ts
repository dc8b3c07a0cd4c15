import {
  bucketsInSeconds,
  type Family,
  familyOf,
  histogramOf,
  type Labels,
  type Point,
  prometheusName,
} from '@ticketing/otel/prometheus';
import type { Figures, Given, Metric, Table } from './figure.ts';
import * as figures from './figures.ts';
import type { BucketCounts } from './schemas.ts';
import type { Sources } from './sources.ts';

const MS_PER_S = 1000;
const noCircuits = { closed: 0, 'half-open': 0, open: 0 } as const;

/** Every family of `/metrics`, in the order in which they are written. Times are in seconds, sizes in bytes. */
export const families: readonly Family<Sources>[] = [
  ...familiesOf(figures.server, ({ server: only }) => [only]),
  ...familiesOf(figures.identity, ({ processes }) => processes),
  ...familiesOf(figures.routes, (sources) => sources.routes),
  ...familiesOf(figures.traffic, ({ processes }) => processes),
  ...familiesOf(figures.searches, (sources) => sources.searches),
  ...familiesOf(figures.carriers, (sources) => sources.carriers),
  ...familiesOf(figures.calls, (sources) =>
    sources.carriers.map(({ process, id, http }) => ({ ...http, process, id })),
  ),
  ...familiesOf(figures.guards, (sources) =>
    sources.carriers.flatMap(({ process, id, guard }) =>
      guard === undefined
        ? []
        : [{ ...guard, process, id, circuits: { ...noCircuits, [guard.circuit]: 1 } }],
    ),
  ),
  ...familiesOf(figures.coalescers, (sources) => sources.coalescers),
  ...familiesOf(figures.kept, (sources) => sources.kept),
  ...familiesOf(figures.pools, (sources) =>
    sources.pools.map((pool) => ({ ...pool, ...pool.buckets })),
  ),
  ...familiesOf(figures.fleetHosts, (sources) => sources.fleets),
  ...familiesOf(figures.hosts, (sources) => sources.hosts),
  ...familiesOf(figures.fleets, (sources) => sources.fleets),
  ...familiesOf(figures.fallbacks, (sources) =>
    sources.pools.flatMap(({ process, pool, fallback }) =>
      fallback === undefined ? [] : [{ ...fallback, process, pool }],
    ),
  ),
  ...familiesOf(figures.keys, (sources) => sources.fleets),
  ...familiesOf(figures.members, (sources) =>
    sources.fleets.flatMap(({ process, served }) => (served ? [{ ...served, process }] : [])),
  ),
  ...familiesOf(figures.router, (sources) => (sources.router ? [sources.router] : [])),
  ...familiesOf(figures.slots, ({ router: all }) =>
    (all?.workers ?? []).map((slot) => ({ ...slot, process: 'primary' })),
  ),
  ...familiesOf(figures.load, ({ processes }) => processes),
];

type Value = number | Given<BucketCounts>;
/** Value of a figure; a record has a series for each entry. */
type Values = Value | Readonly<Record<string, Value>> | undefined;

type Measured = { readonly metric: Metric };
/** Members that metrics and labels of a table are read from; a row of the view may lack some. */
type SourceOf<F, L> = {
  readonly [N in keyof F as F[N] extends Measured ? N : never]?: Values;
} & {
  readonly [N in keyof F as F[N] extends Measured
    ? F[N] extends { readonly view: unknown }
      ? never
      : N
    : never]: Values;
} & { readonly [N in L[keyof L] & string]: string | number };

/** Returns the families of a table: one for each metric, with the series of all figures that share it. */
function familiesOf<F extends Figures, L extends Labels>(
  { labels, figures: rows }: Table<F, L>,
  sources: (from: Sources) => readonly SourceOf<F, L>[],
): Family<Sources>[] {
  const all = Object.entries(rows).flatMap(([name, { metric, as = name }]) =>
    metric === undefined ? [] : [{ name, metric, as }],
  );
  return [...new Set(all.map(({ metric }) => metric))].map((metric) => {
    const label = Object.keys(metric.labels).find((each) => !(each in labels));
    const own = all.filter((each) => each.metric === metric);
    const read = (from: Sources) =>
      sources(from).flatMap((source) => {
        const members = source as Readonly<Record<string, unknown>>;
        const shared = Object.entries(labels).map(([each, of]) => [each, String(members[of])]);
        return own.flatMap(({ name, as }) =>
          entriesOf(members[name] as Values, { label, as }).map(([more, value]) => ({
            labels: { ...Object.fromEntries(shared), ...more } as Labels,
            value,
          })),
        );
      });
    return familyFrom(metric, read);
  });
}

/** Returns the values of a figure, each with the label that it has of its own. */
function entriesOf(
  values: Values,
  { label, as }: { readonly label: string | undefined; readonly as: string },
): (readonly [Labels, Value])[] {
  if (values === undefined) return [];
  if (label === undefined) return [[{}, values as Value]];
  if (typeof values === 'number') return [[{ [label]: as }, values]];
  return Object.entries(values).map(([key, value]) => [{ [label]: key }, value]);
}

type Read = (from: Sources) => readonly { readonly labels: Labels; readonly value: Value }[];

function familyFrom(metric: Metric, read: Read): Family<Sources> {
  const { kind } = metric;
  if (kind === 'histogram') {
    return histogramOf({ ...metric, kind }, (from: Sources) =>
      read(from).map(({ labels, value }) => ({
        labels,
        buckets: bucketsInSeconds(value as Given<BucketCounts>),
      })),
    );
  }
  const scale = /_seconds(?:_total)?$/.test(prometheusName(metric)) ? MS_PER_S : 1;
  return familyOf({ ...metric, kind }, (from: Sources) => {
    const points = read(from).map(({ labels, value }) => ({
      labels,
      value: Number(value) / scale,
    }));
    return kind === 'gauge' ? highest(points) : points;
  });
}

/** Gauges of equal labels cannot be added. They are rare: hosts of one name have them. */
function highest(points: readonly Point[]): readonly Point[] {
  const found = new Map<string, Point>();
  for (const point of points) {
    const key = JSON.stringify(point.labels);
    const known = found.get(key);
    if (known === undefined || known.value < point.value) found.set(key, point);
  }
  return [...found.values()];
}
