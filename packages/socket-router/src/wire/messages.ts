import type { ProxiedAddresses } from '../contract/head.ts';
import type { MessageBytes } from './first-bytes.ts';

const TAG = 'ticketing:socket-router';

/** Message from a router to a worker. */
export type RouterMessage =
  | HelloMessage
  | HandMessage
  /** The unix sockets of all ready workers. */
  | { kind: 'peers'; peers: { slot: string; socketPath: string }[] }
  /** The router will drain soon: time to end connections that last. */
  | { kind: 'closing' }
  /** The router hands over no more. The worker ends its connections, idle ones after `lameDuckMs`, and all that are open after the grace. */
  | { kind: 'drain'; graceMs: number; lameDuckMs: number }
  /** The answer to `retire`. */
  | { kind: 'retired' }
  /** The answer to `terminated` of a worker that its source does not replace: it finishes its connections, and SIGTERM ends it. */
  | { kind: 'leave' };

/** The first message, sent again when the worker attaches. */
export interface HelloMessage {
  kind: 'hello';
  laterRequests: 'connection' | 'forward' | 'close';
  slot: string;
  /** The router's process. */
  pid: number;
  /** Path of the unix socket that the worker opens for requests which another process has read. */
  socketPath?: string;
  /** Longest head of an answer that another worker gives, in bytes. */
  headBytes?: number;
  /** Longest wait until another worker has claimed a request that this one sends it, in milliseconds. */
  maxWaitMs?: number;
}

/** A connection; its socket is the message's handle. */
export interface HandMessage {
  kind: 'hand';
  id: number;
  /**
   * Bytes that the router has read. Short ones are a text, one character per byte, which costs a channel less than a
   * buffer, in JSON far less. Longer ones are in a file, or a buffer, of which JSON makes an object. Absent when there are none.
   */
  bytes?: MessageBytes;
  /** Time on the machine's monotonic clock after which the worker may not claim it. */
  before: number;
  /** Time at which the connection's first head was read, on the same clock; absent if none was read. */
  arrivedAt?: number;
  /** Key of the connection's first request, unless only some slots may have it. */
  key?: string;
  /** Present if the connection was routed by a key or to a slot. */
  isRouted?: true;
  proxy?: ProxiedAddresses;
}

/** Message from a worker to a router. */
export type WorkerMessage =
  /** A server is attached: to every router that listens on the channel. */
  | { kind: 'attached' }
  /** The worker claims connections. */
  | { kind: 'ready' }
  /** The worker has claimed a connection; `open`: how many it has now. */
  | { kind: 'claim'; id: number; open: number }
  /** The worker has not claimed it: too late, draining, or the message came without its socket. */
  | { kind: 'decline'; id: number; why: 'late' | 'draining' | 'missing' }
  | { kind: 'load'; open: number }
  /** The worker wants no more connections. */
  | { kind: 'retire' }
  | { kind: 'drained' }
  /** The worker got SIGTERM. It goes on: as a part of a signal to all processes of the router it means nothing. */
  | { kind: 'terminated' }
  /** The inspector of the worker listens; without a URL it is closed again. */
  | { kind: 'inspector'; url?: string | undefined };

/**
 * Share of `maxWaitMs` in which a worker may claim a connection or a request. The sender refuses it when all of `maxWaitMs` is over:
 * by then it knows whether it was claimed.
 */
export const CLAIMABLE_SHARE = 0.9;

/** Addresses every router that listens. */
export const ANY_ROUTER = '*';

/** Message on a channel, marked because channels carry foreign messages as well, with the id of one router. */
export type Tagged<M> = M & { readonly tag: typeof TAG; readonly router: string };

export function tagged<M extends object>(router: string, message: M): Tagged<M> {
  return { tag: TAG, router, ...message } as Tagged<M>;
}

/** Returns whether a message from a channel belongs to this package. */
export function isTagged(message: unknown): message is Tagged<{ kind: string }> {
  return Object(message).tag === TAG;
}

/**
 * Header with the time at which the head of a request was read, on the machine's monotonic clock. A proxy replaces the
 * one that a client sends, and a worker reads it on connections to its unix socket alone, so no client can set it.
 */
export const ARRIVED_AT = 'x-router-arrived-at';
