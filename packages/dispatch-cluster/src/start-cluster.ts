import cluster from 'node:cluster';
import { type ClusterOptions, resolveClusterOptions } from './cluster-options.ts';
import { ClusterSupervisor } from './cluster-supervisor.ts';
import { setSchedulingPolicy } from './scheduling-policy.ts';
import type { Supervisor } from './supervisor.ts';

/**
 * Runs the program of `entry` in workers of node:cluster, and keeps them: replaces those that end, hang or grow, and
 * opens a circuit when they fail again and again. The process is held until `close()`, which the
 * caller must call, unless `signals` do.
 *
 * @throws TypeError or RangeError for options, and in a process that is a worker of node:cluster itself
 * @example
 * const supervisor = startCluster({ entry: new URL('./server.js', import.meta.url), signals: true });
 * await supervisor.ready();
 */
export function startCluster(options: ClusterOptions): Supervisor {
  const resolved = resolveClusterOptions('start cluster', options);
  if (!cluster.isPrimary) {
    throw new TypeError(
      'Cannot start cluster: a primary process expected, got a worker of node:cluster',
    );
  }
  setSchedulingPolicy(resolved.cluster.schedulingPolicy);
  return new ClusterSupervisor(resolved);
}
