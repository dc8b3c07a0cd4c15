/**
 * Tells which tasks a thread had started, whatever way it ended: what it has posted may be lost with it, memory that
 * both share is not. Numbers are 64 bits wide, since 32 would do for half a day.
 */
export class StartJournal {
  /** What is handed to the thread. */
  readonly buffer: SharedArrayBuffer;
  readonly #record: BigInt64Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(8)) {
    this.buffer = buffer;
    this.#record = new BigInt64Array(buffer);
  }

  /** Highest number written; 0 before the first. */
  read(): number {
    return Number(Atomics.load(this.#record, 0));
  }

  write(seq: number): void {
    Atomics.store(this.#record, 0, BigInt(seq));
  }
}
