// A process that serves in a cluster, and runs tasks for the others.
import { defineTasks } from '@ticketing/dispatch';
import { clusterWorker, type HttpServer, primaryDispatcher } from '@ticketing/dispatch-cluster';
import { attachWorker } from '@ticketing/socket-router';
import { compose, type Parts } from './compose.ts';
import { buildServer } from './http/server.ts';
import { ownStatus, shownFlags } from './http/server-state.ts';
import { questionTasks } from './questions.ts';
import { carrierTasks, createCarriers } from './search/carriers.ts';
import type { PrimaryTasks, ServingTasks } from './serving/cluster-tasks.ts';
import { routeBy } from './serving/route-by.ts';
import { servingStart } from './serving/serving.ts';
import { readTls } from './serving/tls-files.ts';

const { flags, carriersUrl, worms, ticketKeys } = servingStart();
const carriers = createCarriers({ carriersUrl, ouigo: flags.ouigo }, Date.now);
const primary = primaryDispatcher<PrimaryTasks>();
const tls = readTls(flags);
const route = routeBy(flags);
let parts: Parts;

const tasks = defineTasks<ServingTasks>(
  {
    ...carrierTasks(carriers),
    ...questionTasks(() => parts.local),
    status: () => ownStatus(parts),
  },
  {
    async setup() {
      parts = await compose(flags, { carriers, now: Date.now, worms, primary });
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
      {
        logRequests: flags.logRequests,
        requestTimeoutMs: flags.requestTimeoutMs,
        tls: tls && { ...tls, ticketKeys: Buffer.from(ticketKeys, 'base64') },
      },
    ),
  ...(flags.accept === 'cluster'
    ? { listen: { port: flags.port, host: flags.host } }
    : { attach: (server: HttpServer) => attachWorker(server, route && { route }) }),
  tasks,
});
