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

/** Options of one end of a channel. */
export interface ChannelOptions {
  readonly link: NatsLink;
  /** Subject on which the other side listens. */
  readonly subject: string;
  /** Most bytes of a message, either way. */
  readonly maxBytes: number;
  /** Name of the owner in errors. */
  readonly name: string;
}

/** Bytes from which on a value goes in a message of its own; smaller values share one. */
const APART_BYTES = 4096;
/** Most bytes and text of values that share a message. */
const SHARED_BYTES = 65_536;

/** Options for writing frames to a channel. */
interface Writing {
  readonly transfers: false;
  readonly apartFrom: number;
  readonly fullAt: number;
}

/** Callbacks for the messages of the other side. */
export interface ChannelEvents {
  /** Takes a whole message of frames. */
  message(message: WireMessage): void;
  /** Reports that the other side asks for a sign of life. */
  ping(): void;
  /** Reports that the other side has ended the session. */
  ended(): void;
  /** Reports a message that is missing, came twice or cannot be read: the session must end. */
  broken(sign: 'gap' | 'malformed'): void;
}

/**
 * Ordered, numbered messages between host and dispatcher; large ones go in pieces. The numbers show a missing message.
 */
export class SessionChannel implements Lane {
  /** Messages left to send, as bytes. */
  readonly #waiting: Uint8Array[] = [];
  /** Bytes of the first waiting message that are sent. */
  #waitingAt = 0;
  /** Number of the latest message sent. */
  sent = 0;
  /** Number of the latest message that the other side has confirmed. */
  confirmed = 0;
  #received = 0;
  /** Options for writing frames. Small values together stay below `maxBytes`, in any letters. */
  readonly writing: Writing;
  /** Number and time of the latest ping. */
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
   * Sends frames. `reply`: subject of the server's answer if the other side has gone; not used for a message in pieces.
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

  /** Asks for a sign of life; the server answers on `reply` if the other side has gone. */
  ping(reply: string, now: number): void {
    if (this.#isEnded) return;
    this.#publish(new Uint8Array(HEAD_BYTES), flag.ping, reply);
    this.#pinged = { seq: this.sent, at: now };
  }

  pong(): void {
    if (!this.#isEnded) this.#publish(new Uint8Array(HEAD_BYTES), 0);
  }

  /** Ends this side. `tells`: tells the other side, as soon as there is a connection. */
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

  /** Reads a message of the other side. @returns milliseconds of the round trip if the message answers the latest ping */
  receive(data: Uint8Array, now: number): number | undefined {
    if (this.#isEnded) return undefined;
    const head = this.#reader.head(data);
    if (head === undefined) {
      this.#events.broken('malformed');
      return undefined;
    }
    // Checked before the number, because earlier messages may be lost with the connection.
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
