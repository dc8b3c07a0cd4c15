import type { ProxiedAddresses } from '../contract/head.ts';

const TAG = 'ticketing:socket-router';

/** From a router to a worker. */
export type RouterMessage =
  | HelloMessage
  | HandMessage
  /** Paths of the other workers' unix sockets. */
  | { kind: 'peers'; peers: { slot: string; socketPath: string }[] }
  /** The router will drain soon: time to say goodbye on connections that last. */
  | { kind: 'closing' }
  /** The router gives no more. The worker ends what it has of it, at once what is left after the grace. */
  | { kind: 'drain'; graceMs: number }
  /** The answer to `retire`. */
  | { kind: 'retired' };

/** Begins the relation, or begins it again. */
export interface HelloMessage {
  kind: 'hello';
  affinity: 'connection' | 'forward' | 'close';
  slot: string;
  /** Of the router. */
  pid: number;
  /** Path of the unix socket that the worker opens for requests that others have read. */
  socketPath?: string;
}

/** A connection; its socket is the message's handle. */
export interface HandMessage {
  kind: 'hand';
  id: number;
  /**
   * What has been read of it. A head comes as text, a character a byte: that is cheaper than a buffer for a channel, in
   * JSON by far. What is longer comes as a buffer, which JSON makes an object of.
   */
  bytes: string | Buffer;
  /** Time on the machine's monotonic clock from which on the worker may no longer take it. */
  before: number;
  /** When its first head was read, on the same clock. */
  arrivedAt: number;
  /** What its first request was routed by. */
  key?: string;
  /** Routed by a key or to a slot, and not just to the least loaded. */
  isRouted?: true;
  proxy?: ProxiedAddresses;
}

/** From a worker to a router. */
export type WorkerMessage =
  /** A server is attached: to every router that listens on the channel. */
  | { kind: 'attached' }
  /** The worker takes connections. */
  | { kind: 'ready' }
  /** The worker has taken a connection, and has so many open. */
  | { kind: 'claim'; id: number; open: number }
  /** The worker has not taken it: too late, draining, or the message came without its socket. */
  | { kind: 'decline'; id: number; why: 'late' | 'draining' | 'missing' }
  | { kind: 'load'; open: number }
  /** The worker wants no more connections. */
  | { kind: 'retire' }
  | { kind: 'drained' };

/** As it travels: marked, since a channel carries foreign messages as well, and named after one router. */
export type Tagged<M> = M & { readonly tag: typeof TAG; readonly router: string };

/** Marks a message; `router` is the sender's or the addressee's id. */
export function tagged<M extends object>(router: string, message: M): Tagged<M> {
  return { tag: TAG, router, ...message } as Tagged<M>;
}

/** Whether a message that came through a channel is one of ours. */
export function isTagged(message: unknown): message is Tagged<{ kind: string }> {
  return (
    typeof message === 'object' && message !== null && (message as { tag?: unknown }).tag === TAG
  );
}

/** Addressed to every router that listens. */
export const ANY_ROUTER = '*';

/**
 * Header with the time at which the head of a request was read, on the machine's monotonic clock. A proxy replaces the
 * one that a client sends, and a worker reads it on connections to its unix socket alone, so no client can set it.
 */
export const ARRIVED_AT = 'x-router-arrived-at';
