import type { Socket } from 'node:net';
import type { Linked } from '@ticketing/kit';
import type { ProxiedAddresses } from '../contract/head.ts';
import { ANY_WORKER, type Choice } from './decide.ts';

/** A connection that the router holds: from its arrival until a worker has taken it. */
export interface HeldConnection extends Linked {
  readonly id: number;
  readonly socket: Socket;
  /** Bytes for the worker; while the head is read, the first of them. */
  bytes: Buffer;
  choice: Choice;
  /** When its head was read, or the connection was accepted if no head is read, on the machine's monotonic clock: `maxWaitMs` counts from here. */
  arrivedAt: number;
  /** Whether a head was read: not with protocol `tcp`. */
  hasHead: boolean;
  /** Known when the head is read: such a client understands no HTTP answer. */
  speaksTls: boolean;
  proxy: ProxiedAddresses | undefined;
  /** Since when it has waited for workers that are ready, on the same clock; absent while no worker is: shows how slow they are. */
  waitsSince: number | undefined;
  /** How often it was sent to a worker. */
  attempts: number;
  /** Runs while it waits: for its head, then for a worker. */
  timer: NodeJS.Timeout | undefined;
  /** `sent`: to a worker that has not answered. */
  stage: 'reading' | 'waiting' | 'queued' | 'sent' | 'done';
  /** Its place among those that wait, while it does. */
  place: WaitingPlace | undefined;
}

/** A place in a list of waiting connections. */
export interface WaitingPlace extends Linked {
  readonly connection: HeldConnection;
}

const NO_BYTES = Buffer.alloc(0);

/** Returns a connection of which nothing is read. */
export function holdConnection(id: number, socket: Socket): HeldConnection {
  return {
    id,
    socket,
    bytes: NO_BYTES,
    choice: ANY_WORKER,
    arrivedAt: 0,
    hasHead: false,
    speaksTls: false,
    proxy: undefined,
    waitsSince: undefined,
    attempts: 0,
    timer: undefined,
    stage: 'reading',
    place: undefined,
    previous: undefined,
    next: undefined,
    list: undefined,
  };
}
