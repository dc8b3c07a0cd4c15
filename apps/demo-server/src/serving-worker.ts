// A server process: it answers HTTP, and runs tasks for the other processes.
import { defineTasks } from '@ticketing/dispatch';
import { clusterWorker, type HttpServer, primaryDispatcher } from '@ticketing/dispatch-cluster';
import { attachServer, type WorkerHandle } from '@ticketing/socket-router/worker';
import { answerTasks } from './answers/answer-tasks.ts';
import { routeFunction } from './answers/route-function.ts';
import { carrierTasks, createCarriers } from './carriers/carriers.ts';
import { buildServer, readTls } from './compose/build-server.ts';
import { compose, type Parts } from './compose/compose.ts';
import { servingStart } from './compose/process-start.ts';
import { carrierSettings } from './flags/carrier-settings.ts';
import type { PrimaryTasks, ServingTasks } from './serving/serving.ts';
import { startTelemetry } from './telemetry/start-telemetry.ts';
import { type Telemetry, telemetryOf } from './telemetry/telemetry.ts';

const primaryLimit = { timeoutMs: 5000 };
const { flags, carriersUrl, worms, startedAt, ticketKeys } = servingStart();
const carriers = createCarriers(carrierSettings(flags, carriersUrl), Date.now);
const primary = primaryDispatcher<PrimaryTasks>();
const tls = readTls(flags);
const route = routeFunction(flags);
let parts: Parts;
let telemetry: Telemetry;
let attached: WorkerHandle | undefined;
let isLeaving = false;

const tasks = defineTasks<ServingTasks>(
  {
    ...carrierTasks(carriers),
    ...answerTasks(() => parts.own),
    status() {
      const status = parts.status();
      return { ...status, stats: { ...status.stats, attached: attached?.stats() } };
    },
    leave() {
      isLeaving = true;
    },
  },
  {
    async setup({ slot }) {
      telemetry = await startTelemetry(telemetryOf(flags, `server-${slot}`));
      parts = await compose(flags, { carriers, now: Date.now, worms, primary, telemetry });
    },
    async teardown() {
      await parts.close();
      await primary.close();
      await telemetry.close();
    },
  },
);

const worker = clusterWorker({
  server: () =>
    buildServer({
      flags,
      carriersUrl,
      startedAt,
      parts,
      // A primary that leaves its fleet, and a router that closes, report it before the supervisor does.
      draining: () => isLeaving || worker.isDraining() || attached?.draining.aborted === true,
      processes: () => primary.run('overview', undefined, primaryLimit),
      operator: {
        view: () => primary.run('view', undefined, primaryLimit),
        next: (after) => primary.run('nextView', after, primaryLimit),
        history: () => primary.run('history', undefined, primaryLimit),
        control: (command) => primary.run('control', command, primaryLimit),
      },
      tls: tls && { ...tls, ticketKeys: Buffer.from(ticketKeys, 'base64') },
    }),
  ...(flags.accept === 'cluster'
    ? { listen: { port: flags.port, host: flags.host } }
    : {
        attach(server: HttpServer) {
          attached = attachServer(server, route && { route });
          return attached;
        },
      }),
  tasks,
});
