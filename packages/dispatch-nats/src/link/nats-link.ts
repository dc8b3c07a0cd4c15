import { connect, type NodeConnectionOptions } from '@nats-io/transport-node';
import type { Clock } from '@ticketing/kit';
import type { NatsLike, NatsMessage } from '../contract/nats-like.ts';
import { Outbox, type UnsentMessage } from './outbox.ts';
import type { MessageMemory } from './session-message.ts';
import { Turns } from './turns.ts';

/** State of a link. `cut-off`: the connection broke, or its server asks clients to leave. `closed`: ended for good, for instance because the owner of a lent connection closed it. */
export type LinkState = 'connecting' | 'connected' | 'cut-off' | 'closed';

/** Most bytes of a piece: another session's beat waits behind it for a few milliseconds at most. */
const PIECE_BYTES = 512 * 1024;
const RETRY_MS = 100;
const MAX_RETRY_MS = 2000;

/** Callbacks of a link. */
export interface LinkEvents {
  /** Reports that all subscriptions are in place, at first or after a break. */
  connected(): void;
  /** Reports a broken connection: messages under way are lost. */
  disconnected(): void;
  /** Reports that the server is about to stop, so no call should begin on this connection. Never for a lent connection, which its owner moves. */
  leaving?(): void;
  /** Reports that the connection has ended for good. `reconnects`: another one is made, so the end is the same as `disconnected`. */
  ended?(end: LinkEnd): void;
  /** Reports a message that the connection does not take, for instance because it is too large for the server. Other messages are not affected. */
  unsent?(message: UnsentMessage): void;
}

/** End of a connection. */
export interface LinkEnd {
  readonly reconnects: boolean;
  /** Reason, if the client knows it. */
  readonly error: unknown;
}

/** Options of a link: a connection, or the options of one. */
export interface LinkOptions {
  readonly nats: NatsLike | NodeConnectionOptions;
  readonly name: string;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Returns true for a connection, false for the options of one. */
function isConnection(nats: NatsLike | NodeConnectionOptions): nats is NatsLike {
  return typeof (nats as Partial<NatsLike>).publish === 'function';
}

/**
 * Connection to NATS of a host or a dispatcher. It connects by itself, and publishes only while its last status is connected: NATS
 * drops any other message without an error.
 */
export class NatsLink {
  /** Error of the latest failed attempt to connect, or of the connection's end. */
  lastError: unknown = undefined;
  readonly turns: Turns;
  readonly #outbox: Outbox;
  readonly #options: LinkOptions;
  readonly #events: LinkEvents;
  readonly #subscriptions: Subscribed[] = [];
  #state: LinkState = 'connecting';
  #nats: NatsLike | undefined;
  /** True after `close()`; the state is `closed` too if the connection has ended for good. */
  #isClosed = false;
  /** Attempts to connect, which end by themselves. */
  #running: Promise<void> | undefined;
  /** Ends the wait before an attempt, and clears its timer. */
  #stopWaiting: (() => void) | undefined;
  #stopWatching: (() => void) | undefined;

  constructor(options: LinkOptions, events: LinkEvents) {
    this.#options = options;
    this.#events = events;
    this.turns = new Turns(() => this.#flush());
    this.#outbox = new Outbox(
      () => this.#nats,
      (message) => this.#events.unsent?.(message),
    );
    if (isConnection(options.nats)) this.#use(options.nats);
    else this.#running = this.#connect(options.nats);
  }

  get state(): LinkState {
    return this.#state;
  }

  get isConnected(): boolean {
    return this.#state === 'connected';
  }

  /** Memory for small messages, used again after they are sent. */
  get memory(): MessageMemory {
    return this.#outbox.memory;
  }

  /** Most bytes of a piece, with its head. */
  get pieceBytes(): number {
    return Math.min(this.mostBytes, PIECE_BYTES);
  }

  /** Most bytes of a message for the server, without its subject. */
  get mostBytes(): number {
    return this.#nats?.info?.max_payload ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Publishes after the microtasks of this turn, if it is connected then. Messages that are published together go out in one
   * write, because a write costs more than most messages do.
   */
  publish(subject: string, payload: Uint8Array, reply?: string): void {
    if (this.#state === 'connected') this.#outbox.add(subject, payload, reply);
  }

  /** Publishes like `publish`; during a break of the connection, first of all when it is back. For messages that end a session. */
  publishAtLast(subject: string, payload: Uint8Array): void {
    if (this.#state === 'cut-off') this.#outbox.keep(subject, payload);
    else this.publish(subject, payload);
  }

  /** Subscribes until the link is closed. An error of the listener becomes a warning of the process. */
  subscribe(subject: string, listener: (message: NatsMessage) => void, queue?: string): void {
    const subscribed: Subscribed = { subject, listener, queue, end: undefined };
    this.#subscriptions.push(subscribed);
    if (this.#nats?.isClosed() === false) this.#begin(this.#nats, subscribed);
  }

  /** Makes the client leave its server, unless the connection is lent. */
  reconnect(): void {
    if (isConnection(this.#options.nats)) return;
    const { reconnect } = (this.#nats ?? {}) as { reconnect?: () => Promise<void> };
    if (reconnect !== undefined) void reconnect.call(this.#nats).catch(() => {});
  }

  /** Connection, for parts that use NATS directly; undefined while it is broken. */
  get nats(): NatsLike | undefined {
    return this.#state === 'connected' ? this.#nats : undefined;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#outbox.send();
    this.#isClosed = true;
    this.#become('closed');
    this.#stopWaiting?.();
    await this.#running;
    const nats = this.#nats;
    if (nats === undefined) return;
    for (const { end } of this.#subscriptions) end?.();
    if (isConnection(this.#options.nats)) {
      this.#stopWatching?.();
      return;
    }
    // The last messages, such as a farewell, must go out before the end.
    if (!nats.isClosed()) await Promise.race([this.#flush(), this.#wait(RETRY_MS * 5)]);
    this.#stopWaiting?.();
    await nats.close();
  }

  async #connect(options: NodeConnectionOptions): Promise<void> {
    for (let waitMs = RETRY_MS; !this.#isClosed; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
      try {
        const nats = await connect({ ...connectionDefaults, name: this.#options.name, ...options });
        if (this.#isClosed) await nats.close();
        else this.#use(nats as NatsLike);
        return;
      } catch (error) {
        this.lastError = error;
        if (this.#isClosed) return;
      }
      await this.#wait((waitMs * (1 + this.#options.random())) / 2);
    }
  }

  #wait(ms: number): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const timer = clock.setTimeout(resolve, ms);
      this.#stopWaiting = () => {
        clock.clearTimeout(timer);
        resolve();
      };
    });
  }

  #use(nats: NatsLike): void {
    this.#nats = nats;
    if (nats.isClosed()) {
      // Later, because the caller must have its link first.
      queueMicrotask(() => this.#ended(nats));
      return;
    }
    for (const subscribed of this.#subscriptions) this.#begin(nats, subscribed);
    void this.#watch(nats);
    // Later, because the caller must have its link first.
    queueMicrotask(() => this.#connected());
  }

  #begin(nats: NatsLike, subscribed: Subscribed): void {
    const { subject, listener, queue } = subscribed;
    const subscription = nats.subscribe(subject, {
      ...(queue !== undefined && { queue }),
      callback: (error, message) => {
        if (error !== null) return;
        try {
          listener(message);
        } catch (thrown) {
          // A callback that throws would stop the client from reading.
          process.emitWarning(thrown instanceof Error ? thrown : String(thrown));
        }
      },
    });
    subscribed.end = () => subscription.unsubscribe();
  }

  async #watch(nats: NatsLike): Promise<void> {
    const statuses: AsyncIterable<{ readonly type: string }> & { stop?: () => void } =
      nats.status();
    // Not `return()`, which waits for the next status, nor a race of each status with a promise, which would keep all of them.
    this.#stopWatching = () => statuses.stop?.();
    for await (const { type } of statuses) {
      if (this.#isClosed) break;
      this.#read(nats, type);
    }
    this.#ended(nats);
  }

  #read(nats: NatsLike, type: string): void {
    if (this.#isClosed || nats !== this.#nats) return;
    if (type === 'reconnect') this.#connected();
    else if (type === 'disconnect' || type === 'staleConnection') this.#lost('cut-off');
    else if (type === 'close') this.#ended(nats);
    else if (type === 'ldm' && !isConnection(this.#options.nats)) this.#events.leaving?.();
  }

  /** Handles the final end of a connection: another one is made if it was not lent, whatever its options about attempts are. */
  #ended(nats: NatsLike): void {
    if (this.#isClosed || nats !== this.#nats) return;
    this.#nats = undefined;
    const options = this.#options.nats;
    if (!isConnection(options)) {
      this.#lost('cut-off');
      this.#running = this.#connectAgain(nats, options);
      return;
    }
    this.#lost('closed');
    void this.#reportEnd(nats, false);
  }

  async #connectAgain(nats: NatsLike, options: NodeConnectionOptions): Promise<void> {
    await this.#reportEnd(nats, true);
    if (this.#isClosed) return;
    // A pause, because a server may end each connection that it gets.
    await this.#wait((RETRY_MS * (1 + this.#options.random())) / 2);
    await this.#connect(options);
  }

  async #reportEnd(nats: NatsLike, reconnects: boolean): Promise<void> {
    const error = await nats.closed?.().catch((thrown: unknown) => thrown);
    if (error) this.lastError = error;
    if (!this.#isClosed) this.#events.ended?.({ reconnects, error: error || undefined });
  }

  #connected(): void {
    if (this.#isClosed || this.#state === 'connected') return;
    this.#become('connected');
    this.lastError = undefined;
    this.#outbox.sendKept();
    this.#events.connected();
  }

  #lost(state: 'cut-off' | 'closed'): void {
    const before = this.#become(state);
    this.#outbox.clear();
    this.turns.clear();
    if (before === 'connected') this.#events.disconnected();
  }

  /** Changes the state. @returns the state before */
  #become(state: LinkState): LinkState {
    const before = this.#state;
    this.#state = state;
    return before;
  }

  async #flush(): Promise<void> {
    this.#outbox.send();
    try {
      await this.#nats?.flush();
    } catch {
      // The status of the connection reports the error.
    }
  }
}

interface Subscribed {
  readonly subject: string;
  readonly listener: (message: NatsMessage) => void;
  readonly queue: string | undefined;
  end: (() => void) | undefined;
}

/** Defaults by which a connection is stale after two seconds of silence, and a lost one comes back within a few hundred milliseconds. */
const connectionDefaults: NodeConnectionOptions = {
  noAsyncTraces: true,
  noEcho: true,
  maxReconnectAttempts: -1,
  reconnectTimeWait: 100,
  reconnectJitter: 100,
  pingInterval: 1000,
  maxPingOut: 2,
  timeout: 2000,
};
