import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Place of the journal among a worker's files: after the standard ones and the channel. */
export const JOURNAL_FD = 4;

/** The worker's record: the number it claimed last, until when it claims more without a look, and the sum of both. */
const RECORD_BYTES = 24;
/** The kernel's marks: a byte for each of so many numbers in a row. */
const MARKS = 256;

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
function markOf(seq: number): number {
  return 1 + (Math.floor(seq / MARKS) % 255);
}

const { hrtime } = process;

/** The same in all processes of a machine. */
function monotonicMs(): number {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

// A journal in a file, for processes. Threads have theirs in shared memory (dispatch-piscina): other media, no shared code.

/** What two processors may disagree about the time. */
const SKEW_MS = 0.05;
const MOST_READS = 100;

/**
 * Tells which calls a worker has claimed, whatever way it died, and takes back those that it has not. What a process has
 * sent but not yet written to its channel dies with it; a page of the kernel's cache does not. So before each task the
 * worker writes its number into a file that has no name and that both have open: about 1 µs, never on disk for long,
 * gone with the last of the two. Why no call can run twice: `docs/decisions/0013-calls-move-before-they-begin.md`.
 */
export interface StartJournal {
  readonly fd: number;
  /** Highest number claimed; 0 before the first. */
  read(): number;
  /** Takes calls back. @returns those that the worker will never claim, in their order; none while it claims others quickly */
  reclaim(seqs: readonly number[]): readonly number[];
  close(): void;
}

/**
 * Opens a journal in the first of the folders that lets it: by default that of temporary files, then the memory that Linux
 * offers as a folder, which a container with a read-only root has as well. `undefined` where none does.
 */
export function openStartJournal(
  folders: readonly string[] = [tmpdir(), '/dev/shm'],
): StartJournal | undefined {
  for (const folder of folders) {
    const fd = openIn(folder);
    if (fd !== undefined) return new FileJournal(fd);
  }
  return undefined;
}

function openIn(folder: string): number | undefined {
  const path = join(folder, `dispatch-${process.pid}-${randomUUID()}`);
  let fd: number;
  try {
    fd = openSync(path, 'wx+', 0o600);
  } catch {
    return undefined;
  }
  try {
    unlinkSync(path);
    // Takes its room on the disk now: a full disk must not end a worker later.
    writeSync(fd, new Uint8Array(RECORD_BYTES + MARKS), 0, RECORD_BYTES + MARKS, 0);
    return fd;
  } catch {
    closeSync(fd);
    return undefined;
  }
}

class FileJournal implements StartJournal {
  readonly fd: number;
  readonly #record = new Float64Array(3);
  readonly #marks = new Uint8Array(MARKS);

  constructor(fd: number) {
    this.fd = fd;
  }

  read(): number {
    return this.#read().claimed;
  }

  reclaim(seqs: readonly number[]): readonly number[] {
    const { claimed, leaseUntil } = this.#read();
    if (leaseUntil > monotonicMs()) return [];
    // A mark must not take the place of another that the worker has not seen.
    const marked = seqs.filter((seq) => seq > claimed && seq < claimed + MARKS);
    if (marked.length === 0) return [];
    for (const seq of marked) this.#marks[seq % MARKS] = markOf(seq);
    writeSync(this.fd, this.#marks, 0, MARKS, RECORD_BYTES);
    const now = monotonicMs();
    const after = this.#read();
    // It may have looked before the marks were there; then it drops them, or this is asked again.
    if (after.leaseUntil > now) return [];
    return marked.filter((seq) => seq > after.claimed);
  }

  close(): void {
    closeSync(this.fd);
  }

  #read(): { readonly claimed: number; readonly leaseUntil: number } {
    const record = this.#record;
    for (let time = 0; time < MOST_READS; time += 1) {
      readSync(this.fd, record, 0, RECORD_BYTES, 0);
      const [claimed = 0, until = 0, sum] = record;
      // Else it was written in the meantime.
      if (sum === claimed + until) return { claimed, leaseUntil: until + SKEW_MS };
    }
    // Something else writes there. Better that nothing is run again than that something is run twice.
    return { claimed: Number.MAX_SAFE_INTEGER, leaseUntil: Number.POSITIVE_INFINITY };
  }
}
