import { cloneFromBytes } from './clone-bytes.ts';
import { valueKind, type WireMessage } from './wire-message.ts';

/** Reads the cells and values of a message in the order in which they were written. */
export class FrameReader {
  readonly #cells: readonly unknown[];
  readonly #message: WireMessage;
  #at = 1;
  #bodyAt = 0;

  /** Opens a message of ours; any other is `undefined`. */
  static open(message: unknown, tag: string): FrameReader | undefined {
    if (typeof message !== 'object' || message === null) return undefined;
    if ((message as Partial<WireMessage>).ticketing !== tag) return undefined;
    return new FrameReader(message as WireMessage);
  }

  constructor(message: WireMessage) {
    this.#message = message;
    this.#cells = JSON.parse(message.cells) as readonly unknown[];
  }

  get more(): boolean {
    return this.#at < this.#cells.length;
  }

  number(): number {
    return this.#cells[this.#at++] as number;
  }

  cell(): unknown {
    return this.#cells[this.#at++];
  }

  /** Reads a value; after a failure the next frame can be read all the same. @throws Error for bytes that are no clone */
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
    const from = this.#bodyAt;
    this.#bodyAt += size;
    return (this.#message.body as Uint8Array).subarray(from, this.#bodyAt);
  }
}

/** Bytes in memory of their own: beside them would be another task's. */
function owned(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength === bytes.buffer.byteLength && !Buffer.isBuffer(bytes)) return bytes;
  const copy = new Uint8Array(bytes.byteLength);
  copy.set(bytes);
  return copy;
}
