import { type Linked, LinkedList } from '@ticketing/kit';

/** The encoded bytes of a body that are kept. */
export interface KeptEncoding extends Linked {
  /** Encoded body; `undefined` once the encoding is dropped. */
  bytes: Uint8Array | undefined;
}

/** Bounds of the encoded bodies that are kept. */
export interface KeptBounds {
  readonly maxEncoded: number;
  readonly maxBytes: number;
}

/** Encoded bodies within bounds, the least recently used first. */
export class KeptEncodings {
  readonly #bounds: KeptBounds;
  readonly #kept = new LinkedList<KeptEncoding>();
  #newest: KeptEncoding | undefined;
  #bytes = 0;

  constructor(bounds: KeptBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#kept.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Keeps encoded bytes, unless they alone are above the bound. */
  keep(bytes: Uint8Array): KeptEncoding {
    const kept: KeptEncoding = { bytes, previous: undefined, next: undefined, list: undefined };
    this.#kept.add(kept);
    this.#newest = kept;
    this.#bytes += bytes.length;
    while (this.#kept.size > this.#bounds.maxEncoded || this.#bytes > this.#bounds.maxBytes) {
      this.drop(this.#kept.first as KeptEncoding);
    }
    return kept;
  }

  /** Returns the bytes, which then are the most recently used; `undefined` if they were dropped. */
  use(kept: KeptEncoding): Uint8Array | undefined {
    if (kept !== this.#newest && this.#kept.delete(kept)) {
      this.#kept.add(kept);
      this.#newest = kept;
    }
    return kept.bytes;
  }

  drop(kept: KeptEncoding): void {
    if (!this.#kept.delete(kept)) return;
    if (this.#newest === kept) this.#newest = undefined;
    this.#bytes -= kept.bytes?.length ?? 0;
    kept.bytes = undefined;
  }
}
