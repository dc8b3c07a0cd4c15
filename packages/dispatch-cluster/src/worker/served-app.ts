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

/** What a worker serves: a server or an application, in one form. */
export interface ServedApp {
  readonly server: HttpServer;
  /** Resolves when it is ready to listen. */
  ready(): Promise<void>;
  /** Resolves when it listens. @throws why it cannot */
  listen(options: ListenOptions): Promise<void>;
  /** Resolves when it is closed. */
  close(): Promise<void>;
}

/** Returns what option `server` holds or makes, in one form. @throws TypeError if a function makes something else */
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
        // Its error would say that the server no longer listens.
        server.close(() => resolve());
      }),
  };
}

/** Without a host, applications such as Fastify listen on localhost only. */
function anyAddress(): string {
  const interfaces = Object.values(os.networkInterfaces()).flat();
  return interfaces.some((each) => each?.family === 'IPv6') ? '::' : '0.0.0.0';
}
