import cluster from 'node:cluster';

/**
 * Sets who gives connections to workers. node:cluster fixes it with the first worker of the process.
 *
 * @throws TypeError if it is fixed already, as the other one
 */
export function setSchedulingPolicy(policy: 'round-robin' | 'shared'): void {
  const wanted = policy === 'shared' ? cluster.SCHED_NONE : cluster.SCHED_RR;
  const isFixed = Object.keys(cluster.settings).length > 0;
  if (!isFixed) cluster.schedulingPolicy = wanted;
  else if (cluster.schedulingPolicy !== wanted) {
    const expected = `the one that this process began with (${policy === 'shared' ? 'round-robin' : 'shared'})`;
    throw new TypeError(
      `Cannot start cluster: schedulingPolicy must be ${expected}, got ${policy}`,
    );
  }
}
