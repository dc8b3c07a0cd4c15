import type { Dispatcher, PoolOptions } from '@ticketing/dispatch';
import { type ConformanceTasks, conformanceCases } from '@ticketing/dispatch/testing';
import { test } from 'vitest';
import { resolveClusterOptions } from '../src/cluster-options.ts';
import { ClusterSupervisor } from '../src/cluster-supervisor.ts';

const entry = new URL('fixtures/tasks-worker.ts', import.meta.url);

/** The dispatcher of a cluster without servers; with it the cluster is closed. */
function create(
  module: URL,
  options: PoolOptions,
  execArgv: readonly string[] = [],
): Dispatcher<ConformanceTasks> {
  const { cluster, pool } = resolveClusterOptions('start cluster', {
    entry,
    env: { ...process.env, TASKS: module.href },
    execArgv: ['--conditions=@ticketing/source', ...execArgv],
    workers: 1,
  });
  const { min: _, stopGraceMs: __, ...kept } = pool;
  const supervisor = new ClusterSupervisor({ cluster, pool: { ...kept, ...options } });
  const dispatcher = supervisor.dispatcher<ConformanceTasks>();
  const close = dispatcher.close.bind(dispatcher);
  return Object.assign(dispatcher, {
    async close(how?: { readonly graceMs?: number }) {
      const closed = supervisor.close(how);
      await Promise.all([closed, close(how)]);
    },
  });
}

const cases = conformanceCases({
  kind: 'cluster',
  capabilities: { isolation: 'process', hardKill: true, transfer: false },
  reclaims: true,
  create: (module, options) => create(module, options),
  createWithSmallHeap: (module, options) => create(module, options, ['--max-old-space-size=64']),
});

/** What `npm test` runs. The others are run by `npm test` on forked workers, which are processes too. */
const SHORT = new Set([
  'queue',
  'capacity',
  'order',
  'abort',
  'timeouts',
  'retries',
  'drain',
  'reload',
  'close',
  'statistics',
]);

/** The cases of the groups of `npm test`, or all others. */
export function testConformance({ isShort }: { readonly isShort: boolean }): void {
  for (const { name, skip, run } of cases) {
    const [group = ''] = name.split(':');
    if (SHORT.has(group) !== isShort) continue;
    test(
      skip === undefined ? name : `${name} (skipped: ${skip})`,
      { skip: skip !== undefined },
      run,
    );
  }
}
