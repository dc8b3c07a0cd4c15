import type { Socket } from 'node:net';
import { LinkedList } from '@ticketing/kit';
import { type HandMessage, tagged, type WorkerMessage } from '../wire/messages.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';
import { type ConnectionNotes, notesOf } from './connection-notes.ts';
import type { OpenSockets } from './drain-connections.ts';
import type { LaterRequests } from './later-requests.ts';
import type { WorkerSocket } from './worker-socket.ts';

/** Milliseconds between looks whether the router's count of connections is stale. */
const LOAD_DELAY_MS = 10;

/** The part of a worker's `process` that leads to its routers. */
export interface RouterChannel {
  readonly connected: boolean;
  send?(message: unknown, handle: undefined, options: object, callback: () => void): boolean;
  on(event: 'message', listener: (message: unknown, handle: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
  off(event: 'message', listener: (message: unknown, handle: unknown) => void): unknown;
  off(event: 'disconnect', listener: () => void): unknown;
}

/** Sends a message and returns whether the channel is open; `disconnect` reports one that breaks later. */
export function sendToRouter(
  channel: RouterChannel,
  router: string,
  message: WorkerMessage,
): boolean {
  if (!channel.connected || channel.send === undefined) return false;
  channel.send(tagged(router, message), undefined, {}, () => {});
  return true;
}

/** A worker's side of one router: its connections, and the messages about them. */
export class RouterLink {
  readonly router: string;
  readonly #channel: RouterChannel;
  /** Its open connections. */
  readonly #open = new LinkedList<ConnectionNotes>();
  readonly sockets: OpenSockets;
  /** One function for all, since there is one more with each connection. */
  readonly #closed: (this: Socket) => void;
  #reported = 0;
  #retired: (() => void) | undefined;
  #loadTimer: NodeJS.Timeout | undefined;
  /** Whether a claim has told the router the count since the last look. */
  #hasClaimed = false;
  /** Connections that this worker has claimed. */
  claimed = 0;
  isDraining = false;
  /** The router hands over no more connections: it may be gone, and may not answer. */
  isLeft = false;
  /** The connections of the router have ended. */
  isOver = false;
  /** Settles when the worker is set up for the router. */
  met: Promise<void> | undefined;
  laterRequests: LaterRequests = {};
  /** Accepts requests that another process has read. */
  workerSocket: WorkerSocket | undefined;

  constructor(router: string, channel: RouterChannel) {
    this.router = router;
    this.#channel = channel;
    const open = this.#open;
    this.sockets = {
      get size() {
        return open.size;
      },
      *keys() {
        for (const { socket } of open) yield socket;
      },
    };
    const forget = (socket: Socket): void => this.#forget(socket);
    this.#closed = function (this: Socket): void {
      forget(this);
    };
  }

  send(message: WorkerMessage): boolean {
    return sendToRouter(this.#channel, this.router, message);
  }

  /**
   * Claims a connection if it is still this worker's to take: after its time another worker has it. Returns whether it
   * is taken.
   */
  take({ id, before, arrivedAt }: HandMessage, socket: Socket | undefined): socket is Socket {
    if (socket === undefined) return this.#decline(id, 'missing');
    if (this.isDraining || monotonicMs() >= before) {
      socket.destroy();
      return this.#decline(id, this.isDraining ? 'draining' : 'late');
    }
    this.#reported = this.#open.size + 1;
    this.#hasClaimed = true;
    const isSent = this.send({ kind: 'claim', id, open: this.#reported });
    // The process may have been stopped between the check of the time and the claim, and the router may have given the
    // connection to another worker: no answer is better than two.
    if (!isSent || monotonicMs() >= before) {
      socket.destroy();
      return false;
    }
    this.claimed += 1;
    const notes = notesOf(socket);
    notes.arrivedAt = arrivedAt;
    this.#open.add(notes);
    socket.on('close', this.#closed);
    return true;
  }

  /** Asks the router for no more connections; resolves with its answer, or when it cannot answer. */
  retire(): Promise<void> {
    this.isDraining = true;
    if (this.isLeft) return Promise.resolve();
    return new Promise((resolve) => {
      this.#retired = resolve;
      if (!this.send({ kind: 'retire' })) resolve();
    });
  }

  retired(): void {
    this.#retired?.();
  }

  release(): void {
    clearTimeout(this.#loadTimer);
    this.laterRequests.close?.();
  }

  #forget(socket: Socket): void {
    this.#open.delete(notesOf(socket));
    if (this.#loadTimer === undefined) this.#watchLoad();
  }

  #watchLoad(): void {
    this.#hasClaimed = false;
    this.#loadTimer = setTimeout(() => this.#reportLoad(), LOAD_DELAY_MS).unref();
  }

  #decline(id: number, why: 'late' | 'draining' | 'missing'): false {
    this.send({ kind: 'decline', id, why });
    return false;
  }

  #reportLoad(): void {
    // A worker that keeps claiming need not report.
    if (this.#hasClaimed) {
      this.#watchLoad();
      return;
    }
    this.#loadTimer = undefined;
    if (this.#reported === this.#open.size) return;
    this.#reported = this.#open.size;
    this.send({ kind: 'load', open: this.#reported });
  }
}
