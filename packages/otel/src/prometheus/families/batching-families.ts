import { figures } from '../../figures.ts';
import { byLabel, type Family } from '../family.ts';
import { familyOf } from '../family-of.ts';
import { type Named, pointOf } from './named.ts';

interface CoalescerCounts extends Named {
  readonly led: number;
  readonly joined: number;
  readonly hits: number;
  readonly errorHits: number;
  readonly overflowed: number;
  readonly loaded: number;
  readonly inFlight: number;
  readonly kept: number;
}

interface StreamCounts extends Named {
  readonly opened: number;
  readonly joined: number;
  readonly overflowed: number;
  readonly inFlight: number;
  readonly readers: number;
}

interface BatcherCounts extends Named {
  readonly batches: number;
  readonly loaded: number;
  readonly failed: number;
  readonly joined: number;
  readonly hits: number;
  readonly overflowed: number;
}

interface SharedCounts extends Named {
  readonly led: number;
  readonly local: number;
  readonly kept: number;
  readonly followed: number;
  readonly renewals: number;
  readonly repeated: number;
  readonly inFlight: number;
}

interface CoordinatorCounts extends Named {
  readonly state: 'up' | 'down';
  readonly downs: number;
  readonly errors: number;
  readonly timeouts: number;
}

/** Statistics of `batching` and `batching-redis`: what `stats()` returns. */
export interface BatchingStats {
  readonly coalescers?: readonly CoalescerCounts[];
  readonly streamCoalescers?: readonly StreamCounts[];
  readonly batchers?: readonly BatcherCounts[];
  readonly sharedLoads?: readonly SharedCounts[];
  readonly coordinators?: readonly CoordinatorCounts[];
}

/** Families of coalescers, batchers and shared loads. */
export const batchingFamilies: readonly Family<BatchingStats>[] = [
  familyOf(figures.coalescerCalls, ({ coalescers = [] }) =>
    coalescers.flatMap(({ name, led, joined, hits, errorHits, overflowed }) =>
      byLabel('outcome', {
        labels: { name },
        values: { led, joined, hit: hits + errorHits, overflowed },
      }),
    ),
  ),
  familyOf(figures.coalescerLoads, ({ coalescers = [] }) => coalescers.map(pointOf('loaded'))),
  familyOf(figures.coalescerActive, ({ coalescers = [] }) => coalescers.map(pointOf('inFlight'))),
  familyOf(figures.coalescerKept, ({ coalescers = [] }) => coalescers.map(pointOf('kept'))),
  familyOf(figures.streamCalls, ({ streamCoalescers = [] }) =>
    streamCoalescers.flatMap(({ name, opened, joined, overflowed }) =>
      byLabel('outcome', { labels: { name }, values: { opened, joined, overflowed } }),
    ),
  ),
  familyOf(figures.streamActive, ({ streamCoalescers = [] }) =>
    streamCoalescers.map(pointOf('inFlight')),
  ),
  familyOf(figures.streamReaders, ({ streamCoalescers = [] }) =>
    streamCoalescers.map(pointOf('readers')),
  ),
  familyOf(figures.batcherBatches, ({ batchers = [] }) => batchers.map(pointOf('batches'))),
  familyOf(figures.batcherKeys, ({ batchers = [] }) => batchers.map(pointOf('loaded'))),
  familyOf(figures.batcherFailures, ({ batchers = [] }) => batchers.map(pointOf('failed'))),
  familyOf(figures.batcherCalls, ({ batchers = [] }) =>
    batchers.flatMap(({ name, joined, hits, overflowed }) =>
      byLabel('outcome', { labels: { name }, values: { joined, hit: hits, overflowed } }),
    ),
  ),
  familyOf(figures.sharedCalls, ({ sharedLoads = [] }) =>
    sharedLoads.flatMap(({ name, led, renewals, repeated, local, kept, followed }) =>
      // A renewal answers no call, and a repeated load answers one that it had led already.
      byLabel('outcome', {
        labels: { name },
        values: { led: led - renewals - repeated, local, kept, followed },
      }),
    ),
  ),
  familyOf(figures.sharedActive, ({ sharedLoads = [] }) => sharedLoads.map(pointOf('inFlight'))),
  familyOf(figures.sharedRenewals, ({ sharedLoads = [] }) => sharedLoads.map(pointOf('renewals'))),
  familyOf(figures.coordinatorUp, ({ coordinators = [] }) =>
    coordinators.map(({ name, state }) => ({ labels: { name }, value: state === 'up' ? 1 : 0 })),
  ),
  familyOf(figures.coordinatorDowns, ({ coordinators = [] }) => coordinators.map(pointOf('downs'))),
  familyOf(figures.coordinatorErrors, ({ coordinators = [] }) =>
    coordinators.flatMap(({ name, errors, timeouts }) =>
      byLabel('how', { labels: { name }, values: { failed: errors, late: timeouts } }),
    ),
  ),
];
