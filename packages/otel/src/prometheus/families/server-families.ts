import type { BucketCounts } from '@ticketing/kit';
import { figures } from '../../figures.ts';
import { byLabel, type Family } from '../family.ts';
import { familyOf, histogramOf } from '../family-of.ts';
import { bucketsInSeconds } from '../in-seconds.ts';
import type { DispatcherCounts } from './dispatch-families.ts';
import { type Named, pointOf } from './named.ts';

/** Connections of a router, as its `stats()` has them. */
interface RouterCounts {
  readonly handedOver: number;
  readonly refused: number;
  readonly rerouted: number;
  readonly gone: number;
  readonly waiting: number;
  readonly claimMs: BucketCounts;
  readonly workers: readonly {
    readonly slot: string;
    readonly state: 'starting' | 'ready' | 'stuck' | 'retired' | 'down';
    readonly open: number;
  }[];
}

/** Requests and connections of a cluster, as its `stats()` has them. */
interface ClusterCounts extends Named {
  readonly requests: number;
  readonly inFlight: number;
  readonly connections: number;
  readonly waitingConnections: number;
  readonly droppedConnections: number;
  readonly wedgedWorkers: number;
  readonly memoryBytes: number;
  readonly dispatcher: DispatcherCounts;
}

/** Requests of an admission, as its `stats()` has them. */
interface AdmissionCounts {
  readonly limit: number | null;
  readonly inFlight: number;
  readonly waiting: number;
  readonly admitted: number;
  readonly joined: number;
  readonly refused: { readonly busy: number; readonly late: number };
  readonly left: number;
}

/** Statistics of what serves connections and requests: what `stats()` returns. */
export interface ServerStats {
  /** Routers have no names, and are added. */
  readonly routers?: readonly RouterCounts[];
  /** Clusters; the pool of their workers is among the dispatchers. */
  readonly clusters?: readonly ClusterCounts[];
  /** Admissions have no names, and are added. */
  readonly admissions?: readonly AdmissionCounts[];
}

/** Families of routers, clusters and admissions. */
export const serverFamilies: readonly Family<ServerStats>[] = [
  familyOf(figures.routerConnections, ({ routers = [] }) =>
    routers.flatMap(({ handedOver, refused, rerouted, gone }) =>
      byLabel('outcome', {
        labels: {},
        values: { 'handed-over': handedOver, refused, rerouted, gone },
      }),
    ),
  ),
  histogramOf(figures.routerClaim, ({ routers = [] }) =>
    routers.map(({ claimMs }) => ({ labels: {}, buckets: bucketsInSeconds(claimMs) })),
  ),
  // While a process is replaced, two have its slot: their connections are added.
  familyOf(figures.routerOpen, ({ routers = [] }) =>
    routers.flatMap(({ workers }) =>
      workers.map(({ slot, open }) => ({ labels: { slot }, value: open })),
    ),
  ),
  familyOf(figures.routerWaiting, ({ routers = [] }) =>
    routers.map(({ waiting }) => ({ labels: {}, value: waiting })),
  ),
  familyOf(figures.routerWorkers, ({ routers = [] }) =>
    routers.flatMap(({ workers }) => {
      const states = { starting: 0, ready: 0, stuck: 0, retired: 0, down: 0 };
      for (const { state } of workers) states[state] += 1;
      return byLabel('state', { labels: {}, values: states });
    }),
  ),
  familyOf(figures.clusterRequests, ({ clusters = [] }) => clusters.map(pointOf('requests'))),
  familyOf(figures.clusterActive, ({ clusters = [] }) => clusters.map(pointOf('inFlight'))),
  familyOf(figures.clusterConnections, ({ clusters = [] }) => clusters.map(pointOf('connections'))),
  familyOf(figures.clusterWaiting, ({ clusters = [] }) =>
    clusters.map(pointOf('waitingConnections')),
  ),
  familyOf(figures.clusterDropped, ({ clusters = [] }) =>
    clusters.map(pointOf('droppedConnections')),
  ),
  familyOf(figures.clusterWedged, ({ clusters = [] }) => clusters.map(pointOf('wedgedWorkers'))),
  familyOf(figures.clusterMemory, ({ clusters = [] }) => clusters.map(pointOf('memoryBytes'))),
  familyOf(figures.admissionRequests, ({ admissions = [] }) =>
    admissions.flatMap(({ admitted, joined, refused: { busy, late }, left }) =>
      byLabel('outcome', {
        labels: {},
        values: { admitted: admitted - joined, joined, busy, late, left },
      }),
    ),
  ),
  familyOf(figures.admissionActive, ({ admissions = [] }) =>
    admissions.map(({ inFlight }) => ({ labels: {}, value: inFlight })),
  ),
  familyOf(figures.admissionWaiting, ({ admissions = [] }) =>
    admissions.map(({ waiting }) => ({ labels: {}, value: waiting })),
  ),
  familyOf(figures.admissionLimit, ({ admissions = [] }) =>
    admissions.flatMap(({ limit }) => (limit === null ? [] : [{ labels: {}, value: limit }])),
  ),
];
