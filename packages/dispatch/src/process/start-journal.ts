// A journal in a file, for processes. Threads have theirs in shared memory (dispatch-piscina): other media, no shared code.

import { closeSync, fstatSync, readSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { openUnlinkedFile } from '@ticketing/kit';

/** Number of the journal among a worker's files: after the standard ones and the channel. */
export const JOURNAL_FD = 4;

/** Size of the worker's record: the number it claimed last, until when it claims more without a look, and the sum of both. */
const RECORD_BYTES = 24;
/** Number of the kernel's marks: a byte for each of so many numbers in a row. */
const MARKS = 256;

/**
 * Milliseconds that a worker claims calls after a look at the kernel's marks. A look costs as much as a tiny task; a worker
 * with longer calls looks before each of them.
 */
const LEASE_MS = 0.5;
/** Most milliseconds by which the clocks of two processors differ. */
const SKEW_MS = 0.05;
const MOST_READS = 100;

/**
 * Shows which calls a worker has claimed, however it died, and takes back the others. Messages that a process
 * has not written yet die with it; a page of the kernel's cache does not. So before each task the worker writes its number
 * into an unlinked file that both have open: about 1 µs. Why no call can run twice:
 * `docs/decisions/0013-calls-move-before-they-begin.md`.
 */
export class StartJournal {
  readonly fd: number;
  readonly #record = new Float64Array(3);
  readonly #marks = new Uint8Array(MARKS);
  /** Number that was claimed last, once the journal is closed. */
  #final: number | undefined;

  constructor(fd: number) {
    this.fd = fd;
  }

  /** Returns the highest number claimed; 0 before the first. */
  read(): number {
    return this.#final ?? this.#read().claimed;
  }

  /** Takes calls back. @returns the calls that the worker will never claim, in their order; none while it claims others quickly */
  reclaim(seqs: readonly number[]): readonly number[] {
    if (this.#final !== undefined) return [];
    const { claimed, leaseUntil } = this.#read();
    if (leaseUntil > monotonicMs()) return [];
    // A mark must not overwrite another that the worker has not seen.
    const marked = seqs.filter((seq) => seq > claimed && seq < claimed + MARKS);
    if (marked.length === 0) return [];
    for (const seq of marked) this.#marks[seq % MARKS] = markOf(seq);
    writeSync(this.fd, this.#marks, 0, MARKS, RECORD_BYTES);
    const now = monotonicMs();
    const after = this.#read();
    // The worker may have looked before the marks were there; then it drops the calls, or the kernel asks again.
    if (after.leaseUntil > now) return [];
    return marked.filter((seq) => seq > after.claimed);
  }

  /** Closes the file. What was claimed can still be read. */
  close(): void {
    this.#final = this.read();
    closeSync(this.fd);
  }

  #read(): { readonly claimed: number; readonly leaseUntil: number } {
    const record = this.#record;
    for (let time = 0; time < MOST_READS; time += 1) {
      readSync(this.fd, record, 0, RECORD_BYTES, 0);
      const [claimed = 0, until = 0, sum] = record;
      // With any other sum the worker was writing meanwhile: read again.
      if (sum === claimed + until) return { claimed, leaseUntil: until + SKEW_MS };
    }
    // Something else writes there. Better to rerun nothing than to run a call twice.
    return { claimed: Number.MAX_SAFE_INTEGER, leaseUntil: Number.POSITIVE_INFINITY };
  }
}

/**
 * Opens a journal in the first folder that permits it; `undefined` where none does. By default that of temporary files,
 * then Linux's `/dev/shm`, which a container with a read-only root has as well.
 */
export function openStartJournal(
  folders: readonly string[] = [tmpdir(), '/dev/shm'],
): StartJournal | undefined {
  for (const folder of folders) {
    // Reserves the space on the disk now: a full disk must not end a worker later.
    const fd = openUnlinkedFile(folder, (opened) => {
      writeSync(opened, new Uint8Array(RECORD_BYTES + MARKS), 0, RECORD_BYTES + MARKS, 0);
    });
    if (fd !== undefined) return new StartJournal(fd);
  }
  return undefined;
}

/**
 * Returns the function by which a worker that has the journal open as `fd`, its {@link JOURNAL_FD}, claims a call: false for a
 * call that the kernel has taken back, which the worker must not run. Always true where the parent could open no journal.
 */
export function journalClaims(fd: number): (seq: number) => boolean {
  if (!fstatSync(fd).isFile()) return () => true;
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

/** Returns the mark of a number, never 0. One that is left from an old call makes the worker drop a call, and the kernel sends it again. */
function markOf(seq: number): number {
  return 1 + (Math.floor(seq / MARKS) % 255);
}

const { hrtime } = process;

/** Returns the milliseconds of a clock that all processes of a machine share. */
function monotonicMs(): number {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
