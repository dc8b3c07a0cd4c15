import type { WireMessage } from '../wire/wire-message.ts';
import { type MessageFile, unpooledBytes, unreadable } from './message-file.ts';

/** Bytes before each message: its mark, the size of its text and the size of its body, 32 bits each. */
const HEAD_BYTES = 12;
/** Marks: a message whose text has one byte per character, or is UTF-8. */
const MARK_ASCII = 0x7dc1_0001;
const MARK_UTF8 = 0x7dc1_0002;
/** Marks of the same two whose text and body are elsewhere ({@link LargeMessages}): 32 bits with their place follow. */
const MARK_LARGE_ASCII = 0x7dc1_0003;
const MARK_LARGE_UTF8 = 0x7dc1_0004;
const PLACE_BYTES = 4;
/** Mark of a report that so many messages elsewhere have been read: 32 bits, and 32 that mean nothing. */
const MARK_READ = 0x7dc1_0005;
/** Bytes from which a message goes elsewhere: below, a message takes less time through the pipe. */
const LARGE_BYTES = 64 * 1024;
/** Bytes of the longest text that V8 can hold. */
const MOST_TEXT_BYTES = 2 ** 29 - 1;
const MOST_BODY_BYTES = 2 ** 32 - 1;

/** Room in which two processes leave each other large messages: the stream has their places, in the order of all messages. */
export type LargeMessages = Pick<MessageFile, 'write' | 'read' | 'unreported' | 'confirm'>;

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
  /** Beginning of a head that came without its end. */
  #rest: Buffer | undefined;
  /** Message whose head has come, but not all of its text and body. */
  #open: OpenMessage | undefined;

  /** @param read - Called with each message; its body may be a part of the chunk, and must be read before that is written over */
  constructor(read: (message: WireMessage) => void, large?: LargeMessages) {
    this.#read = read;
    this.#large = large;
  }

  /** Bytes that have come of a message whose end has not; undefined if there is none. */
  get partial(): { readonly message: object; readonly bytes: number } | undefined {
    const open = this.#open;
    return open && { message: open, bytes: open.got };
  }

  /** Reads a chunk, which is used after the call only by the bodies of messages. @throws RangeError for bytes that are no message; what `read` throws */
  push(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    let at = this.#fill(bytes, 0);
    while (bytes.byteLength - at >= HEAD_BYTES) {
      const head = readHead(bytes, at);
      const { mark, textBytes, bodyBytes } = head;
      const textAt = at + HEAD_BYTES;
      if (mark === MARK_READ) {
        this.#elsewhere.confirm(textBytes);
        at = textAt;
        continue;
      }
      if (mark === MARK_LARGE_ASCII || mark === MARK_LARGE_UTF8) {
        if (bytes.byteLength - textAt < PLACE_BYTES) break;
        at = textAt + PLACE_BYTES;
        const place = bytes.readUInt32LE(textAt);
        const { text, body } = this.#elsewhere.read(place, textBytes, bodyBytes);
        this.#emit(head, text, body);
        continue;
      }
      const bodyAt = textAt + textBytes;
      at = bodyAt + bodyBytes;
      if (at > bytes.byteLength) {
        this.#open = new OpenMessage(head);
        at = this.#fill(bytes, textAt);
        break;
      }
      const cells = bytes.toString(encodingOf(mark), textAt, bodyAt);
      this.#read(bodyBytes === 0 ? [cells] : [cells, bytes.subarray(bodyAt, at)]);
    }
    if (at < bytes.byteLength) this.#rest = Buffer.from(bytes.subarray(at));
  }

  /** Fills the incomplete message, if there is one, and reads it once it is whole. @returns where the next message begins */
  #fill(bytes: Buffer, from: number): number {
    const open = this.#open;
    if (open === undefined) return from;
    const at = open.fill(bytes, from);
    if (open.isWhole) {
      this.#open = undefined;
      this.#emit(open.head, open.text, open.body);
    }
    return at;
  }

  get #elsewhere(): LargeMessages {
    if (this.#large === undefined) throw unreadable('there is no file for large ones');
    return this.#large;
  }

  #emit({ mark, bodyBytes }: MessageHead, text: Buffer, body: Uint8Array): void {
    const cells = text.toString(encodingOf(mark));
    this.#read(bodyBytes === 0 ? [cells] : [cells, body]);
  }
}

interface MessageHead {
  readonly mark: number;
  /** Size of the text; of a report, the number of messages that have been read. */
  readonly textBytes: number;
  readonly bodyBytes: number;
}

function readHead(bytes: Buffer, at: number): MessageHead {
  const mark = bytes.readUInt32LE(at);
  const textBytes = bytes.readUInt32LE(at + 4);
  if (mark < MARK_ASCII || mark > MARK_READ) {
    throw unreadable(`unknown header, got 0x${mark.toString(16).padStart(8, '0')}`);
  }
  if (mark !== MARK_READ && textBytes > MOST_TEXT_BYTES) {
    throw unreadable(`a text of ${textBytes} bytes is too long`);
  }
  return { mark, textBytes, bodyBytes: bytes.readUInt32LE(at + 8) };
}

function encodingOf(mark: number): 'latin1' | 'utf8' {
  return mark === MARK_ASCII || mark === MARK_LARGE_ASCII ? 'latin1' : 'utf8';
}

/** Message that comes in several chunks, in memory of its own. */
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
    return this.got === this.text.byteLength + this.body.byteLength;
  }

  /** Copies the missing bytes from `bytes` at `from` on, or all that it has. @returns the end of the copied bytes */
  fill(bytes: Buffer, from: number): number {
    const inBody = this.got - this.text.byteLength;
    const textEnd = Math.min(bytes.byteLength, from + Math.max(0, -inBody));
    const end = Math.min(bytes.byteLength, from + this.body.byteLength - inBody);
    if (inBody < 0) bytes.copy(this.text, this.got, from, textEnd);
    if (textEnd < end) bytes.copy(this.body, Math.max(0, inBody), textEnd, end);
    this.got += end - from;
    return end;
  }
}
