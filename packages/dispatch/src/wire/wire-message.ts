import { showValue } from '@ticketing/kit';
import { cloneFromBytes } from './clone-bytes.ts';

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
export const valueKind = {
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
