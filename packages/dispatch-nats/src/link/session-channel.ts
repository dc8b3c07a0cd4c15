import { DispatchError } from '@ticketing/dispatch';
import type { WireMessage } from '@ticketing/dispatch/transport';
import type { NatsLink } from './nats-link.ts';
import {
  encodeMessage,
  farewell,
  flag,
  HEAD_BYTES,
  type Head,
  MessageReader,
  writeHead,
} from './session-message.ts';
import type { Lane } from './turns.ts';

export interface ChannelOptions {
  readonly link: NatsLink;
  /** Where the other side listens. */
  readonly subject: string;
  /** Of a message, either way. */
  readonly maxBytes: number;
  /** Names the owner in errors. */
  readonly name: string;
}

/** Bytes from which a value goes in a message of its own: below it sharing one pays. */
const APART_BYTES = 4096;
/** Text and bytes of values that share a message. */
const SHARED_BYTES = 65_536;

/** How frames are written for a channel. */
interface Writing {
  readonly transfers: false;
  readonly apartFrom: number;
  readonly fullAt: number;
}

export interface ChannelEvents {
  /** A whole message of frames. */
  message(message: WireMessage): void;
  /** The other side asks for a sign of life. */
  ping(): void;
  /** The other side has ended the session. */
  ended(): void;
  /** A message is missing, came twice, or cannot be read: the session must end. */
  broken(sign: 'gap' | 'malformed'): void;
}

/**
 * One direction of messages each way, between two ends of a session: numbered, so that a missing one is seen, and in pieces
 * where they are large.
 */
export class SessionChannel implements Lane {
  /** Messages that are left to send, as bytes, and how far the first of them is sent. */
  readonly #waiting: Uint8Array[] = [];
  #waitingAt = 0;
  /** Number of the latest message. */
  sent = 0;
  /** Number of the latest that the other side had received when it last sent one. */
  confirmed = 0;
  #received = 0;
  /** Small values are together no larger than one may be, in whatever letters. */
  readonly writing: Writing;
  /** The number of the latest ping, and when it was sent. */
  #pinged = { seq: 0, at: 0 };
  #isEnded = false;
  readonly #options: ChannelOptions;
  readonly #events: ChannelEvents;
  readonly #reader: MessageReader;

  constructor(options: ChannelOptions, events: ChannelEvents) {
    this.#options = options;
    this.#events = events;
    const most = Math.floor(options.maxBytes / 8);
    this.writing = {
      transfers: false,
      apartFrom: Math.min(APART_BYTES, most),
      fullAt: Math.min(SHARED_BYTES, most),
    };
    this.#reader = new MessageReader(options.maxBytes);
  }

  /**
   * Sends frames. `reply`: where the server answers if the other side has gone, unless the message goes in pieces.
   *
   * @throws DispatchError `ERR_TOO_LARGE`
   */
  send(message: WireMessage, reply?: string): void {
    if (this.#isEnded) return;
    const { link, maxBytes, name } = this.#options;
    const atOnce = this.#waiting.length === 0 ? link.pieceBytes : 0;
    const bytes = encodeMessage(message, link.memory, atOnce);
    const size = bytes.byteLength - HEAD_BYTES;
    if (size > maxBytes) throw tooLarge(name, size, maxBytes);
    if (bytes.byteLength <= atOnce) {
      this.#publish(bytes, flag.last, reply);
      return;
    }
    this.#waiting.push(bytes);
    link.turns.add(this);
  }

  /** Asks for a sign of life; the server answers at `reply` if the other side has gone. */
  ping(reply: string, now: number): void {
    if (this.#isEnded) return;
    this.#publish(new Uint8Array(HEAD_BYTES), flag.ping, reply);
    this.#pinged = { seq: this.sent, at: now };
  }

  pong(): void {
    if (!this.#isEnded) this.#publish(new Uint8Array(HEAD_BYTES), 0);
  }

  /** Ends this side. `tells`: the other side is to know, if need be once there is a connection again. */
  end(tells: boolean): void {
    if (this.#isEnded) return;
    if (tells) this.#options.link.publishAtLast(this.#options.subject, farewell());
    this.#isEnded = true;
    this.#waiting.length = 0;
    this.#options.link.turns.remove(this);
  }

  sendPiece(): number {
    const bytes = this.#waiting[0];
    if (bytes === undefined) return 0;
    const from = this.#waitingAt;
    const { pieceBytes } = this.#options.link;
    // The first piece of a message begins with room for its head, which counts as a part of every piece.
    const to = Math.min(from + pieceBytes - (from === 0 ? 0 : HEAD_BYTES), bytes.byteLength);
    const isLast = to === bytes.byteLength;
    const piece = from === 0 ? bytes.subarray(0, to) : withHead(bytes.subarray(from, to));
    if (isLast) {
      this.#waiting.shift();
      this.#waitingAt = 0;
    } else this.#waitingAt = to;
    this.#publish(piece, isLast ? flag.last : 0);
    return piece.byteLength;
  }

  /** Reads a message of the other side. @returns milliseconds of the round trip, if this answers the latest ping */
  receive(data: Uint8Array, now: number): number | undefined {
    if (this.#isEnded) return undefined;
    const head = this.#reader.head(data);
    if (head === undefined) {
      this.#events.broken('malformed');
      return undefined;
    }
    // What came before it may be lost with the connection.
    if (head.flags & flag.end) {
      this.#events.ended();
      return undefined;
    }
    if (head.seq !== (this.#received + 1) >>> 0) {
      this.#events.broken('gap');
      return undefined;
    }
    this.#received = head.seq;
    this.confirmed = head.received;
    const rttMs = this.#roundTrip(head, now);
    if (data.byteLength > HEAD_BYTES) this.#read(data, head);
    else if (head.flags & flag.ping) this.#events.ping();
    return rttMs;
  }

  #roundTrip({ received }: Head, now: number): number | undefined {
    const { seq, at } = this.#pinged;
    if (seq === 0 || received !== seq) return undefined;
    this.#pinged = { seq: 0, at: 0 };
    return now - at;
  }

  #read(data: Uint8Array, head: Head): void {
    let message: WireMessage | undefined;
    try {
      message = this.#reader.add(data, head);
    } catch {
      this.#events.broken('malformed');
      return;
    }
    if (message !== undefined) this.#events.message(message);
  }

  #publish(bytes: Uint8Array, flags: number, reply?: string): void {
    this.sent = (this.sent + 1) >>> 0;
    writeHead(bytes, { flags, seq: this.sent, received: this.#received });
    this.#options.link.publish(this.#options.subject, bytes, reply);
  }
}

function withHead(piece: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + piece.byteLength);
  bytes.set(piece, HEAD_BYTES);
  return bytes;
}

function tooLarge(name: string, size: number, limit: number): DispatchError {
  return new DispatchError(
    'ERR_TOO_LARGE',
    `A value is too large to send: ${size} bytes exceed \`maxMessageBytes\` (${limit})`,
    { data: { name, limit } },
  );
}
