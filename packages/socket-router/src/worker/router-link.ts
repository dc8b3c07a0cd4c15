import type { Socket } from 'node:net';
import type { HandMessage } from '../wire/messages.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';
import { type Affinity, STAYING } from './affinity.ts';
import { type RouterChannel, tellRouter } from './router-channel.ts';
import type { WorkerSocket } from './worker-socket.ts';

/** Milliseconds for which the router's count of connections may be stale. */
const LOAD_DELAY_MS = 20;

/** What a worker has of one router: its connections, and how it tells of them. */
export class RouterLink {
  readonly router: string;
  readonly #channel: RouterChannel;
  readonly #sockets = new Set<Socket>();
  #told = 0;
  #retired: (() => void) | undefined;
  #loadTimer: NodeJS.Timeout | undefined;
  isDraining = false;
  /** The router has said that it gives no more: it may be gone, and answers nothing. */
  isLeft = false;
  /** Settles when the worker is as the router wants it. */
  met: Promise<void> | undefined;
  affinity: Affinity = STAYING;
  /** By which requests come that another process has read. */
  workerSocket: WorkerSocket | undefined;

  constructor(router: string, channel: RouterChannel) {
    this.router = router;
    this.#channel = channel;
  }

  get sockets(): ReadonlySet<Socket> {
    return this.#sockets;
  }

  /**
   * Takes a connection, if that is still this worker's to take: whoever comes too late leaves it, since another
   * worker has it by then. Tells whether it is taken.
   */
  take({ id, before }: HandMessage, socket: Socket | undefined): socket is Socket {
    if (socket === undefined) return this.#decline(id, 'missing');
    if (this.isDraining || monotonicMs() >= before) {
      socket.destroy();
      return this.#decline(id, this.isDraining ? 'draining' : 'late');
    }
    this.#told = this.#sockets.size + 1;
    const isTold = tellRouter(this.#channel, this.router, { kind: 'claim', id, open: this.#told });
    // The process may have been stopped between the look at the clock and the claim. The router may then have given
    // the connection to another worker: no answer is better than two.
    if (!isTold || monotonicMs() >= before) {
      socket.destroy();
      return false;
    }
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#loadTimer ??= setTimeout(() => this.#tellLoad(), LOAD_DELAY_MS).unref();
    });
    return true;
  }

  /** Asks the router for no more connections; resolves with its answer, or when it cannot answer. */
  retire(): Promise<void> {
    this.isDraining = true;
    if (this.isLeft) return Promise.resolve();
    return new Promise((resolve) => {
      this.#retired = resolve;
      if (!tellRouter(this.#channel, this.router, { kind: 'retire' })) resolve();
    });
  }

  retired(): void {
    this.#retired?.();
  }

  release(): void {
    clearTimeout(this.#loadTimer);
    this.affinity.close();
  }

  #decline(id: number, why: 'late' | 'draining' | 'missing'): false {
    tellRouter(this.#channel, this.router, { kind: 'decline', id, why });
    return false;
  }

  #tellLoad(): void {
    this.#loadTimer = undefined;
    if (this.#told === this.#sockets.size) return;
    this.#told = this.#sockets.size;
    tellRouter(this.#channel, this.router, { kind: 'load', open: this.#told });
  }
}
