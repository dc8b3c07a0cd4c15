// Loaded by Node before a program that the command runs in workers: the first HTTP server that the program lets listen becomes the
// worker's server, as if the program had called `clusterWorker`. A program that calls it is left alone.
import net from 'node:net';
import { isMainThread } from 'node:worker_threads';
import type { TaskMap, TaskModule } from '@ticketing/dispatch';
import { portOptions } from '../worker/port-client.ts';
import { startWorker } from '../worker/start-worker.ts';
import { hasPrimary, hasRole, takeWorkerStart, terminated } from '../worker/worker-messages.ts';
import type { HttpServer } from '../worker/worker-options.ts';
import type { WorkerServer } from '../worker/worker-server.ts';
import { HeldSignals } from './held-signals.ts';

/** Most milliseconds for the program's own end, of the time that the primary leaves it. */
const END_MS = 2000;

type Listen = (this: net.Server, ...args: unknown[]) => net.Server;

// Threads and children of the program inherit the Node option that loads this file.
if (isMainThread && hasPrimary(process.env) && !hasRole()) adoptServers();

/** Watches for servers that the program lets listen. */
function adoptServers(): void {
  // Bound before the program can replace it.
  const send = process.send?.bind(process);
  const signals = new HeldSignals(() => send?.(terminated, undefined, undefined, () => {}));
  const { prototype } = net.Server;
  const listen = prototype.listen as Listen;
  let adopted: WorkerServer | undefined;
  // A program that ends without a server ends its process, as it would without the command.
  process.channel?.unref();
  prototype.listen = function (this: net.Server, ...args: unknown[]): net.Server {
    if (!isHttp(this) || portOptions(args) === undefined) return listen.apply(this, args);
    if (adopted !== undefined) {
      adopted.serveAlso(this);
      return listen.apply(this, args);
    }
    // The program has called `clusterWorker`.
    const start = takeWorkerStart(process.env);
    if (start === undefined) return listen.apply(this, args);
    process.channel?.ref();
    signals.hold(() => {
      adopted = adopt(this as HttpServer, args);
    });
    return this;

    function adopt(server: HttpServer, given: readonly unknown[]): WorkerServer {
      const callback = given.at(-1);
      if (typeof callback === 'function') server.once('listening', callback as () => void);
      const teardown = (): Promise<void> => {
        endCallsBack(server);
        return signals.release(END_MS);
      };
      const tasks: TaskModule<TaskMap> = { tasks: {}, hooks: { teardown } };
      const options = { server, listen: portOptions(given) ?? {}, tasks };
      const started = startWorker(options, start as NonNullable<typeof start>);
      void started.worker.server.then(
        () => leaveByClose(server, () => started.worker.close()),
        // The primary reports it.
        () => {},
      );
      return started.server;
    }
  } as typeof prototype.listen;
}

function isHttp(server: net.Server): server is HttpServer {
  // A server of connections alone has no timeout of requests.
  return 'setTimeout' in server;
}

/** Makes `server.close()` of the program let the worker leave: the platform's does not know connections that the primary hands over. */
function leaveByClose(server: HttpServer, leave: () => Promise<void>): void {
  server.close = ((callback?: () => void) => {
    void leave().then(() => callback?.());
    return server;
  }) as typeof server.close;
}

/** Makes `server.close()` of the program call back at once: the server is closed. */
function endCallsBack(server: HttpServer): void {
  leaveByClose(server, () => Promise.resolve());
}
