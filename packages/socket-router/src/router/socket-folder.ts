import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { RouterError } from '../errors.ts';
import type { SocketOwner } from '../placing/workers.ts';
import { marksPath } from '../wire/claim-marks.ts';

/** Longest path of a unix socket that all systems take, in bytes: that of macOS. */
const MAX_PATH_BYTES = 103;

/** Attempts to remove the folder: for three seconds in all. */
const REMOVAL = { maxRetries: 7, retryDelay: 100 };

/** Folder for the unix sockets of one router's workers, which no other user may enter. */
export class SocketFolder {
  readonly #path: string;
  /** Workers that have ended, whose files could not be removed yet. */
  readonly #owed: SocketOwner[] = [];
  #count = 0;

  /** @throws RouterError `ERR_SOCKET_PATH` when the folder cannot be made, or its path is too long */
  constructor() {
    const folder = tmpdir();
    const refusal = (why: string, options: { readonly cause?: unknown } = {}): RouterError => {
      const message = `Cannot create unix sockets for workers: ${why}`;
      return new RouterError('ERR_SOCKET_PATH', message, { data: { folder }, ...options });
    };
    try {
      this.#path = mkdtempSync(join(folder, 'router-'));
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      throw refusal(
        `${folder} cannot be written (${code}); set \`TMPDIR\` to a folder that can be`,
        { cause },
      );
    }
    if (Buffer.byteLength(join(this.#path, '1000000')) > MAX_PATH_BYTES) {
      rmdirSync(this.#path);
      throw refusal(`the path of ${folder} is too long; set \`TMPDIR\` to one of at most 80 bytes`);
    }
  }

  /** Returns a path that was not used before, so that a dying worker does not remove its successor's socket. */
  nextPath(): string {
    this.#removeOwed();
    this.#count += 1;
    return join(this.#path, String(this.#count));
  }

  /**
   * Removes the files of a worker whose process has ended: its socket, the marks of requests to it, and the marks that it had for
   * requests to others. One that was killed has left them, and its successor has files of its own.
   */
  removeFilesOf(owner: SocketOwner): void {
    this.#owed.push(owner);
    this.#removeOwed();
  }

  /** Removes the folder with all that is in it, if it can be removed. */
  async remove(): Promise<void> {
    // Tried again while there are no descriptors, which is a state that passes.
    await rm(this.#path, { ...REMOVAL, recursive: true, force: true }).catch(() => {});
  }

  /** Removes what ended workers have left. Without a free descriptor the folder cannot be listed; the next worker's start tries again. */
  #removeOwed(): void {
    if (this.#owed.length === 0) return;
    try {
      const files = existsSync(this.#path) ? readdirSync(this.#path) : [];
      for (const file of files) {
        if (this.#owed.some((owner) => isFileOf(owner, file))) {
          rmSync(join(this.#path, file), { force: true });
        }
      }
      this.#owed.length = 0;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EMFILE' && code !== 'ENFILE') throw error;
    }
  }
}

function isFileOf({ socketPath, pid }: SocketOwner, file: string): boolean {
  const marks = basename(marksPath(socketPath));
  const isOfSocket =
    file === basename(socketPath) || file === marks || file.startsWith(`${marks}.`);
  return isOfSocket || (pid !== undefined && file.endsWith(marksPath('', pid)));
}
