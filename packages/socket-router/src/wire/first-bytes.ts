import { readSync } from 'node:fs';
import type { SharedFile } from '../contract/worker-source.ts';

/** Bytes of a connection in a message: see `HandMessage`. */
export type MessageBytes = string | Buffer | FiledBytes;

/** Bytes in a file that the worker has open. They stay there until it has answered the message. */
export interface FiledBytes {
  fd: number;
  at: number;
  length: number;
}

/** Longer bytes are sent by a file or as a buffer: as a text, which lies on the heap, they would cost more. */
const MAX_TEXT_BYTES = 8192;
/** Room in the file: for a head of the default limit, and what is read with its end. */
const AREA_BYTES = 128 * 1024;

/** Puts what a router has read into messages to one worker, of which one at a time is under way. */
export class FirstBytes {
  readonly #file: SharedFile | undefined;
  /** Start of the area in the file. One is enough: the next message goes when the worker has answered the last one. */
  #area: number | undefined;

  constructor(file: SharedFile | undefined) {
    this.#file = file;
  }

  encode(bytes: Buffer): MessageBytes {
    const { length } = bytes;
    const file = this.#file;
    if (length <= MAX_TEXT_BYTES) return bytes.toString('latin1');
    if (file === undefined) return bytes;
    if (length <= AREA_BYTES) {
      this.#area ??= file.reserve(AREA_BYTES);
      if (file.write(bytes, this.#area)) return { fd: file.workerFd, at: this.#area, length };
    }
    // A channel to such a worker may speak JSON.
    return bytes.toString('latin1');
  }
}

/** Returns the bytes of a message. */
export function decodeBytes(bytes: MessageBytes): Buffer {
  if (typeof bytes === 'string') return Buffer.from(bytes, 'latin1');
  if ('fd' in bytes) {
    const read = Buffer.allocUnsafeSlow(bytes.length);
    readSync(bytes.fd, read, 0, bytes.length, bytes.at);
    return read;
  }
  // A channel that speaks JSON has made an object of a buffer.
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes);
}
