import { refuseLostObjects } from '@ticketing/kit';
import type { Movable } from '../contract/task.ts';
import { lossOfJson } from '../json-task.ts';
import { isPort } from '../task-results.ts';
import { cloneToBytes } from './clone-bytes.ts';
import { jsonKeeps } from './json-keeps.ts';
import { valueKind, type WireMessage } from './wire-message.ts';

/** Message to post. */
export interface Posting {
  readonly message: unknown;
  readonly transfer: Movable[];
  /**
   * Number of the only call in the message, if the port may refuse its value: it is large, or only the port itself can clone it.
   * An error of posting the message fails that call alone.
   */
  readonly only: number | undefined;
}

export interface WriterOptions {
  /** True if the port moves buffers and shares memory, as the port of a thread does. */
  readonly transfers: boolean;
  /**
   * Bytes from which a value gets a message of its own, 1 to 65,536; such a message has `only` set, for ports that refuse
   * large ones. Default: bytes from 65,536 on, without `only`.
   */
  readonly apartFrom?: number;
  /** Text and bytes gathered at which a message is complete, 1 or more. Default 16,384. */
  readonly fullAt?: number;
  /** True if a value of a task that `json` has marked is refused if JSON would change it. Default `false`. */
  readonly checksJson?: boolean;
}

/** Text and bytes at which a message is full; with more, one side would wait for the other. Figures: docs/decisions/0029-frames-in-a-pipe.md. */
const FULL = 16 * 1024;
/** Bytes from which a message of its own costs less than a copy into a shared one. */
const APART = 64 * 1024;

/**
 * Writes frames into few messages. Each value is written by itself and at once: an object in two of them becomes two objects
 * for the reader, and later changes of it are not seen, provided that the caller posts what is `complete`.
 */
export class FrameWriter {
  readonly #options: WriterOptions;
  readonly #lead: number;
  readonly #fullAt: number;
  #postings: Posting[] = [];
  #cells = '';
  #parts: Uint8Array[] = [];
  #partBytes = 0;

  /** @param lead - The first cell of each message */
  constructor(options: WriterOptions, lead = 0) {
    this.#options = options;
    this.#lead = lead;
    this.#fullAt = options.fullAt ?? FULL;
  }

  /**
   * Adds a frame: its code, its `seq`, its value, and its other fields as JSON with a comma before each. Adds nothing if it throws.
   *
   * @param way - `json` for a value that is written as JSON also where JSON changes it, so that a Date becomes a text; or objects
   * in the value that are moved, or copied where the port cannot move them
   * @throws DOMException `DataCloneError` for a value that cannot be cloned or moved, or that `checksJson` refuses; TypeError for
   * one that JSON cannot write; what a getter or a `toJSON` of the value throws
   */
  add(
    code: number,
    seq: number,
    value: unknown,
    fields: string,
    way?: 'json' | readonly Movable[],
  ): void {
    const head = `,${code},${seq},`;
    if (typeof way === 'object' && way.length > 0) {
      if (this.#options.transfers) {
        this.#addDirect(seq, head, value, fields, way);
        return;
      }
      refusePorts(way);
    }
    if (value === undefined) {
      this.#append(`${head}${valueKind.undefined},0${fields}`);
    } else if (way === 'json') {
      this.#addText(seq, `${head}${valueKind.json},`, this.#jsonOf(value), fields);
    } else if (jsonKeeps(value)) {
      this.#addText(seq, `${head}${valueKind.json},`, JSON.stringify(value), fields);
    } else if (typeof value === 'number') {
      // `String` would drop the sign of -0.
      const text = value === 0 ? '-0' : String(value);
      this.#append(`${head}${valueKind.number},"${text}"${fields}`);
    } else if (typeof value === 'bigint') {
      this.#append(`${head}${valueKind.bigint},"${value}"${fields}`);
    } else {
      this.#addOther(seq, head, value, fields);
    }
  }

  /** True if a message is complete: full, or a message that the port may refuse, or of bytes that were not copied. */
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

  #jsonOf(value: unknown): string {
    const text: string | undefined = JSON.stringify(value);
    const loss = text === undefined || this.#options.checksJson ? lossOfJson(value) : undefined;
    if (text !== undefined && loss === undefined) return text;
    throw new DOMException(loss ?? 'JSON has no text for it', 'DataCloneError');
  }

  #addOther(seq: number, head: string, value: unknown, fields: string): void {
    let kind = bytesKind(value);
    let bytes = value as Uint8Array;
    const owned = kind === undefined;
    if (kind === undefined) {
      kind = valueKind.clone;
      try {
        bytes = cloneToBytes(value);
      } catch (error) {
        // A port of this process can clone more: shared memory, keys, blobs.
        if (!this.#options.transfers || typeof value !== 'object' || value === null) throw error;
        this.#addDirect(seq, head, value, fields, []);
        return;
      }
    }
    const cells = `${head}${kind},${bytes.byteLength}${fields}`;
    if (bytes.byteLength >= (this.#options.apartFrom ?? APART)) {
      this.#addApart(seq, cells, bytes, owned);
      return;
    }
    this.#parts.push(owned ? bytes : joined([bytes], bytes.byteLength));
    this.#partBytes += bytes.byteLength;
    this.#append(cells);
  }

  #addText(seq: number, head: string, text: string, fields: string): void {
    const { apartFrom } = this.#options;
    if (apartFrom === undefined || text.length < apartFrom) this.#append(head + text + fields);
    else this.#addApart(seq, head + text + fields, undefined, true);
  }

  #append(cells: string): void {
    this.#cells += cells;
    if (this.#cells.length + this.#partBytes >= this.#fullAt) this.#cut();
  }

  #addApart(seq: number, cells: string, bytes: Uint8Array | undefined, owned: boolean): void {
    this.#cut();
    this.#cells = cells;
    this.#post(bytes, owned, this.#options.apartFrom === undefined ? undefined : seq);
  }

  #addDirect(
    seq: number,
    head: string,
    value: unknown,
    fields: string,
    transfer: readonly Movable[],
  ): void {
    refuseLostObjects(value, 'port', { except: transfer });
    this.#cut();
    const text = `[${this.#lead}${head}${valueKind.direct},0${fields}]`;
    const message: WireMessage = [text, undefined, value];
    this.#postings.push({ message, transfer: [...transfer], only: seq });
  }

  #cut(): void {
    if (this.#cells === '') return;
    const [first] = this.#parts;
    this.#post(this.#parts.length < 2 ? first : joined(this.#parts, this.#partBytes), true);
    this.#parts = [];
    this.#partBytes = 0;
  }

  #post(body: Uint8Array | undefined, owned: boolean, only?: number): void {
    const { transfers } = this.#options;
    const whole = body === undefined || body.byteLength === body.buffer.byteLength;
    // A port clones all the memory behind a view.
    const sent = whole || !transfers ? body : joined([body], body.byteLength);
    const moved = transfers && sent !== undefined && (owned || sent !== body);
    const text = `[${this.#lead}${this.#cells}]`;
    const message: WireMessage = sent === undefined ? [text] : [text, sent];
    this.#postings.push({
      message,
      transfer: moved ? [sent.buffer as ArrayBuffer] : [],
      only,
    });
    this.#cells = '';
  }
}

/** @throws DOMException `DataCloneError` for a port, which no process can send to another */
function refusePorts(transfer: readonly Movable[]): void {
  if (!transfer.some(isPort)) return;
  const why = 'a MessagePort of `transfer` can be moved between threads only';
  throw new DOMException(why, 'DataCloneError');
}

/** Returns the kind of bytes that go as they are; nothing for shared memory, which a port passes itself. */
function bytesKind(value: unknown): number | undefined {
  if (!(value instanceof Uint8Array) || !(value.buffer instanceof ArrayBuffer)) return undefined;
  if (Buffer.isBuffer(value)) return valueKind.buffer;
  return Object.getPrototypeOf(value) === Uint8Array.prototype ? valueKind.bytes : undefined;
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
