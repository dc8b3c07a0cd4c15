export interface Incomplete {
  readonly kind: 'incomplete';
}

export const INCOMPLETE: Incomplete = { kind: 'incomplete' };

export interface Refused<Reason extends string> {
  readonly kind: 'refused';
  readonly reason: Reason;
}

export function refuse<Reason extends string>(reason: Reason): Refused<Reason> {
  return { kind: 'refused', reason };
}

/** Reads the beginning of one connection, chunk by chunk. */
export interface ChunkReader<State> {
  /**
   * Takes the next bytes and returns what is known so far. After any state but `incomplete` it keeps returning that state
   * and takes nothing more. The chunks must stay unchanged.
   */
  push(chunk: Uint8Array): State | Incomplete;
}

/** Returns a reader that calls `read` after each chunk; `tooLarge` is its state when the bytes reach their limit. */
export function createChunkReader<State>(
  gathered: GatheredBytes,
  read: () => State | Incomplete,
  tooLarge: State | Incomplete,
): ChunkReader<State> {
  let state: State | Incomplete = INCOMPLETE;
  return {
    push(chunk) {
      if (state !== INCOMPLETE || chunk.length === 0) return state;
      gathered.add(chunk);
      state = read();
      if (state === INCOMPLETE && gathered.isFull) state = tooLarge;
      return state;
    },
  };
}

/**
 * The bytes of several chunks in one piece, up to a limit. The first chunk is not copied, so it must stay unchanged;
 * later ones are copied behind it, each byte at most a constant number of times on average.
 */
export class GatheredBytes {
  bytes: Buffer = Buffer.alloc(0);
  length = 0;
  readonly #limit: number;
  #own = false;

  /** @throws RangeError when `limit` is no integer of 1 or more */
  constructor(limit: number) {
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw new RangeError(
        `Cannot gather bytes: \`limit\` must be an integer of 1 or more, got ${String(limit)}`,
      );
    }
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.length === this.#limit;
  }

  /** Adds the bytes that fit under the limit. */
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
