// A journal in shared memory, for threads. Processes have theirs in a file (dispatch): other media, no shared code.

const CALLS = 256;
const RECORD_BYTES = 8;

/**
 * Shows which calls a thread has claimed, however it ended, and takes back those that it has not: a thread's messages may be
 * lost with it, shared memory is not. Each call has a word; the first of both sides to write it wins. Numbers have 64 bits,
 * since 32 would last for half a day.
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

  /** Claims a call, in the thread. False for a call that was taken back. */
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
