import type http from 'node:http';
import type https from 'node:https';
import type { ListenOptions } from 'node:net';
import type { TaskMap, TaskModule } from '@ticketing/dispatch';
import { anObject, checkByRules, type Rule, wrongOption } from '@ticketing/kit';

/** A server of this platform. */
export type HttpServer = http.Server | https.Server;

/** An application with a server, such as a Fastify instance. */
export interface ServerApp {
  readonly server: HttpServer;
  /** Takes {@link ClusterWorkerOptions.listen}, and resolves when it listens. */
  listen(options: object): PromiseLike<unknown>;
  /** Resolves when all is closed. */
  close(): PromiseLike<unknown>;
  /** Resolves when it could listen. */
  ready?(): PromiseLike<unknown>;
}

/** How a server is given its connections. */
export interface Attachment {
  /** `lameDuckMs`: how long clients may take their next answer; `graceMs`: that, and what is in flight then. */
  close(options: { readonly graceMs: number; readonly lameDuckMs: number }): Promise<void>;
}

/** What a worker does. */
export interface ClusterWorkerOptions {
  /** Serves requests; or makes what does, in a promise or not. Default: the worker has tasks alone. */
  readonly server?:
    | HttpServer
    | ServerApp
    | (() => HttpServer | ServerApp | Promise<HttpServer | ServerApp>);
  /**
   * Where it listens, as of `server.listen`. Needed with `server`, unless connections are external. `host` is an address;
   * default: all of the machine.
   */
  readonly listen?: ListenOptions;
  /**
   * With external connections: makes the server one that is given them, and gives what ends that, such as `attachWorker`
   * of a router. Its `close` lets connections finish, within `graceMs` milliseconds. Default: the server's own end.
   */
  readonly attach?: (server: HttpServer) => Attachment;
  /** Tasks for dispatchers: made by `defineTasks`, or the address of a module that exports them by default. Default: none. */
  readonly tasks?: TaskModule<TaskMap> | URL;
}

const workerRules: Readonly<Record<keyof ClusterWorkerOptions, Rule>> = {
  server: {
    expected: 'a server, an application with one or a function that makes it',
    test: (value) => typeof value === 'function' || isServer(value),
  },
  listen: {
    expected: 'an object with port or path',
    test: (value) => ['port', 'path', 'fd'].some((name) => name in Object(value)),
  },
  attach: { expected: 'a function', test: (value) => typeof value === 'function' },
  tasks: {
    expected: 'made by defineTasks, or a URL',
    test: (value) => isUrl(value) || isModule(value),
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
    const expected = 'absent unless connections are external';
    throw wrongOption(action, 'attach', { expected }, attach);
  }
  // Applications bind a second server to such a name, out of our sight: it would go on accepting connections.
  if (listen?.host === 'localhost') {
    throw wrongOption(action, 'listen.host', { expected: 'an address' }, listen.host);
  }
}

/** Whether it is a server, or has one. */
export function isServer(value: unknown): value is HttpServer | ServerApp {
  const { listen, close } = Object(value) as Partial<ServerApp>;
  return typeof listen === 'function' && typeof close === 'function';
}

/** Whether it is a URL, of this realm or another. */
export function isUrl(value: unknown): value is URL {
  return Object.prototype.toString.call(value) === '[object URL]';
}

/** Whether `defineTasks` may have made it. */
export function isModule(value: unknown): value is TaskModule<TaskMap> {
  const { tasks, hooks } = Object(value) as Partial<TaskModule<TaskMap>>;
  return anObject.test(tasks) && anObject.test(hooks);
}
