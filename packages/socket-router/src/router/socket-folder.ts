import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RouterError } from '../errors.ts';

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

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true });
  }
}
