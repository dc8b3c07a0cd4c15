import type { RouterWorker, WorkerChannel } from '../contract/worker-source.ts';
import { FirstBytes } from '../wire/first-bytes.ts';
import { CLAIMABLE_SHARE, type HandMessage, tagged } from '../wire/messages.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';
import { type HeldConnection, send } from './held-connection.ts';

/** A worker claims a connection within this share of the claim timeout, so that its claim arrives before the end. */
const CLAIM_SHARE = 0.75;

/** End of a hand-over without a claim. */
export type HandOverEvent =
  /** The handle could not be sent; `isClosed`: because the channel has ended. */
  | {
      readonly kind: 'unsent';
      readonly connection: HeldConnection | undefined;
      readonly isClosed: boolean;
    }
  /** The worker has not answered within `claimTimeoutMs`. The handle is still under way. */
  | { readonly kind: 'late' };

export interface HandOverOptions {
  /** The router's id, in every message. */
  readonly router: string;
  readonly claimTimeoutMs: number;
  readonly maxWaitMs: number;
  readonly emit: (event: HandOverEvent) => void;
}

interface UnderWay {
  readonly id: number;
  readonly sentAt: number;
  /** Connection under way; `undefined` if it has gone to another worker in the meantime: the channel is not free. */
  connection: HeldConnection | undefined;
}

/**
 * The one handle that is under way to a worker. Node sends its whole queue of handles again at each acknowledgement, so
 * no other one is sent until the worker has answered. A handle that was written may not arrive, so the worker claims it.
 */
export class HandOver {
  readonly #channel: WorkerChannel;
  readonly #firstBytes: FirstBytes;
  readonly #options: HandOverOptions;
  #underWay: UnderWay | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ channel, sharedFile }: RouterWorker, options: HandOverOptions) {
    this.#channel = channel;
    this.#firstBytes = new FirstBytes(sharedFile);
    this.#options = options;
  }

  /** True if a handle can be sent. */
  get isFree(): boolean {
    return this.#underWay === undefined;
  }

  /** True if a connection is under way that its timer has not refused meanwhile. */
  get hasConnection(): boolean {
    return this.#underWay?.connection?.stage.kind === 'sent';
  }

  /** Sends a connection. The router keeps it, for another worker, until this one claims it. */
  begin(connection: HeldConnection): void {
    const { id, socket, bytes, arrivedAt } = connection;
    const { router, claimTimeoutMs, maxWaitMs } = this.#options;
    const sentAt = monotonicMs();
    send(connection);
    this.#underWay = { id, sentAt, connection };
    if (this.#timer === undefined) this.#watch(claimTimeoutMs);
    // A whole number is shorter in a message.
    const before = Math.floor(
      Math.min(sentAt + CLAIM_SHARE * claimTimeoutMs, arrivedAt + CLAIMABLE_SHARE * maxWaitMs),
    );
    const message = tagged(router, handMessage(connection, before));
    if (bytes.length > 0) message.bytes = this.#firstBytes.encode(bytes);
    this.#channel.send(message, socket, { keepOpen: true }, (error) => {
      if (error !== null && this.isUnderWay(id)) this.#unsent(error);
    });
  }

  isUnderWay(id: number): boolean {
    return this.#underWay?.id === id;
  }

  /** Ends the hand-over, because the worker has answered or its channel has ended. Returns its connection, if it still has one. */
  end(): HeldConnection | undefined {
    const connection = this.#underWay?.connection;
    this.#underWay = undefined;
    return connection;
  }

  /** Returns the connection under way, for another worker. The handle stays under way. */
  takeConnection(): HeldConnection | undefined {
    const underWay = this.#underWay;
    const connection = underWay?.connection;
    if (underWay !== undefined) underWay.connection = undefined;
    return connection;
  }

  release(): void {
    clearTimeout(this.#timer);
  }

  #unsent({ code }: NodeJS.ErrnoException): void {
    const isClosed = code === 'ERR_IPC_CHANNEL_CLOSED' || code === 'EPIPE';
    this.#options.emit({ kind: 'unsent', connection: this.end(), isClosed });
  }

  /** Starts the timer of claims. One serves many connections: when it ends it checks the one that is under way then. */
  #watch(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const underWay = this.#underWay;
      if (underWay?.connection === undefined) return;
      const left = underWay.sentAt + this.#options.claimTimeoutMs - monotonicMs();
      if (left > 0) return this.#watch(left);
      // Timers run before messages are read, and it may be this process that was stopped. A connection that is sent
      // meanwhile has a timer of its own.
      const check = (): void => {
        if (this.isUnderWay(underWay.id)) this.#options.emit({ kind: 'late' });
      };
      setImmediate(() => setImmediate(check));
    }, delayMs);
  }
}

/** Returns the message that hands a connection over, without its bytes; `before`: see {@link HandMessage}. */
function handMessage(connection: HeldConnection, before: number): HandMessage {
  const { id, arrivedAt, hasHead, choice, proxy } = connection;
  const message: HandMessage = { kind: 'hand', id, before };
  if (hasHead) message.arrivedAt = arrivedAt;
  if (choice.kind === 'key' && choice.among === undefined) message.key = choice.key;
  if (choice.kind !== 'any') message.isRouted = true;
  if (proxy !== undefined) message.proxy = proxy;
  return message;
}
