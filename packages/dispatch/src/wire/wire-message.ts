import { showValue } from '@ticketing/kit';
import { cloneFromBytes } from './clone-bytes.ts';

/**
 * Frames as they cross a port: an array, which a port clones faster than an object, with one text, which costs less than many values.
 * `cells` is a JSON array: to a worker the number of its calls, else 0; then for each frame its code, `seq`, kind of value, value or size, and its other fields.
 * `body` has the bytes of the values that are not in `cells`, one after the other; `value` is one that the port itself clones.
 */
export type WireMessage = readonly [cells: string, body?: Uint8Array | undefined, value?: unknown];

/** Forms of a value in a message. */
export const valueKind = {
  /** Value in the cell. */
  json: 0,
  undefined: 1,
  /** Number that JSON cannot write. */
  number: 2,
  bigint: 3,
  /** Bytes of `cloneToBytes`, in the body. */
  clone: 4,
  /** Bytes of a Buffer or a Uint8Array, in the body. */
  buffer: 5,
  bytes: 6,
  /** Third element of the message. */
  direct: 7,
} as const;

/** Reads the frames of a message one by one: `next`, then the other fields of the frame, in their order. */
export class FrameReader {
  readonly #cells: readonly unknown[];
  readonly #body: Uint8Array;
  readonly #direct: unknown;
  #at = 1;
  #bodyAt = 0;
  /** Code and number of the current frame. */
  code = 0;
  seq = 0;
  /** Value of the current frame, or the error of reading it; after an error the next frame can still be read. */
  value: unknown;
  failure: { readonly error: unknown } | undefined;

  /** Opens a message of frames; `undefined` for any other. @throws SyntaxError or TypeError for cells that are no list */
  static open(message: unknown): FrameReader | undefined {
    if (!Array.isArray(message) || typeof message[0] !== 'string') return undefined;
    return new FrameReader(message as unknown as WireMessage);
  }

  private constructor([text, body = nothing, direct]: WireMessage) {
    this.#body = body;
    this.#direct = direct;
    const cells: unknown = JSON.parse(text);
    if (!Array.isArray(cells)) throw malformed('a list of cells', cells);
    this.#cells = cells;
  }

  /** First cell: a whole number, or 0 for anything else. */
  get lead(): number {
    const [lead] = this.#cells;
    return Number.isSafeInteger(lead) ? (lead as number) : 0;
  }

  /** Reads code, number and value of the next frame. @returns false after the last. @throws TypeError for cells that are no numbers */
  next(): boolean {
    if (this.#at >= this.#cells.length) return false;
    this.code = this.number();
    this.seq = this.number();
    this.failure = undefined;
    try {
      this.value = this.#readValue();
    } catch (error) {
      this.value = undefined;
      this.failure = { error };
    }
    return true;
  }

  cell(): unknown {
    return this.#cells[this.#at++];
  }

  /** @throws TypeError for a cell that is no number */
  number(): number {
    const cell = this.#cells[this.#at++];
    if (typeof cell !== 'number') throw malformed('a number', cell);
    return cell;
  }

  /** Reads a cell of {@link flag}. @throws TypeError for a cell that is no number */
  flag(): boolean {
    return this.number() === 1;
  }

  /** @throws TypeError for a cell that is neither a number nor `null`, which is `undefined` */
  optionalNumber(): number | undefined {
    if (this.#cells[this.#at] !== null) return this.number();
    this.#at += 1;
    return undefined;
  }

  #readValue(): unknown {
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
        return this.#direct;
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
    const from = this.#bodyAt;
    if (!(size >= 0 && from + size <= this.#body.byteLength)) {
      throw malformed('a size within the body', size);
    }
    this.#bodyAt += size;
    return this.#body.subarray(from, this.#bodyAt);
  }
}

const nothing = new Uint8Array(0);

/** Returns a field of a frame that {@link FrameReader.flag} reads. */
export function flag(isSet: boolean): ',1' | ',0' {
  return isSet ? ',1' : ',0';
}

/** Returns the error for a message that is malformed. */
export function malformed(expected: string, got: unknown): TypeError {
  return new TypeError(`Cannot read a frame: it must have ${expected}, got ${showValue(got)}`);
}

/** Returns bytes that share no memory, whose rest belongs to other tasks: a copy if they do. */
function owned(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength === bytes.buffer.byteLength && !Buffer.isBuffer(bytes)) return bytes;
  // `new Uint8Array(size)` would write zeros first.
  const copy = new Uint8Array(Buffer.allocUnsafeSlow(bytes.byteLength).buffer);
  copy.set(bytes);
  return copy;
}
