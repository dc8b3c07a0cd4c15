import type { Socket } from 'node:net';
import { LinkedList } from '@ticketing/kit';
import { type ConnectionNotes, notesOf } from '../server/connection-notes.ts';
import { type HandMessage, tagged, type WorkerMessage } from '../wire/messages.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';
import type { OpenSockets } from './drain-connections.ts';
import type { LaterRequests } from './later-requests.ts';
import type { WorkerSocket } from './worker-socket.ts';

/** Milliseconds between two checks whether the router's count of connections is stale. */
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

/** Parts of a link that the router's greeting asks for. */
export interface LinkSetUp {
  readonly laterRequests: LaterRequests;
  /** Accepts requests that another process has read. */
  readonly workerSocket: WorkerSocket | undefined;
}

/** Stage of a link. */
type LinkStage =
  | { readonly kind: 'open' }
  /** The worker claims no more, and waits until the router has answered that nothing is under way. */
  | { readonly kind: 'retiring'; readonly retired: () => void }
  /** The router hands over no more: it may be gone, and may not answer. */
  | { readonly kind: 'left' }
  /** The connections of the router have ended. */
  | { readonly kind: 'over' };

/** A worker's side of one router: its connections, and the messages about them. */
export class RouterLink {
  readonly router: string;
  readonly #channel: RouterChannel;
  /** Open connections of the router. */
  readonly #open = new LinkedList<ConnectionNotes>();
  readonly sockets: OpenSockets = socketsIn(this.#open);
  /** Listener for all sockets: one for each would cost every connection. */
  readonly #onClose: (this: Socket) => void;
  #stage: LinkStage = { kind: 'open' };
  #met: Promise<void> | undefined;
  #setUp: LinkSetUp = { laterRequests: {}, workerSocket: undefined };
  #claimed = 0;
  /** The number of open connections that the router has. */
  #reported = 0;
  #loadTimer: NodeJS.Timeout | undefined;
  /** True if a claim has reported the number since the last look. */
  #hasClaimed = false;

  constructor(router: string, channel: RouterChannel) {
    this.router = router;
    this.#channel = channel;
    const forget = (socket: Socket): void => this.#forget(socket);
    this.#onClose = function (this: Socket): void {
      forget(this);
    };
  }

  get stage(): LinkStage['kind'] {
    return this.#stage.kind;
  }

  /** Connections that this worker has claimed. */
  get claimed(): number {
    return this.#claimed;
  }

  get laterRequests(): LaterRequests {
    return this.#setUp.laterRequests;
  }

  get workerSocket(): WorkerSocket | undefined {
    return this.#setUp.workerSocket;
  }

  send(message: WorkerMessage): boolean {
    return sendToRouter(this.#channel, this.router, message);
  }

  /** Sets the worker up for the router, by the first call. Rejects as `setUp` does. */
  meet(setUp: () => Promise<LinkSetUp>): Promise<void> {
    this.#met ??= setUp().then((done) => {
      this.#setUp = done;
    });
    return this.#met;
  }

  /** Resolves when a set-up that has begun has ended. */
  async settled(): Promise<void> {
    await this.#met?.catch(() => {});
  }

  /**
   * Claims a connection if it is still this worker's to claim: after its time another worker has it. Returns whether it
   * is claimed.
   */
  claim({ id, before, arrivedAt }: HandMessage, socket: Socket | undefined): socket is Socket {
    if (socket === undefined) return this.#decline(id, 'missing');
    const isDraining = this.#stage.kind !== 'open';
    if (isDraining || monotonicMs() >= before) {
      socket.destroy();
      return this.#decline(id, isDraining ? 'draining' : 'late');
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
    this.#claimed += 1;
    const notes = notesOf(socket);
    notes.arrivedAt = arrivedAt;
    this.#open.add(notes);
    socket.on('close', this.#onClose);
    return true;
  }

  /** Asks the router for no more connections; resolves with its answer, or when it cannot answer. */
  retire(): Promise<void> {
    if (this.#stage.kind !== 'open') return Promise.resolve();
    return new Promise((retired) => {
      this.#enter({ kind: 'retiring', retired });
      if (!this.send({ kind: 'retire' })) this.leave();
    });
  }

  /** Notes that the router hands over no more. */
  leave(): void {
    this.#enter({ kind: 'left' });
  }

  /** Notes that the connections of the router have ended. */
  end(): void {
    this.#enter({ kind: 'over' });
  }

  release(): void {
    clearTimeout(this.#loadTimer);
    this.laterRequests.close?.();
  }

  /** Changes the stage, which only goes forward. No other function does. */
  #enter(stage: LinkStage): void {
    const { kind } = this.#stage;
    if (kind === 'over' || kind === stage.kind) return;
    const former = this.#stage;
    this.#stage = stage;
    if (former.kind === 'retiring') former.retired();
  }

  #decline(id: number, why: 'late' | 'draining' | 'missing'): false {
    this.send({ kind: 'decline', id, why });
    return false;
  }

  #forget(socket: Socket): void {
    this.#open.delete(notesOf(socket));
    if (this.#loadTimer === undefined) this.#watchLoad();
  }

  #watchLoad(): void {
    this.#hasClaimed = false;
    this.#loadTimer = setTimeout(() => this.#reportLoad(), LOAD_DELAY_MS).unref();
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

function socketsIn(open: LinkedList<ConnectionNotes>): OpenSockets {
  return {
    get size() {
      return open.size;
    },
    *keys() {
      for (const { socket } of open) yield socket;
    },
  };
}
