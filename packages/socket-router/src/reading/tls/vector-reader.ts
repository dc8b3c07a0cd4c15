/**
 * Walks through bytes by lengths, RFC 8446 3.4. Past the end it reads zeros and is `failed` for good,
 * so a whole structure is read first and asked for failure once.
 */
export class VectorReader {
  failed = false;
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get remaining(): number {
    return this.#end - this.#at;
  }

  uint8(): number {
    return this.#skipped(1) ? (this.#bytes[this.#at - 1] as number) : 0;
  }

  uint16(): number {
    return this.#skipped(2) ? this.#bytes.readUInt16BE(this.#at - 2) : 0;
  }

  skip(length: number): void {
    this.#skipped(length);
  }

  /** The next bytes as a reader of their own; an empty one past the end. */
  vector(length: number): VectorReader {
    const start = this.#at;
    const end = this.#skipped(length) ? this.#at : start;
    return new VectorReader(this.#bytes, start, end);
  }

  /** The next bytes as Latin-1. */
  text(length: number): string {
    if (!this.#skipped(length)) return '';
    return this.#bytes.toString('latin1', this.#at - length, this.#at);
  }

  #skipped(length: number): boolean {
    if (this.failed || length > this.remaining) {
      this.failed = true;
      return false;
    }
    this.#at += length;
    return true;
  }
}
