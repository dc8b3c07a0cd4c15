import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { AttachableServer } from '../contract/worker-handle.ts';
import { ARRIVED_AT } from '../wire/messages.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';
import { interceptEvents, REQUEST_EVENTS } from './server-events.ts';

/** Times on the machine's monotonic clock. */
const arrivals = new WeakMap<IncomingMessage, number>();

/**
 * Returns when the router had read the head of a request, in milliseconds of this process's `performance.now()`: before
 * the request waited for a worker, or for this process's event loop. Known for each request in mode `passthru` and each
 * that another worker forwarded, and for the first request on a connection in mode `socket`; `undefined` for all others
 * (later requests on a connection that was handed over, TLS, HTTP/2, requests past the router). No client can set it.
 *
 * @example
 * const waitedMs = performance.now() - (arrivedAt(request) ?? performance.now());
 */
export function arrivedAt(request: IncomingMessage): number | undefined {
  const arrived = arrivals.get(request);
  return arrived === undefined ? undefined : performance.now() - (monotonicMs() - arrived);
}

/** Records when the requests of a server arrived, before its listeners get them. */
export class Arrivals {
  /** Requests that the server got. */
  requests = 0;
  /** Connections whose first request is still to come. */
  readonly #handed = new WeakMap<Socket, number>();
  /** Connections from the router itself, or from another of its workers. */
  readonly #trusted = new WeakSet<Socket>();

  constructor(server: AttachableServer) {
    interceptEvents(server, (event, values) => {
      if (REQUEST_EVENTS.has(event)) this.#record(values[0] as IncomingMessage);
      return false;
    });
  }

  /** Must be called for a connection from a router, with the time at which its first head was read. */
  add(socket: Socket, at: number): void {
    this.#handed.set(socket, at);
  }

  /** Must be called for a connection whose other end is the router or one of its workers. */
  trust(socket: Socket): void {
    this.#trusted.add(socket);
  }

  #record(request: IncomingMessage): void {
    const { socket } = request;
    this.requests += 1;
    const at = this.#handed.get(socket);
    if (at !== undefined) {
      this.#handed.delete(socket);
      arrivals.set(request, at);
    } else if (this.#trusted.has(socket)) {
      const time = Number(request.headers[ARRIVED_AT]);
      if (time > 0) arrivals.set(request, time);
    }
  }
}
