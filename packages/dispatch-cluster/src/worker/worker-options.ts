import type http from 'node:http';
import type http2 from 'node:http2';
import type https from 'node:https';
import type { ListenOptions } from 'node:net';
import type { TaskMap, TaskModule } from '@ticketing/dispatch';
import {
  aFunction,
  anObject,
  aUrl,
  checkByRules,
  type Rule,
  withMethods,
  wrongOption,
} from '@ticketing/kit';
import type { MetricsRegistry } from '../metrics/metric.ts';
import {
  type ClusterShutdown,
  type ResolvedShutdown,
  resolveShutdown,
} from '../shutdown-options.ts';

/** A server of Node. */
export type HttpServer = http.Server | https.Server | http2.Http2Server | http2.Http2SecureServer;

/** An application with a server, such as a Fastify instance. */
export interface ServerApp {
  readonly server: HttpServer;
  /** Takes {@link ClusterWorkerOptions.listen}, and resolves when the server listens. */
  listen(options: object): PromiseLike<unknown>;
  /** Resolves when the application is closed. */
  close(): PromiseLike<unknown>;
  /** Resolves when the application is ready to listen. */
  ready?(): PromiseLike<unknown>;
}

/** Listener of requests for `http.createServer`: for instance an application of Express, or `app.callback()` of Koa. */
export type Listener = (request: http.IncomingMessage, response: http.ServerResponse) => unknown;

/** A server, an application or a listener that serves requests. */
export type ServerOption = HttpServer | ServerApp | Listener;

/** Connection of a server to a router that hands over sockets. */
export interface Attachment {
  /** Ends the server. Requests in flight have `graceMs`; the first `lameDuckMs` of them are for clients to get their next answer. */
  close(options: { readonly graceMs: number; readonly lameDuckMs: number }): Promise<void>;
}

/** Options of `clusterWorker`. */
export interface ClusterWorkerOptions {
  /**
   * Server of requests: a server, an application that has one, a listener of requests (a function of two or more parameters, such
   * as an application of Express), or a function without parameters that makes any of them. Default: the worker runs only tasks.
   */
  readonly server?: ServerOption | (() => ServerOption | Promise<ServerOption>) | undefined;
  /**
   * Address on which the server listens, as in `server.listen`. Required with `server`, unless connections are external. `host` is
   * an IP address; default: all addresses of the machine.
   */
  readonly listen?: ListenOptions | undefined;
  /**
   * Function that attaches the server to a router, such as its `attachServer`; only with external connections. `close` of the
   * returned object lets connections finish within `graceMs` milliseconds. Default: none, and the worker ends the server itself.
   */
  readonly attach?: ((server: HttpServer) => Attachment) | undefined;
  /** Tasks for dispatchers: a result of `defineTasks`, or the URL of a module whose default export it is. Default: none. */
  readonly tasks?: TaskModule<TaskMap> | URL | undefined;
  /** Registry of prom-client, or of @prometheus-io/client, whose metrics `clusterMetrics` collects in the primary. Default: none. */
  readonly metrics?: MetricsRegistry | undefined;
  /**
   * Serves alone where `startCluster` has not started this process: `node server.js`, a debugger and a test run the same program.
   * The server listens by itself, in slot 0. SIGTERM, SIGINT and SIGHUP end the process with code 0 as the primary ends a
   * worker, within the limits of this option, or the defaults of `shutdown`. Default `false`: such a process is refused.
   */
  readonly standalone?: boolean | ClusterShutdown | undefined;
}

const workerRules: Readonly<Record<keyof ClusterWorkerOptions, Rule>> = {
  server: {
    expected:
      'a server, an application with one, a listener of requests or a function that makes it',
    test: (value) => typeof value === 'function' || isServer(value),
  },
  listen: {
    expected: 'an object with port or path',
    test: (value) => ['port', 'path', 'fd'].some((name) => name in Object(value)),
  },
  attach: aFunction,
  tasks: {
    expected: 'made by defineTasks, or a URL',
    test: (value) => aUrl.test(value) || isModule(value),
  },
  metrics: withMethods('getMetricsAsJSON'),
  standalone: {
    expected: 'true, false or an object with lameDuckMs and graceMs',
    test: (value) => typeof value === 'boolean' || anObject.test(value),
  },
};

/**
 * Checks the options of `clusterWorker` for a worker whose connections have this source.
 *
 * @throws TypeError for a value of the wrong type or an unknown option
 */
export function checkWorkerOptions(
  action: string,
  options: ClusterWorkerOptions,
  connections: 'shared' | 'external' | 'own',
): void {
  checkByRules(action, options, workerRules);
  const { server, listen, attach, standalone } = options;
  if (standalone && server === undefined) {
    throw new TypeError(
      `Cannot ${action}: \`standalone\` needs \`server\`, because without a primary nothing calls tasks`,
    );
  }
  if (connections !== 'external' && server !== undefined && listen === undefined) {
    throw wrongOption(action, 'listen', workerRules.listen, listen);
  }
  if (connections === 'shared' && attach !== undefined) {
    throw new TypeError(
      `Cannot ${action}: \`attach\` needs \`connections: 'external'\` in \`startCluster\``,
    );
  }
  // Applications open a second server for this name, which would continue to accept connections unseen.
  if (listen?.host === 'localhost') {
    throw wrongOption(
      action,
      'listen.host',
      { expected: 'an address such as 127.0.0.1' },
      listen.host,
    );
  }
}

/** Returns the time limits of a worker that serves alone; `undefined` if it must not. @throws TypeError or RangeError */
export function resolveStandalone(
  action: string,
  { standalone = false }: ClusterWorkerOptions,
): ResolvedShutdown | undefined {
  if (standalone === false) return undefined;
  return resolveShutdown(action, standalone === true ? {} : standalone, 'standalone');
}

/** Returns true for a listener of requests: a function that makes a server takes no parameters. */
export function isListener(value: unknown): value is Listener {
  return typeof value === 'function' && value.length >= 2;
}

/** Returns true for a server, and for an application that has one. */
export function isServer(value: unknown): value is HttpServer | ServerApp {
  const { listen, close } = Object(value) as Partial<ServerApp>;
  return typeof listen === 'function' && typeof close === 'function';
}

/** Returns true for a value that `defineTasks` may have made. */
export function isModule(value: unknown): value is TaskModule<TaskMap> {
  const { tasks, hooks } = Object(value) as Partial<TaskModule<TaskMap>>;
  return anObject.test(tasks) && anObject.test(hooks);
}
