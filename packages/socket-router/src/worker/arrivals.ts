import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { notesOf } from '../server/connection-notes.ts';
import { ARRIVED_AT } from '../wire/messages.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';

/** A time on the machine's monotonic clock, in a request: a weak map of requests would cost each of them: {@link notesOf}. */
const ARRIVED: unique symbol = Symbol('ticketing.socket-router.arrived');
type Arrived = IncomingMessage & { [ARRIVED]?: number };

/**
 * Returns when the router had read the head of a request, in milliseconds of this process's `performance.now()`: before
 * the request waited for a worker, or for this process's event loop. Known for each request in mode `passthru` and each
 * that another worker forwarded, and for the first request on a connection in mode `socket`; `undefined` for all others
 * (later requests on a connection that was handed over, protocol `tcp`, TLS, HTTP/2, requests past the router). No client can set it.
 *
 * @example
 * const waitedMs = performance.now() - (arrivedAt(request) ?? performance.now());
 */
export function arrivedAt(request: IncomingMessage): number | undefined {
  const arrived = (request as Arrived)[ARRIVED];
  return arrived === undefined ? undefined : performance.now() - (monotonicMs() - arrived);
}

/** Records when the requests of a server arrived, before its listeners get them. */
export class Arrivals {
  /** Requests that the server got. */
  requests = 0;
  /** Connections from the router itself, or from another of its workers. */
  readonly #trusted = new WeakSet<Socket>();

  /** Notes that the other end of a connection is the router or one of its workers. */
  trust(socket: Socket): void {
    this.#trusted.add(socket);
  }

  /** Records the arrival of a request; must be called for each one. */
  record(request: Arrived): void {
    const { socket } = request;
    this.requests += 1;
    const notes = notesOf(socket);
    if (notes.arrivedAt !== undefined) {
      request[ARRIVED] = notes.arrivedAt;
      // When later requests on the connection arrive is not known.
      notes.arrivedAt = undefined;
    } else if (this.#trusted.has(socket)) {
      const time = Number(request.headers[ARRIVED_AT]);
      if (time > 0) request[ARRIVED] = time;
    }
  }
}
