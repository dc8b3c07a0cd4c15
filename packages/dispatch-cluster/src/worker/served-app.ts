import { once } from 'node:events';
import type { ListenOptions } from 'node:net';
import os from 'node:os';
import { showValue } from '@ticketing/kit';
import {
  type ClusterWorkerOptions,
  type HttpServer,
  isServer,
  type ServerApp,
} from './worker-options.ts';

/** A server, as a worker needs it, whatever it was made of. */
export interface ServedApp {
  readonly server: HttpServer;
  /** Resolves when it could listen. */
  ready(): Promise<void>;
  /** Resolves when it listens. @throws what keeps it from that */
  listen(options: ListenOptions): Promise<void>;
  /** Resolves when nothing of it is left. */
  close(): Promise<void>;
}

/** Gives what is to be served one form. @throws TypeError for what a factory made, if it is no server */
export async function createServedApp(
  given: NonNullable<ClusterWorkerOptions['server']>,
): Promise<ServedApp> {
  const made: unknown = typeof given === 'function' ? await given() : given;
  if (!isServer(made)) {
    throw new TypeError(
      `Cannot serve as cluster worker: a server or an application with one expected, got ${showValue(made)}`,
    );
  }
  return 'server' in made ? ofApp(made) : ofServer(made);
}

function ofApp(app: ServerApp): ServedApp {
  return {
    server: app.server,
    async ready() {
      await app.ready?.();
    },
    async listen(options) {
      await app.listen({ host: anyAddress(), ...options });
    },
    async close() {
      await app.close();
    },
  };
}

function ofServer(server: HttpServer): ServedApp {
  return {
    server,
    ready: () => Promise.resolve(),
    async listen(options) {
      server.listen(options);
      await once(server, 'listening');
    },
    close: () =>
      new Promise((resolve) => {
        // An error says that it was no longer listening, which is so.
        server.close(() => resolve());
      }),
  };
}

/** An application given no host would listen on the names of this machine alone. */
function anyAddress(): string {
  const interfaces = Object.values(os.networkInterfaces()).flat();
  return interfaces.some((each) => each?.family === 'IPv6') ? '::' : '0.0.0.0';
}
