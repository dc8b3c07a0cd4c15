import type http from 'node:http';
import type http2 from 'node:http2';
import type https from 'node:https';
import type { ListenOptions } from 'node:net';
import type { TaskMap, TaskModule } from '@ticketing/dispatch';
import { aFunction, anObject, aUrl, checkByRules, type Rule, wrongOption } from '@ticketing/kit';

/** A server of Node. */
export type HttpServer = http.Server | https.Server | http2.Http2Server | http2.Http2SecureServer;

/** An application with a server, such as a Fastify instance. */
export interface ServerApp {
  readonly server: HttpServer;
  /** Takes {@link ClusterWorkerOptions.listen}, and resolves when it listens. */
  listen(options: object): PromiseLike<unknown>;
  /** Resolves when all is closed. */
  close(): PromiseLike<unknown>;
  /** Resolves when it is ready to listen. */
  ready?(): PromiseLike<unknown>;
}

/** Answers requests, as `http.createServer` takes it. Of Express an application, of Koa `app.callback()`. */
export type Listener = (request: http.IncomingMessage, response: http.ServerResponse) => unknown;

/** What serves requests. */
export type ServerOption = HttpServer | ServerApp | Listener;

/** A server whose connections a router hands over. */
export interface Attachment {
  /** Ends it within `graceMs`, for requests in flight; `lameDuckMs` of them are for clients to get their next answer. */
  close(options: { readonly graceMs: number; readonly lameDuckMs: number }): Promise<void>;
}

/** Options of `clusterWorker`. */
export interface ClusterWorkerOptions {
  /**
   * Serves requests: a server, an application that has one, a listener of requests (a function of two or more parameters, as an
   * application of Express is), or a function without parameters that makes any of them. Default: the worker runs only tasks.
   */
  readonly server?: ServerOption | (() => ServerOption | Promise<ServerOption>) | undefined;
  /**
   * Where it listens, as in `server.listen`. Required with `server`, unless connections are external. `host` is an address;
   * default: all addresses of the machine.
   */
  readonly listen?: ListenOptions | undefined;
  /**
   * With external connections: attaches the server to a router, as its `attachServer` does. `close` of what it returns lets
   * connections finish within `graceMs` milliseconds. Default: the server's own end.
   */
  readonly attach?: ((server: HttpServer) => Attachment) | undefined;
  /** Tasks for dispatchers: made by `defineTasks`, or the URL of a module that exports them by default. Default: none. */
  readonly tasks?: TaskModule<TaskMap> | URL | undefined;
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
};

/** @throws TypeError for a value of the wrong type or an unknown option */
export function checkWorkerOptions(
  action: string,
  options: ClusterWorkerOptions,
  connections: 'shared' | 'external',
): void {
  checkByRules(action, options, workerRules);
  const { server, listen, attach } = options;
  if (connections === 'shared' && server !== undefined && listen === undefined) {
    throw wrongOption(action, 'listen', workerRules.listen, listen);
  }
  if (connections === 'shared' && attach !== undefined) {
    throw new TypeError(
      `Cannot ${action}: \`attach\` needs \`connections: 'external'\` in \`startCluster\``,
    );
  }
  // For this name applications open a second server, which would continue to accept connections unseen.
  if (listen?.host === 'localhost') {
    throw wrongOption(
      action,
      'listen.host',
      { expected: 'an address such as 127.0.0.1' },
      listen.host,
    );
  }
}

/** Returns whether a value answers requests: a function that makes a server takes no parameters. */
export function isListener(value: unknown): value is Listener {
  return typeof value === 'function' && value.length >= 2;
}

/** Returns whether a value is a server or has one. */
export function isServer(value: unknown): value is HttpServer | ServerApp {
  const { listen, close } = Object(value) as Partial<ServerApp>;
  return typeof listen === 'function' && typeof close === 'function';
}

/** Returns whether `defineTasks` may have made a value. */
export function isModule(value: unknown): value is TaskModule<TaskMap> {
  const { tasks, hooks } = Object(value) as Partial<TaskModule<TaskMap>>;
  return anObject.test(tasks) && anObject.test(hooks);
}
