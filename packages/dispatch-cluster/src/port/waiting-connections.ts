import type { Socket } from 'node:net';
import { publishDropped } from '../cluster-channels.ts';
import { monotonicMs } from './port-messages.ts';
import { refuseConnection } from './refuse-connection.ts';

/** Wait of the first connection from which on more arrive than workers take, and the newest goes first. */
const STANDING_MS = 500;

/** A connection that no worker has claimed. */
export interface WaitingConnection {
  readonly socket: Socket;
  readonly since: number;
  /** Number of times that it was handed to a worker. */
  attempts: number;
}

/** Connections that wait for a worker: at most `maxWaiting`, each for at most `waitMs` from its arrival. */
export class WaitingConnections {
  readonly #name: string;
  readonly #maxWaiting: number;
  readonly #waitMs: number;
  #connections: WaitingConnection[] = [];
  /** Connections closed because too many waited, or refused because they waited too long. */
  dropped = 0;

  constructor(limits: {
    readonly name: string;
    readonly maxWaiting: number;
    readonly waitMs: number;
  }) {
    this.#name = limits.name;
    this.#maxWaiting = limits.maxWaiting;
    this.#waitMs = limits.waitMs;
  }

  get length(): number {
    return this.#connections.length;
  }

  /** Adds a connection, or closes it if there is no room. @returns true if it waits */
  add(socket: Socket): boolean {
    if (this.#connections.length >= this.#maxWaiting) {
      this.dropped += 1;
      publishDropped(this.#name, 'full');
      socket.destroy();
      return false;
    }
    this.#connections.push({ socket, since: monotonicMs(), attempts: 0 });
    return true;
  }

  /** Puts a connection that a worker did not claim back in front. */
  putBack(connection: WaitingConnection): void {
    this.#connections.unshift(connection);
  }

  /**
   * Takes the first connection; in a standing queue the newest, because the clients of the first ones will soon give up: in order
   * of arrival all would be late (docs/decisions/0012-a-queue-that-stands.md). Must not be called when none waits.
   */
  take(): WaitingConnection {
    const [first] = this.#connections as [WaitingConnection];
    const stands = monotonicMs() - first.since >= STANDING_MS;
    return (stands ? this.#connections.pop() : this.#connections.shift()) as WaitingConnection;
  }

  /** Returns milliseconds until a connection has waited too long. */
  leftMs({ since }: WaitingConnection, now: number): number {
    return since + this.#waitMs - now;
  }

  /** Refuses connections whose time passes within `aheadMs` after `now`, before the next call. */
  dropLate(now: number, aheadMs: number): void {
    const isLate = (each: WaitingConnection): boolean => this.leftMs(each, now) <= aheadMs;
    const late = this.#connections.filter(isLate);
    if (late.length === 0) return;
    this.#connections = this.#connections.filter((connection) => !isLate(connection));
    this.dropped += late.length;
    publishDropped(this.#name, 'late', late.length);
    for (const { socket } of late) refuseConnection(socket);
  }

  /** Closes all connections. */
  clear(): void {
    for (const { socket } of this.#connections.splice(0)) socket.destroy();
  }
}
