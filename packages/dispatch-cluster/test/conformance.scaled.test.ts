import type { Dispatcher, PoolOptions } from '@ticketing/dispatch';
import {
  type ConformanceTasks,
  conformanceCases,
  splitCases,
} from '@ticketing/dispatch-conformance';
import { scaled } from '@ticketing/test-kit';
import { test } from 'vitest';
import { resolveClusterOptions } from '../src/cluster-options.ts';
import { ClusterSupervisor } from '../src/cluster-supervisor.ts';

const entry = new URL('fixtures/tasks-worker.ts', import.meta.url);

/** Returns the dispatcher of a cluster without servers; its `close()` closes the cluster. */
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

const all = conformanceCases({
  kind: 'cluster',
  capabilities: { isolation: 'process', hardKill: true, transfer: false, streams: true },
  reclaims: true,
  create: (module, options) => create(module, options),
  createWithSmallHeap: (module, options) => create(module, options, ['--max-old-space-size=64']),
});

/** Cases of `npm test`: those in which a supervisor has a part. Forked workers cover the rest there. */
const { chosen } = splitCases(all, [
  'loss: SIGKILL',
  'streams: items come',
  'close: close() ends a worker',
]);

for (const { name, skip, run } of scaled({ fast: chosen, full: all })) {
  const title = skip === undefined ? name : `${name} (skipped: ${skip})`;
  test(title, { skip: skip !== undefined }, run);
}
