import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type {
  CoalescedRequest,
  CoalesceRouteOptions,
  RouteCoalescer,
} from '../../src/http/index.ts';

/** A request as the handlers of the tests see it, in every framework. */
export interface Exchange {
  readonly headers: IncomingHttpHeaders;
  /** Path and query. */
  readonly url: string;
  readonly clients: () => CoalescedRequest;
  readonly leaving: () => AbortSignal;
}

/** Answer of a handler, which each framework sends in its own way. */
export interface HandlerAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text, an object that is sent as JSON, a stream, or nothing. */
  readonly body?: string | object | Readable;
}

/** A service with one handler for all paths: `/shared…` is coalesced, other paths are not. */
export interface Service {
  readonly handler: (exchange: Exchange) => Promise<HandlerAnswer>;
  readonly options?: Omit<CoalesceRouteOptions<never>, 'key'>;
  /** Key of a request by its path and query. */
  readonly keyOf?: (url: string) => string;
  /** Middleware before the route: its headers are of each client. */
  readonly own?: (headers: IncomingHttpHeaders) => Readonly<Record<string, string>>;
  /** Answers errors by the helper of the framework's entry. Default `true`. */
  readonly answersErrors?: boolean;
}

/** A service that listens. */
export interface RunningService {
  readonly port: number;
  readonly coalescer: Omit<RouteCoalescer, 'close'>;
  close?(): Promise<void>;
}

/** Starts a service in one framework, as its users would write it. Everything that the framework logs goes to `console`. */
export type StartService = (service: Service) => Promise<RunningService>;

/** Listens until the end of the test. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        (server as { closeAllConnections?: () => void }).closeAllConnections?.();
      }),
  );
  return (server.address() as AddressInfo).port;
}
