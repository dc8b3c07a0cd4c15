import { NatsConnectionImpl } from '@nats-io/transport-node';
import type { NatsLike } from '../contract/nats-like.ts';
import { MessageMemory } from './session-message.ts';

/** Most bytes that wait for the end of a turn. */
const UNSENT_BYTES = 256 * 1024;
/** Most messages that wait for a broken connection to be back. */
const AT_LAST = 1024;

/** A message to publish. */
interface Unsent {
  readonly subject: string;
  readonly payload: Uint8Array;
  readonly reply?: string | undefined;
}

/** A message that the connection did not take. */
export interface UnsentMessage {
  readonly subject: string;
  readonly bytes: number;
  readonly error: unknown;
}

/** Messages of a turn, which go out in one write, because a write costs more than most messages do. */
export class Outbox {
  /** Memory for small messages, used again after they are sent. */
  readonly memory: MessageMemory = new MessageMemory();
  readonly #connection: () => NatsLike | undefined;
  readonly #refused: (message: UnsentMessage) => void;
  #unsent: Unsent[] = [];
  #bytes = 0;
  /** Messages to publish first when the connection is back. */
  #atLast: Unsent[] = [];

  constructor(connection: () => NatsLike | undefined, refused: (message: UnsentMessage) => void) {
    this.#connection = connection;
    this.#refused = refused;
  }

  /** Publishes after the microtasks of this turn. */
  add(subject: string, payload: Uint8Array, reply?: string): void {
    this.#unsent.push({ subject, payload, reply });
    this.#bytes += payload.byteLength;
    if (this.#bytes >= UNSENT_BYTES) this.send();
    else if (this.#unsent.length === 1) process.nextTick(this.send);
  }

  /** Keeps a message until the connection is back. */
  keep(subject: string, payload: Uint8Array): void {
    if (this.#atLast.length < AT_LAST) this.#atLast.push({ subject, payload });
  }

  /** Publishes the kept messages, of a connection that is back. */
  sendKept(): void {
    for (const { subject, payload } of this.#atLast.splice(0)) this.add(subject, payload);
  }

  /** Forgets the messages of a broken connection. */
  clear(): void {
    this.#unsent = [];
    this.#bytes = 0;
  }

  /** Publishes now. */
  readonly send = (): void => {
    const unsent = this.#unsent;
    const nats = this.#connection();
    if (unsent.length === 0 || nats === undefined) return;
    this.clear();
    for (const message of unsent) this.#publish(nats, message);
    // The client copies the messages in a microtask of its own, before this one.
    if (nats instanceof NatsConnectionImpl) queueMicrotask(this.#reuseMemory);
  };

  #publish(nats: NatsLike, { subject, payload, reply }: Unsent): void {
    try {
      nats.publish(subject, payload, reply === undefined ? undefined : { reply });
    } catch (error) {
      // A closed or draining connection takes nothing, and its status follows. Any other error concerns this message alone.
      if (nats.isClosed() || nats.isDraining?.()) return;
      this.#refused({ subject, bytes: payload.byteLength, error });
    }
  }

  readonly #reuseMemory = (): void => {
    if (this.#unsent.length === 0) this.memory.reuse();
  };
}
