import { once } from 'node:events';
import type { ListenOptions } from 'node:net';
import os from 'node:os';
import { showValue } from '@ticketing/kit';
import {
  type ClusterWorkerOptions,
  type HttpServer,
  isListener,
  isServer,
  type ServerApp,
} from './worker-options.ts';

/** Common form of a server and an application. */
export interface ServedApp {
  readonly server: HttpServer;
  /** Resolves when the application is ready to listen. */
  ready(): Promise<void>;
  /** Resolves when the server listens. @throws the error of a server that cannot listen */
  listen(options: ListenOptions): Promise<void>;
  /** Resolves when the server is closed. */
  close(): Promise<void>;
}

/** Returns the common form of the server that option `server` has or makes. @throws TypeError if a function makes something else */
export async function createServedApp(
  option: NonNullable<ClusterWorkerOptions['server']>,
): Promise<ServedApp> {
  const isMade = typeof option !== 'function' || isListener(option);
  const made: unknown = isMade ? option : await (option as () => unknown)();
  if (isListener(made)) return ofServer(process.getBuiltinModule('node:http').createServer(made));
  if (!isServer(made)) {
    throw new TypeError(
      `Cannot serve as cluster worker: \`server\` must make a server, an application with one or a listener \`(request, response) => …\` of two parameters, got ${showValue(made)}`,
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

/** Returns the common form of a server. */
export function ofServer(server: HttpServer): ServedApp {
  // A program may replace it later.
  const close = server.close.bind(server);
  return {
    server,
    ready: () => Promise.resolve(),
    async listen(options) {
      server.listen(options);
      await once(server, 'listening');
    },
    close: () =>
      new Promise((resolve) => {
        // An error would only report that the server no longer listens.
        close(() => resolve());
      }),
  };
}

/** Returns the address of all interfaces: without a host, applications such as Fastify listen on localhost only. */
function anyAddress(): string {
  const interfaces = Object.values(os.networkInterfaces()).flat();
  return interfaces.some((each) => each?.family === 'IPv6') ? '::' : '0.0.0.0';
}
