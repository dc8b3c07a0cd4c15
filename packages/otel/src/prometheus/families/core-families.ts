import type { BucketCounts } from '@ticketing/kit';
import { figures } from '../../figures.ts';
import { byLabel, type Distribution, type Family, type Labels } from '../family.ts';
import { familyOf, histogramOf } from '../family-of.ts';
import { bucketsInSeconds } from '../in-seconds.ts';

/** Calls of a search or a scatter, as `stats()` of `core` has them. */
interface CallCounts {
  readonly running: number;
  readonly complete: number;
  readonly partial: number;
  readonly aborted: number;
  readonly latency: Readonly<Record<string, Readonly<Record<string, BucketCounts>>>>;
}

/** Requests to one carrier, as `stats()` of its HTTP pools has them. */
interface HttpCounts {
  readonly sent: number;
  readonly retried: number;
  readonly refused: number;
}

/** Statistics of `core` and `carriers`. */
export interface CoreStats {
  /** `stats()` of searches; they have no names, and are added. */
  readonly searches?: readonly CallCounts[];
  /** `stats()` of scatters, by their name. */
  readonly scatters?: Readonly<Record<string, CallCounts>>;
  /** `stats()` of HTTP pools, by carrier. */
  readonly carrierHttp?: Readonly<Record<string, HttpCounts>>;
}

/** Families of searches, scatters and the HTTP of carriers. */
export const coreFamilies: readonly Family<CoreStats>[] = [
  familyOf(figures.search, ({ searches = [] }) => searches.flatMap((each) => outcomes({}, each))),
  familyOf(figures.searchActive, ({ searches = [] }) =>
    searches.map(({ running }) => ({ labels: {}, value: running })),
  ),
  histogramOf(figures.carrierDuration, ({ searches = [] }) =>
    searches.flatMap((each) => durations({ label: 'carrier', labels: {} }, each)),
  ),
  ...(['sent', 'retried', 'refused'] as const).map((what) => {
    const {
      carrierHttpSent: sent,
      carrierHttpRetried: retried,
      carrierHttpRefused: refused,
    } = figures;
    return familyOf({ sent, retried, refused }[what], ({ carrierHttp = {} }: CoreStats) =>
      Object.entries(carrierHttp).map(([carrier, http]) => ({
        labels: { carrier },
        value: http[what],
      })),
    );
  }),
  familyOf(figures.scatterCalls, ({ scatters = {} }) =>
    Object.entries(scatters).flatMap(([name, each]) => outcomes({ name }, each)),
  ),
  familyOf(figures.scatterActive, ({ scatters = {} }) =>
    Object.entries(scatters).map(([name, { running }]) => ({ labels: { name }, value: running })),
  ),
  histogramOf(figures.sourceDuration, ({ scatters = {} }) =>
    Object.entries(scatters).flatMap(([name, each]) =>
      durations({ label: 'source', labels: { name } }, each),
    ),
  ),
];

function outcomes(labels: Labels, { complete, partial, aborted }: CallCounts) {
  return byLabel('outcome', { labels, values: { complete, partial, aborted } });
}

function durations(
  { label, labels }: { readonly label: string; readonly labels: Labels },
  { latency }: CallCounts,
): readonly Distribution[] {
  return Object.entries(latency).flatMap(([id, byState]) =>
    Object.entries(byState).map(([state, counts]) => ({
      labels: { ...labels, [label]: id, state },
      buckets: bucketsInSeconds(counts),
    })),
  );
}
