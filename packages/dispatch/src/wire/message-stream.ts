import type { WireMessage } from './wire-message.ts';

/** Bytes before each message: its mark, the size of its text and the size of its body, 32 bits each. */
const HEAD_BYTES = 12;
/** The text has one byte per character. */
const MARK_ASCII = 0x7dc1_0001;
const MARK_UTF8 = 0x7dc1_0002;
/** As these two, but text and body are elsewhere ({@link LargeMessages}): 32 bits with their place follow. */
const MARK_LARGE_ASCII = 0x7dc1_0003;
const MARK_LARGE_UTF8 = 0x7dc1_0004;
const PLACE_BYTES = 4;
/** No message, but how many of those elsewhere have been read: 32 bits, and 32 that mean nothing. */
const MARK_READ = 0x7dc1_0005;
/** Bytes from which a message goes elsewhere: below, a message takes less time through the pipe. */
const LARGE_BYTES = 64 * 1024;
/** The longest text that V8 can hold. */
const MOST_TEXT_BYTES = 2 ** 29 - 1;
const MOST_BODY_BYTES = 2 ** 32 - 1;

/** A message that was elsewhere, in memory of its own. */
export interface LargeMessage {
  readonly text: Buffer;
  readonly body: Uint8Array;
}

/** Where two processes leave each other the text and the body of large messages. The stream says where they are, in the order of all messages. */
export interface LargeMessages {
  /**
   * Writes a message of `size` bytes: its text, as bytes or with a byte for each character, then its body. @returns its place, a
   * whole number below 2^32, or undefined if there is no room: then it goes through the stream
   */
  write(text: Uint8Array | string, body: Uint8Array | undefined, size: number): number | undefined;
  /**
   * Reads the text and the body of a message, whose room may be used again.
   *
   * @throws RangeError for a place without so many bytes
   */
  read(place: number, textBytes: number, bodyBytes: number): LargeMessage;
  /** How many messages have been read here so far, modulo 2^32, if the other side does not know; asking counts as reporting. */
  readonly unreported: number | undefined;
  /** The other side has read so many, modulo 2^32. @throws RangeError for more than were written */
  confirm(count: number): void;
}

/**
 * Returns a message for a {@link MessageStream}, as a socket writes it with the encoding `latin1`: a text where it can, which
 * needs no memory beside the kernel's. A copy, so that later changes are not seen. A large one is left elsewhere, if there is room.
 *
 * @throws RangeError for a text of 512 MiB or more, or a body of 4 GiB or more
 */
export function messageData(
  [cells, body]: WireMessage,
  large?: LargeMessages,
): string | Uint8Array {
  const textBytes = Buffer.byteLength(cells);
  const bodyBytes = body?.byteLength ?? 0;
  if (textBytes > MOST_TEXT_BYTES || bodyBytes > MOST_BODY_BYTES) {
    throw new RangeError('Cannot send a value: it is too large for one message');
  }
  const isAscii = textBytes === cells.length;
  const unreported = large?.unreported;
  const report = unreported === undefined ? '' : READ + cell(unreported) + cell(0);
  const sizes = cell(textBytes) + cell(bodyBytes);
  if (large !== undefined && textBytes + bodyBytes >= LARGE_BYTES) {
    const text = isAscii ? cells : Buffer.from(cells);
    const place = large.write(text, body, textBytes + bodyBytes);
    const mark = isAscii ? LARGE_ASCII : LARGE_UTF8;
    if (place !== undefined) return report + mark + sizes + cell(place);
  }
  if (isAscii && bodyBytes === 0) return report + ASCII + sizes + cells;
  const head = report + (isAscii ? ASCII : UTF8) + sizes;
  const bytes = Buffer.allocUnsafe(head.length + textBytes + bodyBytes);
  bytes.write(head, 'latin1');
  bytes.write(cells, head.length, isAscii ? 'latin1' : 'utf8');
  if (body !== undefined) bytes.set(body, head.length + textBytes);
  return bytes;
}

/** Returns 32 bits, the lowest first, as characters of a byte each. */
function cell(number: number): string {
  return String.fromCharCode(
    number & 255,
    (number >>> 8) & 255,
    (number >>> 16) & 255,
    number >>> 24,
  );
}

const ASCII = cell(MARK_ASCII);
const UTF8 = cell(MARK_UTF8);
const LARGE_ASCII = cell(MARK_LARGE_ASCII);
const LARGE_UTF8 = cell(MARK_LARGE_UTF8);
const READ = cell(MARK_READ);

/** Reads messages from a stream of bytes, wherever its chunks end. Time and memory grow in proportion to the messages. */
export class MessageStream {
  readonly #read: (message: WireMessage) => void;
  readonly #large: LargeMessages | undefined;
  /** The beginning of a head that came without its end. */
  #rest: Buffer | undefined;
  /** An incomplete message: its head has come, but not all of its text and body. */
  #open: OpenMessage | undefined;

  /** @param read - Called with each message; its body may be a part of the chunk, and must be read before that is written over */
  constructor(read: (message: WireMessage) => void, large?: LargeMessages) {
    this.#read = read;
    this.#large = large;
  }

  /** Bytes that have come of a message whose end has not; undefined if there is none. */
  get partial(): { readonly message: object; readonly bytes: number } | undefined {
    const open = this.#open;
    return open && { message: open.head, bytes: open.got };
  }

  /** Reads a chunk, which is used after the call only by the bodies of messages. @throws RangeError for bytes that are no message; what `read` throws */
  push(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    let at = this.#fill(bytes, 0);
    while (bytes.byteLength - at >= HEAD_BYTES) {
      const head = readHead(bytes, at);
      const textAt = at + HEAD_BYTES;
      if (head.kind === 'read') {
        this.#elsewhere().confirm(head.textBytes);
        at = textAt;
        continue;
      }
      if (head.kind === 'large') {
        if (bytes.byteLength - textAt < PLACE_BYTES) break;
        at = textAt + PLACE_BYTES;
        this.#emitLarge(head, bytes.readUInt32LE(textAt));
        continue;
      }
      const bodyAt = textAt + head.textBytes;
      const end = bodyAt + head.bodyBytes;
      if (end > bytes.byteLength) {
        this.#open = new OpenMessage(head);
        at = this.#fill(bytes, textAt);
        break;
      }
      at = end;
      const cells = bytes.toString(head.encoding, textAt, bodyAt);
      this.#emit(cells, bodyAt === end ? undefined : bytes.subarray(bodyAt, end));
    }
    if (at < bytes.byteLength) this.#rest = Buffer.from(bytes.subarray(at));
  }

  /** Fills the incomplete message, if there is one, and reads it once it is whole. @returns where the next message begins */
  #fill(bytes: Buffer, from: number): number {
    const open = this.#open;
    if (open === undefined) return from;
    const at = open.fill(bytes, from);
    if (!open.isWhole) return at;
    this.#open = undefined;
    const { head, text, body } = open;
    this.#emit(text.toString(head.encoding), head.bodyBytes === 0 ? undefined : body);
    return at;
  }

  #emitLarge(head: MessageHead, place: number): void {
    const { textBytes, bodyBytes, encoding } = head;
    const { text, body } = this.#elsewhere().read(place, textBytes, bodyBytes);
    this.#emit(text.toString(encoding), bodyBytes === 0 ? undefined : body);
  }

  #elsewhere(): LargeMessages {
    if (this.#large === undefined) throw notAMessage();
    return this.#large;
  }

  #emit(cells: string, body: Uint8Array | undefined): void {
    this.#read(body === undefined ? [cells] : [cells, body]);
  }
}

const KINDS: ReadonlyMap<number, MessageHead['kind']> = new Map([
  [MARK_ASCII, 'message'],
  [MARK_UTF8, 'message'],
  [MARK_LARGE_ASCII, 'large'],
  [MARK_LARGE_UTF8, 'large'],
  [MARK_READ, 'read'],
]);

interface MessageHead {
  /** `read`: its `textBytes` are the messages elsewhere that have been read. */
  readonly kind: 'message' | 'large' | 'read';
  readonly encoding: 'latin1' | 'utf8';
  readonly textBytes: number;
  readonly bodyBytes: number;
}

function readHead(bytes: Buffer, at: number): MessageHead {
  const mark = bytes.readUInt32LE(at);
  const textBytes = bytes.readUInt32LE(at + 4);
  const kind = KINDS.get(mark);
  if (kind === undefined || (kind !== 'read' && textBytes > MOST_TEXT_BYTES)) throw notAMessage();
  const encoding = mark === MARK_ASCII || mark === MARK_LARGE_ASCII ? 'latin1' : 'utf8';
  return { kind, encoding, textBytes, bodyBytes: bytes.readUInt32LE(at + 8) };
}

/** Returns the error for bytes that no {@link messageData} has made. */
export function notAMessage(): RangeError {
  return new RangeError('Cannot read messages: these bytes are none');
}

/** Returns the error for a message whose end never comes. */
export function neverWhole(): RangeError {
  return new RangeError('Cannot read messages: the end of one is missing');
}

/** Returns bytes that fill their memory: a value that fills the whole body of a message is then used without a copy. */
export function unpooledBytes(size: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(size).buffer);
}

/** A message that comes in several chunks, in memory of its own. */
class OpenMessage {
  readonly head: MessageHead;
  readonly text: Buffer;
  readonly body: Uint8Array;
  /** Bytes that have come. */
  got = 0;

  constructor(head: MessageHead) {
    this.head = head;
    this.text = Buffer.allocUnsafeSlow(head.textBytes);
    this.body = unpooledBytes(head.bodyBytes);
  }

  get isWhole(): boolean {
    return this.got === this.head.textBytes + this.head.bodyBytes;
  }

  /** Copies the missing bytes, or as many as there are, from `bytes` at `from` on. @returns the end of what was copied */
  fill(bytes: Buffer, from: number): number {
    let at = from;
    for (const [part, start] of [
      [this.text, 0] as const,
      [this.body, this.head.textBytes] as const,
    ]) {
      const missing = start + part.byteLength - Math.max(start, this.got);
      if (missing <= 0) continue;
      const size = Math.min(missing, bytes.byteLength - at);
      part.set(bytes.subarray(at, at + size), this.got - start);
      this.got += size;
      at += size;
      if (size < missing) break;
    }
    return at;
  }
}
