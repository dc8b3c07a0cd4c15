import type { WireMessage } from './wire-message.ts';

/** Bytes before each message: its mark, the size of its text and the size of its body, 32 bits each. */
const HEAD_BYTES = 12;
/** The text has one byte per character. */
const MARK_ASCII = 0x7dc1_0001;
const MARK_UTF8 = 0x7dc1_0002;
/** The longest text that V8 can hold. */
const MOST_TEXT_BYTES = 2 ** 29 - 1;
const MOST_BODY_BYTES = 2 ** 32 - 1;

/**
 * Returns a message for a {@link MessageStream}, as a socket writes it with the encoding `latin1`: a text where it can, which
 * needs no memory beside the kernel's. A copy, so that later changes are not seen.
 *
 * @throws RangeError for a text of 512 MiB or more, or a body of 4 GiB or more
 */
export function messageData([cells, body]: WireMessage): string | Uint8Array {
  const textBytes = Buffer.byteLength(cells);
  const bodyBytes = body?.byteLength ?? 0;
  if (textBytes > MOST_TEXT_BYTES || bodyBytes > MOST_BODY_BYTES) {
    throw new RangeError('Cannot send a value: it is too large for one message');
  }
  const isAscii = textBytes === cells.length;
  if (isAscii && bodyBytes === 0) return ASCII + cell(textBytes) + cell(0) + cells;
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + textBytes + bodyBytes);
  bytes.writeUInt32LE(isAscii ? MARK_ASCII : MARK_UTF8, 0);
  bytes.writeUInt32LE(textBytes, 4);
  bytes.writeUInt32LE(bodyBytes, 8);
  bytes.write(cells, HEAD_BYTES, isAscii ? 'latin1' : 'utf8');
  if (body !== undefined) bytes.set(body, HEAD_BYTES + textBytes);
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

/** Reads messages from a stream of bytes, wherever its chunks end. Time and memory grow in proportion to the messages. */
export class MessageStream {
  readonly #read: (message: WireMessage) => void;
  /** The beginning of a head that came without its end. */
  #rest: Buffer | undefined;
  /** An incomplete message: its head has come, but not all of its text and body. */
  #open: OpenMessage | undefined;

  /** @param read - Called with each message; its body may be a part of the chunk, and must be read before that is written over */
  constructor(read: (message: WireMessage) => void) {
    this.#read = read;
  }

  /** Reads a chunk, which is used after the call only by the bodies of messages. @throws RangeError for bytes that are no message; what `read` throws */
  push(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    let at = this.#fill(bytes, 0);
    while (bytes.byteLength - at >= HEAD_BYTES) {
      const head = readHead(bytes, at);
      const textAt = at + HEAD_BYTES;
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

  #emit(cells: string, body: Uint8Array | undefined): void {
    this.#read(body === undefined ? [cells] : [cells, body]);
  }
}

interface MessageHead {
  readonly encoding: 'latin1' | 'utf8';
  readonly textBytes: number;
  readonly bodyBytes: number;
}

function readHead(bytes: Buffer, at: number): MessageHead {
  const mark = bytes.readUInt32LE(at);
  const textBytes = bytes.readUInt32LE(at + 4);
  const isAscii = mark === MARK_ASCII;
  if ((!isAscii && mark !== MARK_UTF8) || textBytes > MOST_TEXT_BYTES) {
    throw new RangeError('Cannot read messages: these bytes are none');
  }
  const encoding = isAscii ? 'latin1' : 'utf8';
  return { encoding, textBytes, bodyBytes: bytes.readUInt32LE(at + 8) };
}

/** A message that comes in several chunks, in memory of its own. */
class OpenMessage {
  readonly head: MessageHead;
  readonly text: Buffer;
  readonly body: Uint8Array;
  #got = 0;

  constructor(head: MessageHead) {
    this.head = head;
    this.text = Buffer.allocUnsafeSlow(head.textBytes);
    // Not pooled: a value that fills the whole body is then used without a copy.
    this.body = new Uint8Array(Buffer.allocUnsafeSlow(head.bodyBytes).buffer);
  }

  get isWhole(): boolean {
    return this.#got === this.head.textBytes + this.head.bodyBytes;
  }

  /** Copies the missing bytes, or as many as there are, from `bytes` at `from` on. @returns the end of what was copied */
  fill(bytes: Buffer, from: number): number {
    let at = from;
    for (const [part, start] of [
      [this.text, 0] as const,
      [this.body, this.head.textBytes] as const,
    ]) {
      const missing = start + part.byteLength - Math.max(start, this.#got);
      if (missing <= 0) continue;
      const size = Math.min(missing, bytes.byteLength - at);
      part.set(bytes.subarray(at, at + size), this.#got - start);
      this.#got += size;
      at += size;
      if (size < missing) break;
    }
    return at;
  }
}
