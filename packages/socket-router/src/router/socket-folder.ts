import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RouterError } from '../errors.ts';

/** Bytes that a system's address of a unix socket has room for, the least of them: macOS. */
const MAX_PATH_BYTES = 103;

/** A folder of its own for the unix sockets of a router's workers, which no other user may enter. */
export class SocketFolder {
  readonly #path: string;
  #count = 0;

  /** @throws RouterError `ERR_SOCKET_PATH` when the folder for temporary files cannot have one, or its path is too long */
  constructor() {
    const parent = tmpdir();
    try {
      this.#path = mkdtempSync(join(parent, 'router-'));
    } catch (cause) {
      const message = `Cannot open sockets of workers: a folder that can be written expected, got ${parent}`;
      throw new RouterError('ERR_SOCKET_PATH', message, { data: { folder: parent }, cause });
    }
    if (Buffer.byteLength(join(this.#path, '1000000')) > MAX_PATH_BYTES) {
      this.remove();
      const message = `Cannot open sockets of workers: a folder with a path of at most 80 bytes expected, got ${parent}`;
      throw new RouterError('ERR_SOCKET_PATH', message, { data: { folder: parent } });
    }
  }

  /** A path that was not given before, so that a dying worker does not remove its successor's socket. */
  nextPath(): string {
    this.#count += 1;
    return join(this.#path, String(this.#count));
  }

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true });
  }
}
