// A journal in shared memory, for threads. Processes have theirs in a file (dispatch): other media, no shared code.

const CALLS = 256;
const RECORD_BYTES = 8;

/**
 * Tells which calls a thread has claimed, whatever way it ended, and takes back those that it has not: what a thread has
 * posted may be lost with it, memory that both share is not. Each call has a word of which the first to write wins.
 * Numbers are 64 bits wide, since 32 would do for half a day.
 */
export class StartJournal {
  /** What is handed to the thread. */
  readonly buffer: SharedArrayBuffer;
  readonly #record: BigInt64Array;
  readonly #words: Int32Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(RECORD_BYTES + 4 * CALLS)) {
    this.buffer = buffer;
    this.#record = new BigInt64Array(buffer, 0, 1);
    this.#words = new Int32Array(buffer, RECORD_BYTES);
  }

  /** Highest number claimed; 0 before the first. */
  read(): number {
    return Number(Atomics.load(this.#record, 0));
  }

  /** For the thread: whether the call is its own. False for one that was taken back. */
  claim(seq: number): boolean {
    const before = Atomics.exchange(this.#words, seq % CALLS, claimed(seq));
    if (before === takenBack(seq)) return false;
    Atomics.store(this.#record, 0, BigInt(seq));
    return true;
  }

  /** Takes calls back. @returns those that the thread will never claim, in their order */
  reclaim(seqs: readonly number[]): readonly number[] {
    const last = this.read();
    return seqs.filter((seq) => {
      // A word must not be used again before the thread has seen it.
      if (seq <= last || seq >= last + CALLS) return false;
      return Atomics.exchange(this.#words, seq % CALLS, takenBack(seq)) !== claimed(seq);
    });
  }
}

function claimed(seq: number): number {
  return (2 * seq + 1) | 0;
}

function takenBack(seq: number): number {
  return (2 * seq) | 0;
}
