// A process that serves in a cluster, and runs tasks for the others.

import { defineTasks } from '@ticketing/dispatch';
import { clusterWorker, primaryDispatcher } from '@ticketing/dispatch-cluster';
import { carrierTasks, createCarriers } from './carriers.ts';
import type { PrimaryTasks, ServingTasks } from './cluster-tasks.ts';
import { compose, type Parts } from './compose.ts';
import { buildServer } from './server.ts';
import { ownStatus, shownFlags } from './server-state.ts';
import { servingStart } from './serving-program.ts';

const { flags, carriersUrl } = servingStart();
const carriers = createCarriers({ carriersUrl, ouigo: flags.ouigo }, Date.now);
const primary = primaryDispatcher<PrimaryTasks>();
let parts: Parts;

const tasks = defineTasks<ServingTasks>(
  {
    ...carrierTasks(carriers),
    document: (question, { signal }) => parts.findDocument(question, { signal }),
    status: () => ownStatus(parts),
  },
  {
    async setup() {
      parts = await compose(flags, { carriers, now: Date.now, primary });
    },
    async teardown() {
      await parts.close();
      await primary.close();
    },
  },
);

const worker = clusterWorker({
  server: () =>
    buildServer(
      {
        parts,
        draining: () => worker.isDraining(),
        config: () => shownFlags(flags, carriersUrl),
        processes: () => primary.run('overview', undefined, { timeoutMs: 5000 }),
      },
      flags,
    ),
  listen: { port: flags.port, host: flags.host },
  tasks,
});
