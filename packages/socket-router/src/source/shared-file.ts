import { closeSync, writeSync } from 'node:fs';
import { openUnlinkedFile } from '@ticketing/kit';
import type { SharedFile } from '../contract/worker-source.ts';

/** Descriptor of the file in a worker: after the standard ones and the channel. */
const WORKER_FD = 4;

/** A folder in memory: on a disk the file would be written out. */
const FOLDER = '/dev/shm';

/** A file without a name, which one worker's process inherits. */
export class InheritedFile implements SharedFile {
  readonly workerFd: number = WORKER_FD;
  #fd: number | undefined;
  #end = 0;

  constructor(folder: string = FOLDER) {
    this.#fd = openUnlinkedFile(folder);
  }

  /** The descriptor in this process; undefined where there is none, as outside of Linux, or once it is closed. */
  get fd(): number | undefined {
    return this.#fd;
  }

  reserve(bytes: number): number {
    const at = this.#end;
    this.#end += bytes;
    return at;
  }

  write(bytes: Uint8Array, at: number): boolean {
    if (this.#fd === undefined) return false;
    try {
      return writeSync(this.#fd, bytes, 0, bytes.length, at) === bytes.length;
    } catch {
      // No memory is left for it.
      return false;
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}
