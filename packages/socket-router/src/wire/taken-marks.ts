import { closeSync, existsSync, openSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Header with the terms on which a worker may take a request. Like the time of its arrival a proxy replaces the one that a
 * client sends, and a worker reads it on connections to its unix socket alone.
 */
export const TAKE_TERMS = 'x-router-take';

const MARK_BYTES = 4;
const MOST_IDS = 2 ** 32;

/** The terms on which a worker may take a request. */
export interface TakeTerms {
  /** Time on the machine's monotonic clock after which the request is the router's to answer. */
  readonly before: number;
  /** Position of the mark. */
  readonly at: number;
  /** The mark that the worker writes there before it begins. */
  readonly id: number;
  /** The process whose file has the mark; absent for the router. */
  readonly from?: number | undefined;
}

export function encodeTerms({ before, at, id, from }: TakeTerms): string {
  return from === undefined ? `${before} ${at} ${id}` : `${before} ${at} ${id} ${from}`;
}

export function decodeTerms(text: unknown): TakeTerms | undefined {
  if (typeof text !== 'string') return undefined;
  const [before = 0, at = 0, id = 0, from] = text.split(' ').map(Number);
  const isKnown = from === undefined || from > 0;
  return before > 0 && at >= 0 && id > 0 && isKnown ? { before, at, id, from } : undefined;
}

/** Returns the path of a worker's marks, by its unix socket: those for the router, or for the worker with the pid `from`. */
export function marksPath(socketPath: string, from?: number): string {
  return from === undefined ? `${socketPath}.taken` : `${socketPath}.taken.${from}`;
}

/**
 * Marks of the requests that one worker has taken, in a file. The router reads them, or another worker that forwards requests.
 * A mark costs the worker 2 µs, and its reader nothing until a request is late: a message would wake it for every request.
 */
export class TakenMarks {
  readonly #path: string;
  readonly #from: number | undefined;
  readonly #file: number;
  readonly #free: number[] = [];
  readonly #bytes = Buffer.alloc(MARK_BYTES);
  #positions = 0;
  #id = 0;
  #isClosed = false;

  /** @throws the platform's error if the file cannot be created */
  constructor(socketPath: string, from?: number) {
    this.#path = marksPath(socketPath, from);
    this.#from = from;
    this.#file = openSync(this.#path, 'wx+', 0o600);
  }

  /**
   * Reserves a mark until it is released: no other request has its position meanwhile.
   *
   * @throws the platform's error if the file has no room
   */
  reserve(before: number): TakeTerms {
    this.#id = (this.#id + 1) % MOST_IDS || 1;
    let at = this.#free.pop();
    if (at === undefined) {
      at = this.#positions;
      this.#positions += 1;
      // Its room is there before a worker needs it, also on a full disk.
      writeSync(this.#file, this.#bytes.fill(0), 0, MARK_BYTES, at * MARK_BYTES);
    }
    return { before, at, id: this.#id, from: this.#from };
  }

  release({ at }: TakeTerms): void {
    this.#free.push(at);
  }

  /** Returns whether the worker has taken the request, as far as is known. */
  has({ at, id }: TakeTerms): boolean {
    if (this.#isClosed) return false;
    const read = readSync(this.#file, this.#bytes, 0, MARK_BYTES, at * MARK_BYTES);
    return read === MARK_BYTES && this.#bytes.readUInt32LE() === id;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }
}

/** The marks as the worker writes them. */
export class MarkWriter {
  readonly #socketPath: string;
  readonly #bytes = Buffer.alloc(MARK_BYTES);
  /** File of the router. The files of other workers are opened for each mark, because those workers come and go. */
  #file: number | undefined;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** Writes a mark, if it can be written. */
  write({ at, id, from }: TakeTerms): void {
    try {
      this.#bytes.writeUInt32LE(id);
      if (from === undefined) {
        this.#file ??= openSync(marksPath(this.#socketPath), 'r+');
        this.#write(this.#file, at);
        return;
      }
      const file = openSync(marksPath(this.#socketPath, from), 'r+');
      try {
        this.#write(file, at);
      } finally {
        closeSync(file);
      }
    } catch {
      // Who sent it has gone, or there are no descriptors: a request that runs and is late is better than none.
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    // Files of workers that were killed as well: the folder can be removed only when it is empty.
    const name = basename(marksPath(this.#socketPath));
    const folder = dirname(this.#socketPath);
    for (const file of existsSync(folder) ? readdirSync(folder) : []) {
      if (file === name || file.startsWith(`${name}.`)) rmSync(join(folder, file), { force: true });
    }
  }

  #write(file: number, at: number): void {
    writeSync(file, this.#bytes, 0, MARK_BYTES, at * MARK_BYTES);
  }
}
