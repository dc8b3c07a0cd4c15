import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Linked } from '@ticketing/kit';

const NOTES: unique symbol = Symbol('ticketing.socket-router.notes');

/**
 * Notes of a worker about a connection. They are a member of the socket: maps by socket, weak ones too, make a new table after every few
 * connections, which the collector keeps with sockets that are gone. Figures: docs/decisions/0031-a-connection-unread.md.
 */
export interface ConnectionNotes extends Linked {
  readonly socket: Socket;
  /** Time at which the router had read its head, on the machine's monotonic clock, until the first request has it. */
  arrivedAt: number | undefined;
  /** Requests in flight. */
  requests: number;
  /** True once the connection has another protocol. */
  isUpgraded: boolean;
  /** The request whose answer closes it. */
  last: IncomingMessage | undefined;
}

/** Returns the notes of a connection; at first there is nothing in them. */
export function notesOf(socket: Socket & { [NOTES]?: ConnectionNotes }): ConnectionNotes {
  let notes = socket[NOTES];
  if (notes === undefined) {
    notes = {
      socket,
      arrivedAt: undefined,
      requests: 0,
      isUpgraded: false,
      last: undefined,
      previous: undefined,
      next: undefined,
      list: undefined,
    };
    socket[NOTES] = notes;
  }
  return notes;
}

/** Notes that the answer to a request closes its connection. HTTP/2 has more requests on it. */
export function noteLast(request: IncomingMessage): void {
  if (request.httpVersionMajor === 1) notesOf(request.socket).last = request;
}

/** Returns whether a request came behind the last one that is answered: it is not processed, RFC 9112 9.6. */
export function isBehindLast(request: IncomingMessage): boolean {
  const { last } = notesOf(request.socket);
  return last !== undefined && last !== request;
}

/** Processes a request that came in time, although one behind it may be the last by now. */
export function processInTime({ socket }: IncomingMessage, process: () => void): void {
  const notes = notesOf(socket);
  const { last } = notes;
  notes.last = undefined;
  process();
  notes.last ??= last;
}
