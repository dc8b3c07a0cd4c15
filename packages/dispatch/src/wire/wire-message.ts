import { showValue } from '@ticketing/kit';
import type { Movable } from '../contract/task.ts';
import { isPort } from '../task-results.ts';
import { cloneFromBytes, cloneToBytes } from './clone-bytes.ts';
import { jsonKeeps } from './json-keeps.ts';

/**
 * Frames as they cross a port. Plain data: one text costs the port less than many values, and frames share it.
 * `cells` is a JSON array: 0, then for each frame its code, `seq`, kind of value, value or size, and its other fields.
 */
export interface WireMessage {
  readonly ticketing: string;
  readonly cells: string;
  /** Bytes of the values that are not in `cells`, one after the other. */
  readonly body: Uint8Array | undefined;
  /** The value that the port itself clones. */
  readonly value: unknown;
}

/** Tags of our messages. Foreign ones on the same channel, such as those of `node --watch`, are ignored. */
export const toWorkerTag: string = 'dispatch.to-worker';
export const fromWorkerTag: string = 'dispatch.from-worker';

/** How a value is written. */
const valueKind = {
  /** In the cell. */
  json: 0,
  undefined: 1,
  /** A number that JSON cannot write. */
  number: 2,
  bigint: 3,
  /** In the body, written by `cloneToBytes`. */
  clone: 4,
  /** In the body as it is: a Buffer, a Uint8Array. */
  buffer: 5,
  bytes: 6,
  /** The message's `value`. */
  direct: 7,
} as const;

/** Reads the cells and values of a message in their order. */
export class FrameReader {
  readonly #cells: readonly unknown[];
  readonly #message: WireMessage;
  #at = 1;
  #bodyAt = 0;

  /** Opens a message of ours; `undefined` for any other. */
  static open(message: unknown, tag: string): FrameReader | undefined {
    if (typeof message !== 'object' || message === null) return undefined;
    if ((message as Partial<WireMessage>).ticketing !== tag) return undefined;
    return new FrameReader(message as WireMessage);
  }

  /** @throws SyntaxError or TypeError for cells that are no list */
  constructor(message: WireMessage) {
    this.#message = message;
    const cells: unknown = JSON.parse(message.cells);
    if (!Array.isArray(cells)) throw malformed('a list of cells', cells);
    this.#cells = cells;
  }

  get more(): boolean {
    return this.#at < this.#cells.length;
  }

  /** @throws TypeError for a cell that is no number */
  number(): number {
    const cell = this.#cells[this.#at++];
    if (typeof cell !== 'number') throw malformed('a number', cell);
    return cell;
  }

  cell(): unknown {
    return this.#cells[this.#at++];
  }

  /** Reads a value. After an error the next frame can still be read. @throws Error for bytes that are no clone */
  value(): unknown {
    const kind = this.#cells[this.#at++];
    const datum = this.#cells[this.#at++];
    switch (kind) {
      case valueKind.json:
        return datum;
      case valueKind.undefined:
        return undefined;
      case valueKind.number:
        return Number(datum);
      case valueKind.bigint:
        return BigInt(datum as string);
      case valueKind.direct:
        return this.#message.value;
      case valueKind.clone:
        return cloneFromBytes(this.#bytes(datum as number));
      default: {
        const bytes = owned(this.#bytes(datum as number));
        return kind === valueKind.buffer
          ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
          : bytes;
      }
    }
  }

  #bytes(size: number): Uint8Array {
    const { body = nothing } = this.#message;
    const from = this.#bodyAt;
    if (!(size >= 0 && from + size <= body.byteLength)) {
      throw malformed('a size within the body', size);
    }
    this.#bodyAt += size;
    return body.subarray(from, this.#bodyAt);
  }
}

const nothing = new Uint8Array(0);

/** The error of a message that no writer of ours has written. */
export function malformed(expected: string, got: unknown): TypeError {
  return new TypeError(`Cannot read a frame: it must have ${expected}, got ${showValue(got)}`);
}

/** Copies bytes that share memory, since the rest belongs to other tasks. */
function owned(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength === bytes.buffer.byteLength && !Buffer.isBuffer(bytes)) return bytes;
  // `new Uint8Array(size)` would write zeros first.
  const copy = new Uint8Array(Buffer.allocUnsafeSlow(bytes.byteLength).buffer);
  copy.set(bytes);
  return copy;
}

/** A message to post. */
export interface Posting {
  readonly message: unknown;
  readonly transfer: Movable[];
  /**
   * Set if the message holds a single frame, of this `seq`, with a value that the port may refuse: only the port itself can
   * clone it, or it is large. An error of posting it fails that call alone.
   */
  readonly only: number | undefined;
}

export interface WriterOptions {
  /** Whether the port moves buffers and shares memory, as that of a thread does. */
  readonly transfers: boolean;
  /**
   * Bytes from which a value gets a message of its own, 1 to 65,536; such a message has `only` set, for ports that refuse
   * large ones. Default: bytes from 65,536 on, without `only`.
   */
  readonly apartFrom?: number;
}

/** Text and bytes gathered in one message; larger values gain nothing by sharing one. */
const FULL = 64 * 1024;

/**
 * Writes frames into few messages. Each value is written by itself and at once: an object in two of them becomes two objects
 * for the reader, and later changes of it are not seen, provided that the caller posts what is `complete`.
 */
export class FrameWriter {
  readonly #tag: string;
  readonly #transfers: boolean;
  readonly #apartFrom: number | undefined;
  #postings: Posting[] = [];
  #cells = '';
  #parts: Uint8Array[] = [];
  #partBytes = 0;

  constructor(tag: string, options: WriterOptions) {
    this.#tag = tag;
    this.#transfers = options.transfers;
    this.#apartFrom = options.apartFrom;
  }

  /**
   * Adds a frame: `head` and `tail` are JSON without the brackets of an array, with a comma before each cell.
   *
   * @throws DOMException `DataCloneError`, or what a getter of the value throws; then it adds nothing
   */
  add(seq: number, head: string, value: unknown, tail: string): void {
    if (value === undefined) {
      this.#append(`${head},${valueKind.undefined},0${tail}`);
    } else if (jsonKeeps(value)) {
      const text = JSON.stringify(value);
      if (text.length < (this.#apartFrom ?? Number.POSITIVE_INFINITY)) {
        this.#append(`${head},${valueKind.json},${text}${tail}`);
      } else {
        this.#addApart(seq, `${head},${valueKind.json},${text}${tail}`, undefined, true);
      }
    } else if (typeof value === 'number') {
      // `String` would forget the sign of a zero.
      const text = value === 0 ? '-0' : String(value);
      this.#append(`${head},${valueKind.number},"${text}"${tail}`);
    } else if (typeof value === 'bigint') {
      this.#append(`${head},${valueKind.bigint},"${value}"${tail}`);
    } else {
      this.#addOther(seq, head, value, tail);
    }
  }

  /**
   * Adds a frame whose buffers are moved, or copied where the port cannot move them.
   *
   * @throws DOMException `DataCloneError` for a port that cannot be moved, and as {@link add}
   */
  addMoving(
    seq: number,
    head: string,
    moving: { readonly value: unknown; readonly transfer: readonly Movable[] },
    tail: string,
  ): void {
    if (!this.#transfers && moving.transfer.some(isPort)) {
      const why = 'a MessagePort of `transfer` can be moved between threads only';
      throw new DOMException(why, 'DataCloneError');
    }
    if (this.#transfers && moving.transfer.length > 0) {
      this.#addDirect(seq, `${head},${valueKind.direct},0${tail}`, moving.value, moving.transfer);
    } else {
      this.add(seq, head, moving.value, tail);
    }
  }

  /** Whether a message is complete: full, or one that the port may refuse, or of bytes that were not copied. */
  get complete(): boolean {
    return this.#postings.length > 0;
  }

  /** Returns the messages so far, and starts over. */
  take(): Posting[] {
    this.#cut();
    const postings = this.#postings;
    this.#postings = [];
    return postings;
  }

  #addOther(seq: number, head: string, value: unknown, tail: string): void {
    const kind = bytesKind(value);
    if (kind !== undefined) {
      const bytes = value as Uint8Array;
      this.#addBytes(seq, `${head},${kind},${bytes.byteLength}${tail}`, bytes, false);
      return;
    }
    let bytes: Uint8Array;
    try {
      bytes = cloneToBytes(value);
    } catch (error) {
      // A port of this process can clone more: shared memory, keys, blobs.
      if (!this.#transfers || !isObject(value)) throw error;
      this.#addDirect(seq, `${head},${valueKind.direct},0${tail}`, value, []);
      return;
    }
    this.#addBytes(seq, `${head},${valueKind.clone},${bytes.byteLength}${tail}`, bytes, true);
  }

  #append(cells: string): void {
    this.#cells += cells;
    if (this.#cells.length + this.#partBytes >= FULL) this.#cut();
  }

  #addApart(seq: number, cells: string, bytes: Uint8Array | undefined, owned: boolean): void {
    this.#cut();
    this.#cells = cells;
    this.#post(bytes, owned, this.#apartFrom === undefined ? undefined : seq);
  }

  #addBytes(seq: number, cells: string, bytes: Uint8Array, owned: boolean): void {
    if (bytes.byteLength >= (this.#apartFrom ?? FULL)) {
      this.#addApart(seq, cells, bytes, owned);
      return;
    }
    this.#parts.push(owned ? bytes : joined([bytes], bytes.byteLength));
    this.#partBytes += bytes.byteLength;
    this.#append(cells);
  }

  #addDirect(seq: number, cells: string, value: unknown, transfer: readonly Movable[]): void {
    this.#cut();
    const message: WireMessage = {
      ticketing: this.#tag,
      cells: `[0${cells}]`,
      body: undefined,
      value,
    };
    this.#postings.push({ message, transfer: [...transfer], only: seq });
  }

  #cut(): void {
    if (this.#cells === '') return;
    const [first] = this.#parts;
    if (this.#parts.length < 2) this.#post(first, true);
    else this.#post(joined(this.#parts, this.#partBytes), true);
    this.#parts = [];
    this.#partBytes = 0;
  }

  #post(body: Uint8Array | undefined, owned: boolean, only?: number): void {
    const whole = body === undefined || body.byteLength === body.buffer.byteLength;
    // A port clones all the memory behind a view.
    const sent = whole || !this.#transfers ? body : joined([body], body.byteLength);
    const moved = this.#transfers && sent !== undefined && (owned || sent !== body);
    const message: WireMessage = {
      ticketing: this.#tag,
      cells: `[0${this.#cells}]`,
      body: sent,
      value: undefined,
    };
    this.#postings.push({
      message,
      transfer: moved ? [sent.buffer as ArrayBuffer] : [],
      only,
    });
    this.#cells = '';
  }
}

/** Undefined for shared memory: a port passes the memory itself. */
function bytesKind(value: unknown): number | undefined {
  if (!(value instanceof Uint8Array) || !(value.buffer instanceof ArrayBuffer)) return undefined;
  if (Buffer.isBuffer(value)) return valueKind.buffer;
  return Object.getPrototypeOf(value) === Uint8Array.prototype ? valueKind.bytes : undefined;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const body = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.byteLength;
  }
  return body;
}
