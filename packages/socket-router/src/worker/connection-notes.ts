import type { Socket } from 'node:net';
import type { Linked } from '@ticketing/kit';

const NOTES: unique symbol = Symbol('ticketing.socket-router.notes');

/**
 * What a worker knows of a connection. It is a member of the socket: maps by socket, weak ones too, make a new table after every few
 * connections, which the collector keeps with sockets that are gone. Figures: docs/decisions/0031-a-connection-unread.md.
 */
export interface ConnectionNotes extends Linked {
  readonly socket: Socket;
  /** When the router had read its head, on the machine's monotonic clock, until the first request has it. */
  arrivedAt: number | undefined;
  /** Requests in flight. */
  requests: number;
  /** It has another protocol now. */
  isUpgraded: boolean;
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
      previous: undefined,
      next: undefined,
      list: undefined,
    };
    socket[NOTES] = notes;
  }
  return notes;
}
