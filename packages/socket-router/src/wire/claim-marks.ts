import { closeSync, openSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Header with the terms on which a worker may claim a request. Like the time of its arrival a proxy replaces the one that a
 * client sends, and a worker reads it on connections to its unix socket alone.
 */
export const CLAIM_TERMS = 'x-router-take';

const MARK_BYTES = 4;
const MOST_IDS = 2 ** 32;

/** Terms on which a worker may claim a request. */
export interface ClaimTerms {
  /** Time on the machine's monotonic clock after which the request is the router's to answer. */
  readonly before: number;
  /** Position of the mark. */
  readonly at: number;
  /** The mark that the worker writes there before it begins. */
  readonly id: number;
  /** The process whose file has the mark; absent for the router. */
  readonly from?: number | undefined;
}

export function encodeTerms({ before, at, id, from }: ClaimTerms): string {
  return from === undefined ? `${before} ${at} ${id}` : `${before} ${at} ${id} ${from}`;
}

export function decodeTerms(text: unknown): ClaimTerms | undefined {
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
 * Marks of the requests that one worker has claimed, in a file. The router reads them, or another worker that forwards requests.
 * A mark costs the worker 2 µs, and its reader nothing until a request is late: a message would wake it for every request.
 */
export class ClaimMarks {
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
  reserve(before: number): ClaimTerms {
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

  release({ at }: ClaimTerms): void {
    this.#free.push(at);
  }

  /** Returns whether the worker has claimed the request, as far as is known. */
  has({ at, id }: ClaimTerms): boolean {
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

/** Limit of the time in which a worker may claim a request. */
export interface ClaimLimit {
  /** `undefined`: the worker may claim it at any time. */
  readonly terms: ClaimTerms | undefined;
  /** Returns whether the worker has claimed it; `true` without a limit. */
  isClaimed(): boolean;
  /** Must be called once, when the request has ended. */
  release(): void;
}

/** Limit that is none: for a request that has not been sent, and for one that cannot be limited. */
export const UNLIMITED: ClaimLimit = {
  terms: undefined,
  isClaimed: () => true,
  release: () => {},
};

interface MarksOfWorker {
  readonly marks: ClaimMarks;
  /** Requests that are sent to it. */
  sent: number;
  isKept: boolean;
}

/** Claim marks of all workers that one process sends requests to, by their unix sockets. */
export class ClaimsByWorker {
  readonly #from: number | undefined;
  readonly #workers = new Map<string, MarksOfWorker>();

  /** @param from - as in {@link ClaimTerms} */
  constructor(from?: number) {
    this.#from = from;
  }

  /** Returns a limit for a request to a worker, which may claim it until `before`, on the machine's monotonic clock. */
  limit(socketPath: string, before: number): ClaimLimit {
    let worker: MarksOfWorker;
    let terms: ClaimTerms;
    try {
      worker = this.#marksOf(socketPath);
      terms = worker.marks.reserve(Math.floor(before));
    } catch {
      // Without room or descriptors for the file it is unknown whether the request was claimed.
      return UNLIMITED;
    }
    const { marks } = worker;
    worker.sent += 1;
    return {
      terms,
      isClaimed: () => marks.has(terms),
      release: () => {
        marks.release(terms);
        worker.sent -= 1;
        this.#forget(socketPath, worker);
      },
    };
  }

  /** Forgets other workers than these, each one when its requests have ended. */
  keep(socketPaths: ReadonlySet<string | undefined>): void {
    for (const [socketPath, worker] of this.#workers) {
      worker.isKept = socketPaths.has(socketPath);
      this.#forget(socketPath, worker);
    }
  }

  close(): void {
    for (const { marks } of this.#workers.values()) marks.close();
    this.#workers.clear();
  }

  #marksOf(socketPath: string): MarksOfWorker {
    let worker = this.#workers.get(socketPath);
    if (worker === undefined) {
      worker = { marks: new ClaimMarks(socketPath, this.#from), sent: 0, isKept: true };
      this.#workers.set(socketPath, worker);
    }
    return worker;
  }

  #forget(socketPath: string, worker: MarksOfWorker): void {
    if (worker.isKept || worker.sent > 0 || this.#workers.get(socketPath) !== worker) return;
    this.#workers.delete(socketPath);
    worker.marks.close();
  }
}

/** Marks as the worker writes them. */
export class MarkWriter {
  readonly #socketPath: string;
  readonly #bytes = Buffer.alloc(MARK_BYTES);
  /** File of the router. The files of other workers are opened for each mark, because those workers come and go. */
  #file: number | undefined;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** Writes a mark, if it can be written. */
  write({ at, id, from }: ClaimTerms): void {
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
    for (const file of filesIn(folder)) {
      if (file === name || file.startsWith(`${name}.`)) rmSync(join(folder, file), { force: true });
    }
  }

  #write(file: number, at: number): void {
    writeSync(file, this.#bytes, 0, MARK_BYTES, at * MARK_BYTES);
  }
}

/** Lists a folder; nothing if it is gone, or if there is no descriptor to list it: the router removes all in the end. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
