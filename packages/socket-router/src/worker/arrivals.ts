import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ARRIVED_AT } from '../wire/messages.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';
import type { AttachableServer } from './attachable-server.ts';

/** Times on the machine's monotonic clock. */
const arrivals = new WeakMap<IncomingMessage, number>();

/**
 * When the router had read the head of a request, in milliseconds of this process's `performance.now()`: before the
 * request waited for a worker, or for this process's event loop. Known of each request of mode `passthru` and each that
 * another worker forwarded, and of the first request on a connection of mode `socket`; `undefined` of all others (later
 * requests on a connection that was handed over, TLS, HTTP/2, requests that no router has seen). No client can set it.
 *
 * @example
 * const waitedMs = performance.now() - (arrivedAt(request) ?? performance.now());
 */
export function arrivedAt(request: IncomingMessage): number | undefined {
  const arrived = arrivals.get(request);
  return arrived === undefined ? undefined : performance.now() - (monotonicMs() - arrived);
}

/** Events of an HTTP server that begin with a request. */
const REQUEST_EVENTS: ReadonlySet<string | symbol> = new Set([
  'request',
  'checkContinue',
  'checkExpectation',
  'upgrade',
  'connect',
]);

/** Notes when the requests of a server arrived, before its listeners see them. */
export class Arrivals {
  /** Connections of which the first request is still to come. */
  readonly #handed = new WeakMap<Socket, number>();
  /** Connections from the router itself, or from another of its workers. */
  readonly #trusted = new WeakSet<Socket>();

  constructor(server: AttachableServer) {
    const { emit } = server;
    // A listener would change what the server does: one of `upgrade` takes all upgrades.
    server.emit = (event: string | symbol, ...values: unknown[]) => {
      if (REQUEST_EVENTS.has(event)) this.#note(values[0] as IncomingMessage);
      return (emit as (event: string | symbol, ...values: unknown[]) => boolean).call(
        server,
        event,
        ...values,
      );
    };
  }

  /** To be called for a connection that a router gave, with the time at which its first head was read. */
  add(socket: Socket, at: number): void {
    this.#handed.set(socket, at);
  }

  /** To be called for a connection whose other end is the router, or a worker that the router told of. */
  trust(socket: Socket): void {
    this.#trusted.add(socket);
  }

  #note(request: IncomingMessage): void {
    const { socket } = request;
    const at = this.#handed.get(socket);
    if (at !== undefined) {
      this.#handed.delete(socket);
      arrivals.set(request, at);
    } else if (this.#trusted.has(socket)) {
      const told = Number(request.headers[ARRIVED_AT]);
      if (told > 0) arrivals.set(request, told);
    }
  }
}
