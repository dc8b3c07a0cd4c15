import { readSync, writeSync } from 'node:fs';

/** Place of the journal among a worker's files: after the standard ones and the channel. */
export const JOURNAL_FD = 4;

/** The worker's record: the number it claimed last, until when it claims more without a look, and the sum of both. */
export const RECORD_BYTES = 24;
/** The kernel's marks: a byte for each of so many numbers in a row. */
export const MARKS = 256;

/**
 * Milliseconds that a worker claims calls after a look at the kernel's marks. A look costs as much as a tiny task; calls
 * that take longer than this are looked up one by one.
 */
const LEASE_MS = 0.5;

/**
 * Claims the calls of the worker that has the journal open as `fd`; in a worker that is {@link JOURNAL_FD}. False for a
 * call that the kernel has taken back: it is not to be run.
 */
export function journalClaims(fd: number): (seq: number) => boolean {
  const record = new Float64Array(3);
  const marks = new Uint8Array(MARKS);
  let leaseUntil = 0;
  const write = (seq: number): void => {
    record[0] = seq;
    record[1] = leaseUntil;
    record[2] = seq + leaseUntil;
    writeSync(fd, record, 0, RECORD_BYTES, 0);
  };
  return (seq) => {
    write(seq);
    const now = monotonicMs();
    if (now >= leaseUntil) {
      leaseUntil = now + LEASE_MS;
      write(seq);
      readSync(fd, marks, 0, MARKS, RECORD_BYTES);
    }
    return marks[seq % MARKS] !== markOf(seq);
  };
}

/** Never 0. One that is left of a call long ago makes the worker drop a call, and the kernel gives it again. */
export function markOf(seq: number): number {
  return 1 + (Math.floor(seq / MARKS) % 255);
}

const { hrtime } = process;

/** The same in all processes of a machine. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
