import type { Socket } from 'node:net';
import type { ProxiedAddresses } from '../contract/head.ts';
import type { Choice } from '../placing/decide.ts';

/** A connection in the router's hand, from its arrival until a worker has taken it. */
export interface HeldConnection {
  readonly id: number;
  readonly socket: Socket;
  /** Read, and not yet given to a worker; the first of them until its head is whole. */
  bytes: Buffer;
  choice: Choice;
  /** When its head was read, on the machine's monotonic clock. */
  arrivedAt: number;
  /** Known when the head is read: HTTP answers mean nothing to such a client. */
  speaksTls: boolean;
  proxy: ProxiedAddresses | undefined;
  /** On the same clock, since when it has waited for workers that are ready; absent while there is none. */
  waitsSince: number | undefined;
  /** How often it was sent to a worker. */
  attempts: number;
  /** Runs while it waits: for its head, then for a worker. */
  timer: NodeJS.Timeout | undefined;
  /** `given`: sent to a worker that has not answered. */
  stage: 'reading' | 'waiting' | 'queued' | 'given' | 'done';
}
