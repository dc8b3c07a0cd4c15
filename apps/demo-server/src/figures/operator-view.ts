import { carrierKinds } from '../carriers/carriers.ts';
import { dispatchKind } from '../flags/dispatch-kinds.ts';
import type { Flags } from '../flags/flag-specs.ts';
import { showKeepTimes } from '../flags/flag-values.ts';
import { versions } from '../processes/versions.ts';
import { rowOf } from './figure.ts';
import * as figures from './figures.ts';
import type { ProcessStatus } from './process-status.ts';
import { type SourceContext, sourcesOf } from './sources.ts';
import { fleetsAndKeys, type ServerView, type UpstreamView } from './view-schema.ts';

/** Facts that the counters of the processes do not contain. */
export interface ViewContext extends SourceContext {
  /** Epoch ms. */
  readonly startedAt: number;
  /** Reports of the embedded simulator; absent with any other upstream. */
  readonly upstream?: readonly UpstreamView[] | undefined;
  /** The latest load that was asked for on the page. */
  readonly load?: ServerView['load'] | undefined;
}

/** Returns the whole server in one value, from what its processes report. */
export function operatorView(statuses: readonly ProcessStatus[], context: ViewContext): ServerView {
  const { at, startedAt, flags, upstream, load } = context;
  const sources = sourcesOf(statuses, context);
  return {
    at,
    startedAt,
    versions,
    modes: modesOf(flags),
    processes: sources.processes.map((each) => rowOf(figures.processes, each)),
    searches: sources.searches.map((each) => rowOf(figures.searches, each)),
    routes: sources.routes.map((each) => rowOf(figures.routes, each)),
    coalesce: sources.coalescers.map((each) => rowOf(figures.coalescers, each)),
    ...(flags.keep !== 'off' && { kept: sources.kept.map((each) => rowOf(figures.kept, each)) }),
    pools: sources.pools.map((each) => rowOf(figures.pools, each)),
    fleets: sources.fleets.map((each) => rowOf(fleetsAndKeys, each)),
    hosts: sources.hosts.map((each) => rowOf(figures.hosts, each)),
    ...(sources.router && { router: rowOf(figures.router, sources.router) }),
    ...(sources.cluster && { cluster: rowOf(figures.cluster, sources.cluster) }),
    coordinators: sources.coordinators.map((each) => rowOf(figures.coordinators, each)),
    carriers: sources.carriers.map((each) => rowOf(figures.carriers, each)),
    // The simulator plays carriers that this server does not ask, too.
    ...(upstream && {
      upstream: upstream.filter(({ id }) => flags.carriers.some((one) => one === id)),
    }),
    ...(load && { load: { ...load, answers: { ...load.answers } } }),
  };
}

/** Returns how the server is composed. */
export function modesOf(flags: Flags): ServerView['modes'] {
  const { accept, workers, dispatch, dispatchWorkers, offload, coalesce, fleet, routeBy } = flags;
  const { deadlineMs, carriers, keep } = flags;
  const hasRouter = accept === 'socket' || accept === 'passthru';
  return {
    accept,
    workers,
    dispatch,
    dispatchWorkers,
    offload,
    coalesce,
    ...(keep !== 'off' && { keep: showKeepTimes(keep) }),
    ...((dispatchKind(dispatch).inFleet || coalesce === 'fleet') && { fleet }),
    ...(hasRouter && { routeBy }),
    tls: flags.tlsCert !== undefined,
    controls: flags.operator,
    deadlineMs,
    carriers: Object.fromEntries(carriers.map((id) => [id, carrierKinds[id].title])),
  };
}
