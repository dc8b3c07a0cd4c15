import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { Clock } from '@ticketing/dispatch';
import type { NatsLike, NatsMessage } from '../src/contract/nats-like.ts';

/** Decision about a message. */
export type Passage = 'pass' | 'drop' | 'twice' | { readonly delayMs: number };

export interface MemoryNatsOptions {
  /** Clock whose timers are the delays. */
  readonly clock: Clock;
  /** Chooses a member of a queue group. Default: the first. */
  readonly random?: () => number;
  /** Most bytes of a message; default 1 MiB, as in NATS. */
  readonly maxPayload?: number;
}

/** Server of NATS within the test: messages arrive in later turns of the event loop, in the order of their sender. */
export interface MemoryNats {
  connect(options?: { readonly noEcho?: boolean }): MemoryConnection;
  /** Decides on each message and receiver. Default: `pass`. Delays keep the order of a receiver. */
  passage: (subject: string, data: Uint8Array) => Passage;
  /** Sees each message that the server takes. */
  seen: ((subject: string, data: Uint8Array) => void) | undefined;
  /** Errors of callbacks, after which a real client would end its connection. */
  readonly thrown: readonly unknown[];
  /** Subscriptions of all connections. */
  readonly subscriptions: number;
}

/** Connection like that of `@nats-io/transport-node`, with the faults of a real one. */
export interface MemoryConnection extends NatsLike {
  request(subject: string, data?: Uint8Array): Promise<NatsMessage>;
  /** Breaks the connection: messages under way are lost, and all that are published until `reconnect`. */
  disconnect(): void;
  reconnect(): void;
  /** Holds all messages both ways, like a link that has gone down without notice. */
  stall(): void;
  resume(): void;
  /** Yields a status of the connection, such as `ldm`. */
  tell(type: string): void;
  readonly state: 'connected' | 'disconnected' | 'closed';
  readonly subscriptions: number;
  /** Iterators of `status()` that have not ended. */
  readonly listeners: number;
}

export function createMemoryNats(options: MemoryNatsOptions): MemoryNats {
  return new Server(options);
}

class Server implements MemoryNats {
  passage: MemoryNats['passage'] = () => 'pass';
  seen: MemoryNats['seen'];
  readonly thrown: unknown[] = [];
  readonly connections = new Set<Connection>();
  readonly #options: MemoryNatsOptions;

  constructor(options: MemoryNatsOptions) {
    this.#options = options;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get maxPayload(): number {
    return this.#options.maxPayload ?? 1_048_576;
  }

  get subscriptions(): number {
    let count = 0;
    for (const connection of this.connections) count += connection.subscriptions;
    return count;
  }

  connect({ noEcho = false } = {}): MemoryConnection {
    const connection = new Connection(this, noEcho);
    this.connections.add(connection);
    return connection;
  }

  /** Takes a message that has reached the server. */
  route(from: Connection, message: Published): void {
    this.seen?.(message.subject, message.data);
    const groups = new Map<string, Subscribed[]>();
    let delivered = 0;
    for (const connection of this.connections) {
      if (connection.state !== 'connected' || (connection === from && from.noEcho)) continue;
      for (const subscribed of connection.matching(message.subject)) {
        if (subscribed.queue === undefined) {
          connection.deliver(subscribed, message);
          delivered += 1;
        } else {
          const group = groups.get(subscribed.queue) ?? [];
          group.push(subscribed);
          groups.set(subscribed.queue, group);
        }
      }
    }
    for (const group of groups.values()) {
      const random = this.#options.random?.() ?? 0;
      const chosen = group[Math.floor(random * group.length)] as Subscribed;
      chosen.connection.deliver(chosen, message);
      delivered += 1;
    }
    if (delivered > 0 || message.reply === undefined) return;
    const reply = { subject: message.reply, data: new Uint8Array(), headers: headers(503, '-') };
    for (const subscribed of from.matching(reply.subject)) from.deliver(subscribed, reply);
  }
}

interface Published {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly reply?: string | undefined;
  readonly headers?: MsgHdrs | undefined;
}

interface Subscribed {
  readonly connection: Connection;
  readonly subject: string;
  /** Subject up to the first wildcard. */
  readonly beginning: string;
  readonly queue: string | undefined;
  readonly callback: (error: Error | null, message: NatsMessage) => void;
}

let inboxes = 0;

class Connection implements MemoryConnection {
  readonly info: { readonly max_payload: number };
  readonly noEcho: boolean;
  state: MemoryConnection['state'] = 'connected';
  readonly #server: Server;
  readonly #subscribed = new Set<Subscribed>();
  readonly #statuses = new Set<StatusQueue>();
  /** Messages under way, in their order. */
  readonly #outgoing: Lane;
  readonly #incoming: Lane;

  constructor(server: Server, noEcho: boolean) {
    this.#server = server;
    this.noEcho = noEcho;
    this.info = { max_payload: server.maxPayload };
    this.#outgoing = new Lane(server.clock);
    this.#incoming = new Lane(server.clock);
  }

  get subscriptions(): number {
    return this.#subscribed.size;
  }

  get listeners(): number {
    return this.#statuses.size;
  }

  publish(
    subject: string,
    data: Uint8Array = new Uint8Array(),
    { reply, headers: head }: { reply?: string; headers?: MsgHdrs } = {},
  ): void {
    if (this.state === 'closed') throw new Error('closed connection');
    if (data.byteLength > this.info.max_payload) throw new Error('max_payload size exceeded');
    // Dropped silently, as by the real client.
    if (this.state === 'disconnected') return;
    // A copy, as a socket would make one.
    const message = { subject, data: data.slice(), reply, headers: head };
    this.#outgoing.push(0, () => this.#server.route(this, message));
  }

  subscribe(
    subject: string,
    { queue, callback }: { queue?: string; callback: Subscribed['callback'] },
  ): { unsubscribe(): void; drain(): Promise<void> } {
    if (this.state === 'closed') throw new Error('closed connection');
    const subscribed = { connection: this, subject, queue, callback, beginning: fixed(subject) };
    this.#subscribed.add(subscribed);
    const unsubscribe = () => void this.#subscribed.delete(subscribed);
    return { unsubscribe, drain: async () => this.flush().then(unsubscribe) };
  }

  /** Resolves with the first answer, also with NATS' own that there is no responder. */
  request(subject: string, data?: Uint8Array): Promise<NatsMessage> {
    return new Promise((resolve) => {
      inboxes += 1;
      const reply = `_INBOX.${inboxes}`;
      const subscription = this.subscribe(reply, {
        callback: (_error, message) => {
          subscription.unsubscribe();
          resolve(message);
        },
      });
      this.publish(subject, data, { reply });
    });
  }

  status(): AsyncIterable<{ readonly type: string }> {
    const queue = new StatusQueue(() => this.#statuses.delete(queue));
    this.#statuses.add(queue);
    return queue;
  }

  /** Resolves when the server has taken all earlier messages. */
  flush(): Promise<void> {
    if (this.state === 'closed') return Promise.reject(new Error('closed connection'));
    return new Promise((resolve) => this.#outgoing.push(0, () => this.#incoming.push(0, resolve)));
  }

  isClosed(): boolean {
    return this.state === 'closed';
  }

  async close(): Promise<void> {
    if (this.state === 'closed') return;
    this.state = 'closed';
    this.#server.connections.delete(this);
    this.#subscribed.clear();
    this.#outgoing.clear();
    this.#incoming.clear();
    this.tell('close');
    for (const status of [...this.#statuses]) status.stop();
  }

  disconnect(): void {
    if (this.state !== 'connected') return;
    this.state = 'disconnected';
    this.#outgoing.clear();
    this.#incoming.clear();
    this.tell('disconnect');
  }

  reconnect(): void {
    if (this.state !== 'disconnected') return;
    this.state = 'connected';
    this.resume();
    this.tell('reconnect');
  }

  stall(): void {
    this.#outgoing.hold();
    this.#incoming.hold();
  }

  resume(): void {
    this.#outgoing.release();
    this.#incoming.release();
  }

  tell(type: string): void {
    for (const status of this.#statuses) status.push({ type });
  }

  matching(subject: string): Subscribed[] {
    const found: Subscribed[] = [];
    for (const each of this.#subscribed) {
      if (subject.startsWith(each.beginning) && matches(each.subject, subject)) found.push(each);
    }
    return found;
  }

  deliver(subscribed: Subscribed, message: Published): void {
    const passage = this.#server.passage(message.subject, message.data);
    if (passage === 'drop') return;
    const delayMs = typeof passage === 'object' ? passage.delayMs : 0;
    for (let times = passage === 'twice' ? 2 : 1; times > 0; times -= 1) {
      this.#incoming.push(delayMs, () => {
        if (!this.#subscribed.has(subscribed)) return;
        const { subject, data, reply, headers: head } = message;
        try {
          // Each receiver has memory of its own.
          subscribed.callback(null, { subject, data: data.slice(), reply, headers: head });
        } catch (error) {
          this.#server.thrown.push(error);
        }
      });
    }
  }
}

/** One direction of a connection: passes things on in their order, never at once. */
class Lane {
  readonly #clock: Clock;
  #waiting: { readonly at: number; readonly go: () => void }[] = [];
  #held = false;
  #awaits: { cancel(): void } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  push(delayMs: number, go: () => void): void {
    this.#waiting.push({ at: this.#clock.now() + delayMs, go });
    this.#await();
  }

  hold(): void {
    this.#held = true;
    this.#awaits?.cancel();
    this.#awaits = undefined;
  }

  release(): void {
    this.#held = false;
    this.#await();
  }

  clear(): void {
    this.#waiting = [];
    this.#awaits?.cancel();
    this.#awaits = undefined;
  }

  #await(): void {
    const [first] = this.#waiting;
    if (this.#held || this.#awaits !== undefined || first === undefined) return;
    const leftMs = first.at - this.#clock.now();
    if (leftMs <= 0) {
      const immediate = setImmediate(this.#go);
      this.#awaits = { cancel: () => clearImmediate(immediate) };
    } else {
      const timer = this.#clock.setTimeout(this.#go, leftMs);
      this.#awaits = { cancel: () => this.#clock.clearTimeout(timer) };
    }
  }

  readonly #go = (): void => {
    this.#awaits = undefined;
    const now = this.#clock.now();
    // Messages that come in that time wait for another turn.
    for (let left = this.#waiting.length; left > 0 && !this.#held; left -= 1) {
      const [first] = this.#waiting;
      if (first === undefined || first.at > now) break;
      this.#waiting.shift();
      first.go();
    }
    this.#await();
  };
}

/** Iterator like that of the real client: `return()` does not end a waiting `next()`, `stop()` does. */
class StatusQueue implements AsyncIterable<{ readonly type: string }> {
  #values: { readonly type: string }[] = [];
  #signal = createSignal();
  readonly #ended: () => void;
  #isEnded = false;

  constructor(ended: () => void) {
    this.#ended = ended;
  }

  push(value: { readonly type: string }): void {
    this.#values.push(value);
    this.#signal.resolve();
  }

  stop(): void {
    this.#isEnded = true;
    this.#ended();
    this.#signal.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<{ readonly type: string }> {
    try {
      for (;;) {
        await this.#signal.promise;
        yield* this.#values.splice(0);
        if (this.#isEnded) return;
        this.#signal = createSignal();
        if (this.#values.length > 0 || this.#isEnded) this.#signal.resolve();
      }
    } finally {
      this.stop();
    }
  }
}

function createSignal(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Returns the part before the first wildcard. */
function fixed(subject: string): string {
  const [beginning = ''] = subject.split(/[*>]/, 1);
  return beginning;
}

/** Returns true if a subscription's subject, which may have wildcards, matches the subject of a message. */
export function matches(pattern: string, subject: string): boolean {
  const wanted = pattern.split('.');
  const tokens = subject.split('.');
  for (const [index, want] of wanted.entries()) {
    if (want === '>') return tokens.length > index;
    if (index >= tokens.length || (want !== '*' && want !== tokens[index])) return false;
  }
  return wanted.length === tokens.length;
}
