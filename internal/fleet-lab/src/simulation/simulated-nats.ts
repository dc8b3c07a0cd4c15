import type { NatsLike, NatsMessage } from '@ticketing/dispatch-nats';
import type { Chance } from './chance.ts';
import type { Machine, VirtualTime } from './virtual-time.ts';

/** Kinds of messages. `beats` are messages of sessions without a frame. */
export const messageKinds = ['calls', 'answers', 'beats', 'announcements', 'openings'] as const;
export type MessageKind = (typeof messageKinds)[number];
export type MessageCounts = Record<MessageKind, number>;

export interface NetworkOptions {
  /** Time of a message, within a zone and between two. */
  readonly delayMs: number;
  readonly betweenZonesMs: number;
  /** Standard deviation of the logarithm of a delay. */
  readonly jitter: number;
}

interface Subscription {
  readonly connection: Connection;
  readonly callback: (error: Error | null, message: NatsMessage) => void;
}

const NOTHING = new Uint8Array(0);
const NOBODY: readonly Subscription[] = [];
const MOST_NAMES = 100_000;
/** Bytes of a session's message without a frame: its head alone. */
const HEAD_BYTES = 12;

/** NATS without sockets: subjects, wildcards at the end, "no responders", and the delay from machine to machine. */
export class SimulatedNats {
  /** Counts by publishers; and by receivers, of which an announcement has many. */
  readonly published: MessageCounts = noCounts();
  readonly delivered: MessageCounts = noCounts();
  /** Zones whose messages to and from others are dropped. */
  readonly cutOff: Set<string> = new Set();
  readonly time: VirtualTime;
  readonly #options: NetworkOptions;
  readonly #chance: Chance;
  /** Subscriptions by subject, or by the part before its `>`. */
  readonly #subscriptions = new Map<string, Set<Subscription>>();
  /** Keys of a subject's subscriptions: itself, and the part before each of its dots. */
  readonly #names = new Map<string, readonly string[]>();

  constructor(time: VirtualTime, options: NetworkOptions, chance: Chance) {
    this.time = time;
    this.#options = options;
    this.#chance = chance;
  }

  connect(machine: Machine): Connection {
    return new Connection(this, machine);
  }

  subscribe(subject: string, subscription: Subscription): () => void {
    const key = subject.endsWith('.>') ? subject.slice(0, -1) : subject;
    const all = this.#subscriptions.get(key) ?? new Set();
    all.add(subscription);
    this.#subscriptions.set(key, all);
    return () => {
      all.delete(subscription);
      if (all.size === 0) this.#subscriptions.delete(key);
    };
  }

  publish(from: Connection, subject: string, data: Uint8Array, reply: string | undefined): void {
    const kind = kindOf(subject, data);
    this.published[kind] += 1;
    let receivers = 0;
    for (const subscription of this.#receiversOf(subject)) {
      if (subscription.connection === from) continue;
      receivers += 1;
      this.#deliver(from, subscription, { subject, data, reply }, kind);
    }
    if (receivers > 0 || reply === undefined) return;
    const headers = { code: 503, get: () => '' };
    for (const subscription of this.#receiversOf(reply)) {
      this.#deliver(from, subscription, { subject: reply, data: NOTHING, headers }, kind);
    }
  }

  *#receiversOf(subject: string): Iterable<Subscription> {
    for (const name of this.#namesOf(subject)) yield* this.#subscriptions.get(name) ?? NOBODY;
  }

  #namesOf(subject: string): readonly string[] {
    const known = this.#names.get(subject);
    if (known !== undefined) return known;
    const names = [subject];
    for (let end = subject.lastIndexOf('.'); end > 0; end = subject.lastIndexOf('.', end - 1)) {
      names.push(subject.slice(0, end + 1));
    }
    if (this.#names.size >= MOST_NAMES) this.#names.clear();
    this.#names.set(subject, names);
    return names;
  }

  #deliver(
    from: Connection,
    { connection: to, callback }: Subscription,
    message: NatsMessage,
    kind: MessageKind,
  ): void {
    const { delayMs, betweenZonesMs, jitter } = this.#options;
    const [sender, receiver] = [from.machine.zone, to.machine.zone];
    const isFar = sender !== receiver;
    if (isFar && (this.cutOff.has(sender) || this.cutOff.has(receiver))) return;
    const delay = (isFar ? betweenZonesMs : delayMs) * this.#chance.lognormal(jitter);
    // The messages of one connection to another keep their order.
    const at = Math.max(this.time.now + delay, from.lastAt.get(to) ?? 0);
    from.lastAt.set(to, at);
    this.time.at(at, () => {
      this.delivered[kind] += 1;
      to.machine.does(() => {
        if (!to.isOver) callback(null, message);
      });
    });
  }
}

/** Connection of one machine. */
export class Connection implements NatsLike {
  readonly info = { max_payload: 1024 * 1024 };
  readonly machine: Machine;
  /** Time at which the last message to another connection arrives there. */
  readonly lastAt: Map<Connection, number> = new Map();
  isOver = false;
  readonly #nats: SimulatedNats;
  readonly #ends: (() => void)[] = [];

  constructor(nats: SimulatedNats, machine: Machine) {
    this.#nats = nats;
    this.machine = machine;
  }

  publish(
    subject: string,
    payload: Uint8Array = NOTHING,
    options?: { readonly reply?: string },
  ): void {
    if (this.isOver || this.machine.state !== 'up') return;
    this.#nats.publish(this, subject, payload, options?.reply);
  }

  subscribe(
    subject: string,
    { callback }: { readonly callback: Subscription['callback'] },
  ): ReturnType<NatsLike['subscribe']> {
    const end = this.#nats.subscribe(subject, { connection: this, callback });
    this.#ends.push(end);
    return { unsubscribe: end, drain: () => Promise.resolve(end()) };
  }

  /** Yields nothing: a partition is between servers, and no client sees it. */
  async *status(): AsyncGenerator<{ readonly type: string }> {
    await new Promise(() => {});
    yield { type: 'close' };
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  isClosed(): boolean {
    return this.isOver;
  }

  close(): Promise<void> {
    this.end();
    return Promise.resolve();
  }

  /** Drops the connection, as the server does when its process ends. */
  end(): void {
    this.isOver = true;
    for (const end of this.#ends.splice(0)) end();
  }
}

export function noCounts(): MessageCounts {
  return Object.fromEntries(messageKinds.map((kind) => [kind, 0])) as MessageCounts;
}

/** Returns the kind of a message by its subject, `tt.<fleet>.<kind>…`. */
function kindOf(subject: string, data: Uint8Array): MessageKind {
  const kind = subject.split('.', 3)[2];
  if (kind === 'here' || kind === 'who') return 'announcements';
  // An answer to an opening is JSON; a session's message begins with its version.
  if (kind === 'h' || data[0] === 0x7b) return 'openings';
  if (data.byteLength <= HEAD_BYTES) return 'beats';
  return kind === 's' ? 'calls' : 'answers';
}
