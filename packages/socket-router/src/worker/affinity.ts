import type { Socket } from 'node:net';
import type { HandMessage } from '../wire/messages.ts';

/** What the router decided by the first request on a connection. */
export type RoutedBy = Pick<HandMessage, 'key' | 'isRouted'>;

/** What later requests on a connection get. */
export interface Affinity {
  /** To be called for a connection that a router gave, before the server gets it. */
  add(socket: Socket, by: RoutedBy): void;
  /** Tells where the workers are. */
  update(peers: readonly { readonly slot: string; readonly socketPath: string }[]): void;
  /** From now on each answer is the last on its connection. */
  drain(): void;
  close(): void;
}

/** They stay with the worker: nothing is to be done. */
export const STAYING: Affinity = {
  add: () => {},
  update: () => {},
  drain: () => {},
  close: () => {},
};
