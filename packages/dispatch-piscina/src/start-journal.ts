// Journal in shared memory, for threads. The journal of processes is a file (dispatch), so the two share no code.

const CALLS = 256;
const RECORD_BYTES = 8;

/**
 * Record of the calls that a thread has claimed, which survives any end of the thread; its messages may be lost with it, shared
 * memory is not. Also takes back calls that are not claimed: each call has a word, and the first side to write it wins. Numbers
 * have 64 bits, because 32 bits last for half a day only.
 */
export class StartJournal {
  /** The memory to share with the thread. */
  readonly buffer: SharedArrayBuffer;
  readonly #record: BigInt64Array;
  readonly #words: Int32Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(RECORD_BYTES + 4 * CALLS)) {
    this.buffer = buffer;
    this.#record = new BigInt64Array(buffer, 0, 1);
    this.#words = new Int32Array(buffer, RECORD_BYTES);
  }

  /** Returns the highest number claimed; 0 before the first. */
  read(): number {
    return Number(Atomics.load(this.#record, 0));
  }

  /** Claims a call, in the thread. @returns false for a call that was taken back */
  claim(seq: number): boolean {
    const before = Atomics.exchange(this.#words, seq % CALLS, claimed(seq));
    if (before === takenBack(seq)) return false;
    Atomics.store(this.#record, 0, BigInt(seq));
    return true;
  }

  /** Takes calls back. @returns the calls that the thread will never claim, in their order */
  reclaim(seqs: readonly number[]): readonly number[] {
    const last = this.read();
    return seqs.filter((seq) => {
      // A word must not be reused before the thread has seen it.
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
