import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { RouterError } from '../errors.ts';
import type { SocketOwner } from '../placing/workers.ts';
import { marksPath } from '../wire/claim-marks.ts';

/** Longest path of a unix socket that all systems take, in bytes: that of macOS. */
const MAX_PATH_BYTES = 103;

/** Folder for the unix sockets of one router's workers, which no other user may enter. */
export class SocketFolder {
  readonly #path: string;
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
      this.remove();
      throw refusal(`the path of ${folder} is too long; set \`TMPDIR\` to one of at most 80 bytes`);
    }
  }

  /** Returns a path that was not used before, so that a dying worker does not remove its successor's socket. */
  nextPath(): string {
    this.#count += 1;
    return join(this.#path, String(this.#count));
  }

  /**
   * Removes the files of a worker whose process has ended: its socket, the marks of requests to it, and the marks that it had for
   * requests to others. One that was killed has left them, and its successor has files of its own.
   */
  removeFilesOf({ socketPath, pid }: SocketOwner): void {
    const socket = basename(socketPath);
    const marks = basename(marksPath(socketPath));
    for (const file of existsSync(this.#path) ? readdirSync(this.#path) : []) {
      const isOfSocket = file === socket || file === marks || file.startsWith(`${marks}.`);
      const isOwn = pid !== undefined && file.endsWith(marksPath('', pid));
      if (isOfSocket || isOwn) rmSync(join(this.#path, file), { force: true });
    }
  }

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true });
  }
}
