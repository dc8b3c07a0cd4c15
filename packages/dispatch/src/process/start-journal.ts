import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Place of the journal among a worker's files: after the standard ones and the channel. */
export const JOURNAL_FD = 4;

/**
 * Tells which tasks a worker had started, whatever way it died. What a process has sent but not yet written to its
 * channel dies with it; a page of the kernel's cache does not. So before each task the worker writes its number at
 * the start of a file that has no name and that both have open: about 1 µs, never on disk for long, gone with the last
 * of the two.
 */
export interface StartJournal {
  readonly fd: number;
  /** Highest number written; 0 before the first. */
  read(): number;
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
    const journal = openIn(folder);
    if (journal !== undefined) return journal;
  }
  return undefined;
}

function openIn(folder: string): StartJournal | undefined {
  const path = join(folder, `dispatch-${process.pid}-${randomUUID()}`);
  let fd: number;
  try {
    fd = openSync(path, 'wx+', 0o600);
  } catch {
    return undefined;
  }
  const record = new Float64Array(1);
  try {
    unlinkSync(path);
    // Takes its room on the disk now: a full disk must not end a worker later.
    writeSync(fd, record, 0, record.byteLength, 0);
  } catch {
    closeSync(fd);
    return undefined;
  }
  return {
    fd,
    read() {
      readSync(fd, record, 0, record.byteLength, 0);
      return record[0] ?? 0;
    },
    close: () => closeSync(fd),
  };
}

/** Writes the journal that is open as `fd`; in a worker that is {@link JOURNAL_FD}. */
export function startWriter(fd: number): (seq: number) => void {
  const record = new Float64Array(1);
  return (seq) => {
    record[0] = seq;
    writeSync(fd, record, 0, record.byteLength, 0);
  };
}
