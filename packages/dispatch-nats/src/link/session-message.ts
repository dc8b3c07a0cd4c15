import type { WireMessage } from '@ticketing/dispatch/transport';

/** Head of each message: version, flags, two bytes of zero, number of this message, number of the latest one received. */
export interface Head {
  readonly flags: number;
  readonly seq: number;
  readonly received: number;
}

/** Bytes of a head. */
export const HEAD_BYTES = 12;
/** Bytes of the text's length, which precede the text. */
const LENGTH_BYTES = 4;
const VERSION = 1;
/** Least average bytes of a piece: no server has a smaller `max_payload`, because an opening must fit. */
const LEAST_PIECE_BYTES = 256;
const MIN_PIECES = 64;
/** Bytes below which a piece is copied, so that it keeps no other memory alive. */
const COPIED_BYTES = 16_384;

/** Flags of a message, as bits. */
export const flag = {
  /** Marks the last piece of a message. */
  last: 1,
  /** Asks for an answer. */
  ping: 2,
  /** Ends the session. */
  end: 4,
} as const;

const KNOWN = flag.last | flag.ping | flag.end;

/** Returns a message as bytes, with room for its head; in `memory` if it has at most `mostBytes`, and so is sent at once. */
export function encodeMessage(
  [cells, body]: WireMessage,
  memory: MessageMemory,
  mostBytes: number,
): Uint8Array {
  const size = Buffer.byteLength(cells);
  const from = HEAD_BYTES + LENGTH_BYTES;
  const whole = from + size + (body?.byteLength ?? 0);
  const bytes = whole <= mostBytes ? memory.take(whole) : Buffer.allocUnsafeSlow(whole);
  bytes.writeUInt32BE(size, HEAD_BYTES);
  bytes.write(cells, from);
  if (body !== undefined) bytes.set(body, from + size);
  return bytes;
}

const SLAB_BYTES = 512 * 1024;

/** Memory for small messages, which are parts of one slab. The slab is used again after all of them are sent: fresh memory costs more than a copy. */
export class MessageMemory {
  #slab = Buffer.alloc(0);
  #at = 0;

  take(size: number): Buffer {
    if (size > SLAB_BYTES / 8) return Buffer.allocUnsafeSlow(size);
    if (this.#at + size > this.#slab.byteLength) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
      this.#at = 0;
    }
    const part = this.#slab.subarray(this.#at, this.#at + size);
    this.#at += size;
    return part;
  }

  /** Uses the slab again, after all its parts were sent and copied. */
  reuse(): void {
    this.#at = 0;
  }
}

/** Writes a head at the beginning of a message. */
export function writeHead(bytes: Uint8Array, { flags, seq, received }: Head): void {
  bytes[0] = VERSION;
  bytes[1] = flags;
  bytes[2] = 0;
  bytes[3] = 0;
  writeNumber(bytes, 4, seq);
  writeNumber(bytes, 8, received);
}

/** Returns a message that ends a session; it needs no number, so the sender need not know the session. */
export function farewell(): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES);
  writeHead(bytes, { flags: flag.end, seq: 0, received: 0 });
  return bytes;
}

/** Returns true for a message that ends a session. */
export function isFarewell(data: Uint8Array): boolean {
  return data.byteLength >= HEAD_BYTES && ((data[1] as number) & flag.end) !== 0;
}

/** Reader of messages, which joins pieces, and checks everything that it reads. */
export class MessageReader {
  readonly #maxBytes: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Reads a head; `undefined` for bytes without a head of this version. */
  head(data: Uint8Array): Head | undefined {
    if (data.byteLength < HEAD_BYTES || data[0] !== VERSION) return undefined;
    const flags = data[1] as number;
    if ((flags & ~KNOWN) !== 0 || data[2] !== 0 || data[3] !== 0) return undefined;
    return { flags, seq: readNumber(data, 4), received: readNumber(data, 8) };
  }

  /** Adds a piece. @returns the message that it completes. @throws Error for too many bytes, or bytes that are no message */
  add(data: Uint8Array, { flags }: Head): WireMessage | undefined {
    const piece = data.subarray(HEAD_BYTES);
    this.#bytes += piece.byteLength;
    if (this.#bytes > this.#maxBytes)
      throw new RangeError('Cannot read a message: it is too large');
    const isLast = (flags & flag.last) !== 0;
    if (isLast && this.#pieces.length === 0) {
      this.#bytes = 0;
      return decodeMessage(piece);
    }
    // Many tiny pieces would take far more memory than their bytes, because each has an object and keeps a chunk alive.
    if (this.#pieces.length >= Math.max(MIN_PIECES, this.#maxBytes / LEAST_PIECE_BYTES)) {
      throw new RangeError('Cannot read a message: it has too many pieces');
    }
    this.#pieces.push(piece.byteLength < COPIED_BYTES ? piece.slice() : piece);
    if (!isLast) return undefined;
    const whole = Buffer.concat(this.#pieces, this.#bytes);
    this.#pieces = [];
    this.#bytes = 0;
    return decodeMessage(whole);
  }
}

function decodeMessage(bytes: Uint8Array): WireMessage {
  if (bytes.byteLength < LENGTH_BYTES)
    throw new RangeError('Cannot read a message: it is too short');
  const size = readNumber(bytes, 0);
  const end = LENGTH_BYTES + size;
  if (end > bytes.byteLength) throw new RangeError('Cannot read a message: its text is cut off');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + LENGTH_BYTES, size);
  const cells = text.toString('utf8');
  return end === bytes.byteLength ? [cells] : [cells, bytes.subarray(end)];
}

function readNumber(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)) >>>
    0
  );
}

function writeNumber(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}
