/**
 * The bytes of several chunks in one piece, up to a limit. The first chunk stands as it is and is not
 * copied, so whoever adds it leaves it unchanged; later ones are copied behind it, each byte at most a
 * constant number of times on average.
 */
export class GatheredBytes {
  bytes: Buffer = Buffer.alloc(0);
  length = 0;
  readonly #limit: number;
  #own = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.length === this.#limit;
  }

  /** Takes what fits under the limit. */
  add(chunk: Uint8Array): void {
    const length = Math.min(this.length + chunk.length, this.#limit);
    if (this.length === 0) {
      this.bytes = asBuffer(chunk);
    } else if (length > this.length) {
      this.#reserve(length);
      this.bytes.set(chunk.subarray(0, length - this.length), this.length);
    }
    this.length = length;
  }

  #reserve(length: number): void {
    if (this.#own && length <= this.bytes.length) return;
    const room = Math.min(Math.max(2 * length, 512), this.#limit);
    const larger = Buffer.allocUnsafeSlow(room);
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
    this.#own = true;
  }
}

function asBuffer(chunk: Uint8Array): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk;
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
