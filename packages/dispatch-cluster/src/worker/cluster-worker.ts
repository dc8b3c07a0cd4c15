import { serveAlone } from './serve-alone.ts';
import { startWorker } from './start-worker.ts';
import type { ClusterWorker } from './worker.ts';
import { hasRole, takeWorkerStart } from './worker-messages.ts';
import { type ClusterWorkerOptions, checkWorkerOptions, resolveStandalone } from './worker-options.ts';

const ACTION = 'serve as cluster worker';

/**
 * Makes this process, which `startCluster` started, a worker that serves requests and tasks. Must be called once, at the
 * start of the program. When the primary ends the worker, the worker accepts no further connections, answers with
 * `Connection: close`, finishes the requests in flight, closes the server and exits. SIGINT, SIGTERM and SIGHUP, which reach all
 * processes of a terminal or of a service, are left to the primary; SIGTERM to one worker replaces it.
 *
 * @throws TypeError for options, in a process that `startCluster` did not start, unless `standalone` is set, and for a second call
 * @example
 * clusterWorker({ server: () => http.createServer(handle), listen: { port: 8080 } });
 */
export function clusterWorker(options: ClusterWorkerOptions): ClusterWorker {
  const start = takeWorkerStart(process.env);
  const isAlone = start === undefined && Boolean(Object(options).standalone);
  checkWorkerOptions(ACTION, options, start?.connections ?? (isAlone ? 'own' : 'external'));
  const alone = resolveStandalone(ACTION, options);
  if (start === undefined) {
    if (hasRole()) throw new TypeError(`Cannot ${ACTION}: \`clusterWorker\` was called before`);
    if (alone !== undefined) return serveAlone(options, alone);
    throw new TypeError(
      `Cannot ${ACTION}: \`startCluster\` has not started this process; run the program that calls it, or set \`standalone\` to true`,
    );
  }
  return startWorker(options, start).worker;
}
