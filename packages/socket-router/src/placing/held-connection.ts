import type { Socket } from 'node:net';
import type { Linked, LinkedList } from '@ticketing/kit';
import type { ProxiedAddresses } from '../contract/head.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';
import { ANY_WORKER, type Choice } from './decide.ts';

/**
 * Connection that the router holds: from its arrival until a worker has claimed it, the router has answered it, or its client has
 * left. Only the functions of this file change it.
 */
export interface HeldConnection extends Linked {
  readonly id: number;
  readonly socket: Socket;
  readonly stage: Stage;
  /** Bytes for the worker; while the head is read, the first of them. */
  readonly bytes: Buffer;
  /** True once a head is read: never with protocol `tcp`. */
  readonly hasHead: boolean;
  /** Known when the head is read: a client that speaks TLS understands no HTTP answer. */
  readonly speaksTls: boolean;
  readonly proxy: ProxiedAddresses | undefined;
  /** Time at which `reading` ended, on the machine's monotonic clock: `maxWaitMs` counts from here. */
  readonly arrivedAt: number;
  readonly choice: Choice;
  /** Number of times that it was sent to a worker. */
  readonly attempts: number;
  /** Ends the wait for its head, then the wait for a worker. */
  readonly timer: NodeJS.Timeout | undefined;
}

/**
 * Stage of a held connection: `reading`, `read`, then `waiting`, `queued` and `sent` as often as workers do not claim it, then `done`.
 * `since` is the time at which it began to wait while workers were ready, on the machine's monotonic clock; it shows how slow they are.
 */
export type Stage =
  /** Head incomplete so far. */
  | { readonly kind: 'reading' }
  /** Head complete, no worker chosen yet. */
  | { readonly kind: 'read' }
  /** No worker can take the connection now. */
  | Waiting
  /** Member of the queue of a worker. */
  | { readonly kind: 'queued'; readonly since: number | undefined }
  /** Sent to a worker that has not answered. */
  | { readonly kind: 'sent' }
  | { readonly kind: 'done' };

/** Stage `waiting`, which is a member of a list of waiting connections. */
export interface Waiting extends Linked {
  readonly kind: 'waiting';
  readonly connection: HeldConnection;
  readonly waiters: LinkedList<Waiting>;
  readonly since: number | undefined;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Changed = Writable<HeldConnection>;

const NO_BYTES = Buffer.alloc(0);
const READING: Stage = { kind: 'reading' };
const READ: Stage = { kind: 'read' };
const SENT: Stage = { kind: 'sent' };
const DONE: Stage = { kind: 'done' };

/** Returns a connection of which nothing is read. */
export function holdConnection(id: number, socket: Socket): HeldConnection {
  return {
    id,
    socket,
    stage: READING,
    bytes: NO_BYTES,
    hasHead: false,
    speaksTls: false,
    proxy: undefined,
    arrivedAt: 0,
    choice: ANY_WORKER,
    attempts: 0,
    timer: undefined,
    previous: undefined,
    next: undefined,
    list: undefined,
  };
}

/** Replaces the timer of a connection: `expired` is called unless it is done, or has another limit, before. */
export function limit(connection: Changed, ms: number, expired: () => void): void {
  clearTimeout(connection.timer);
  connection.timer = setTimeout(expired, ms);
}

/** Notes the first bytes of a head that is not whole. */
export function receive(connection: Changed, bytes: Buffer): void {
  connection.bytes = bytes;
}

/** Ends stage `reading`: the wait for a worker begins. */
export function read(
  connection: Changed,
  found: Partial<Pick<HeldConnection, 'bytes' | 'hasHead' | 'speaksTls' | 'proxy'>>,
): void {
  connection.bytes = found.bytes ?? NO_BYTES;
  connection.hasHead = found.hasHead ?? false;
  connection.speaksTls = found.speaksTls ?? false;
  connection.proxy = found.proxy;
  connection.arrivedAt = monotonicMs();
  enter(connection, READ);
}

/** Notes which workers may get it. */
export function choose(connection: Changed, choice: Choice): void {
  connection.choice = choice;
}

/** Adds a connection to a list of connections that wait for workers. */
export function wait(
  connection: HeldConnection,
  { waiters, since }: Pick<Waiting, 'waiters' | 'since'>,
): void {
  const waiting: Waiting = {
    kind: 'waiting',
    connection,
    waiters,
    since,
    previous: undefined,
    next: undefined,
    list: undefined,
  };
  if (enter(connection, waiting)) waiters.add(waiting);
}

/** Notes that a connection is in the queue of a worker. */
export function queue(connection: HeldConnection, since: number | undefined): void {
  enter(connection, { kind: 'queued', since });
}

/** Notes that a connection is being sent to a worker. */
export function send(connection: Changed): void {
  connection.attempts += 1;
  enter(connection, SENT);
}

/** Ends the hold on a connection, for good: its timer ends, and it leaves the list in which it waits. */
export function finish(connection: Changed): void {
  clearTimeout(connection.timer);
  enter(connection, DONE);
}

/** Changes the stage of a connection that is not done. No other function does. Returns whether it did. */
function enter(connection: Changed, stage: Stage): boolean {
  const { stage: former } = connection;
  if (former.kind === 'done') return false;
  if (former.kind === 'waiting') former.waiters.delete(former);
  connection.stage = stage;
  return true;
}
