// Large messages beside the pipe of frames. A pair of sockets holds 208 KiB: with more, its writer and its reader wait for each
// other several times per message, and while one of them works, the other cannot go on.

import { closeSync, fstatSync, readSync, writeSync } from 'node:fs';
import { openUnlinkedFile } from '@ticketing/kit';

/** Number of the file for large messages among a worker's files: after the pipe. */
export const MESSAGES_FD = 6;

/** Bytes of the area of each side. */
const AREA_BYTES = 4 * 1024 * 1024;

/** Folder in memory. On a disk the file would be written out, and outside of Linux the pipe is used. */
const FOLDER = '/dev/shm';

/** Whether the runtime writes a text at the beginning of a file, whatever its position: Deno does. */
const misplacesTexts = 'Deno' in globalThis;

/** Opens a file without a name; `undefined` where the folder does not permit it. */
export function openMessageFile(folder: string = FOLDER): number | undefined {
  return openUnlinkedFile(folder);
}

/** Returns the worker's side of the file that its parent has opened; `undefined` if that has opened none. */
export function inheritedMessageFile(): MessageFile | undefined {
  return fstatSync(MESSAGES_FD).isFile() ? new MessageFile(MESSAGES_FD, 'worker') : undefined;
}

/**
 * One side of a file that a worker and its parent have open. Each side writes into an area of its own, a ring, and reads from the
 * other's. A message keeps its room until the other side has reported that it has read it.
 */
export class MessageFile {
  readonly fd: number;
  readonly #ours: number;
  readonly #theirs: number;
  readonly #areaBytes: number;
  /** Beginnings of the messages that the other side has not read, the oldest first, and the end of the latest. */
  readonly #unread: number[] = [];
  #end = 0;
  /** Number of messages that the other side has read. */
  #readThere = 0;
  /** Number of messages that have been read here, and of those that the other side knows of. */
  #readHere = 0;
  #reported = 0;
  #isRefused = false;
  bytesWritten = 0;
  bytesRead = 0;

  constructor(fd: number, side: 'parent' | 'worker', areaBytes: number = AREA_BYTES) {
    this.fd = fd;
    this.#areaBytes = areaBytes;
    this.#ours = side === 'parent' ? 0 : areaBytes;
    this.#theirs = areaBytes - this.#ours;
  }

  /**
   * Writes a message of `size` bytes: its text, as bytes or with a byte for each character, then its body. @returns its place, a
   * whole number below 2^32, or undefined if there is no room: then it goes through the pipe
   */
  write(text: Uint8Array | string, body: Uint8Array | undefined, size: number): number | undefined {
    const at = this.#room(size);
    if (at === undefined) return undefined;
    const from = this.#ours + at;
    const textBytes = size - (body?.byteLength ?? 0);
    try {
      let written =
        typeof text === 'string' && !misplacesTexts
          ? writeSync(this.fd, text, from, 'latin1')
          : writeSync(this.fd, bytesOf(text), 0, textBytes, from);
      if (body !== undefined) {
        written += writeSync(this.fd, body, 0, body.byteLength, from + written);
      }
      this.#isRefused = written < size;
    } catch {
      this.#isRefused = true;
    }
    // No memory is left, as in a container with little of it: from now on the pipe has all messages.
    if (this.#isRefused) return undefined;
    this.#unread.push(at);
    this.#end = at + size;
    this.bytesWritten += size;
    return at;
  }

  /** Reads the text and the body of a message, whose room may be used again. @throws RangeError for a place without so many bytes */
  read(at: number, textBytes: number, bodyBytes: number): { text: Buffer; body: Uint8Array } {
    const size = textBytes + bodyBytes;
    if (at + size > this.#areaBytes) throw unreadable(`no file has ${size} bytes at ${at}`);
    const text = Buffer.allocUnsafeSlow(textBytes);
    const body = unpooledBytes(bodyBytes);
    const from = this.#theirs + at;
    let read = readSync(this.fd, text, 0, textBytes, from);
    if (bodyBytes > 0) read += readSync(this.fd, body, 0, bodyBytes, from + textBytes);
    if (read < size) throw unreadable(`no file has ${size} bytes at ${at}`);
    this.#readHere += 1;
    this.bytesRead += size;
    return { text, body };
  }

  /** Number of messages that have been read here, modulo 2^32, if the other side does not know; asking counts as reporting. */
  get unreported(): number | undefined {
    if (this.#reported === this.#readHere) return undefined;
    this.#reported = this.#readHere;
    return this.#readHere >>> 0;
  }

  /** Takes the report that the other side has read so many, modulo 2^32. @throws RangeError for more than were written */
  confirm(count: number): void {
    const more = (count - this.#readThere) >>> 0;
    const written = this.#unread.length;
    if (more > written) throw unreadable(`${more} are reported as read, of ${written} in the file`);
    this.#readThere = count;
    this.#unread.splice(0, more);
  }

  close(): void {
    closeSync(this.fd);
  }

  /** Returns a place with room for a message; undefined if there is none. The beginning is used as often as can be: less memory, and warm. */
  #room(size: number): number | undefined {
    if (this.#isRefused || size > this.#areaBytes) return undefined;
    const [oldest] = this.#unread;
    if (oldest === undefined) return 0;
    if (this.#end <= oldest) return this.#end + size < oldest ? this.#end : undefined;
    if (this.#end + size <= this.#areaBytes) return this.#end;
    return size < oldest ? 0 : undefined;
  }
}

function bytesOf(text: Uint8Array | string): Uint8Array {
  return typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
}

/** Returns the error for bytes that no worker of this package has written. */
export function unreadable(why: string): RangeError {
  return new RangeError(`Cannot read messages: ${why}`);
}

/** Returns bytes that fill their memory: a value that fills the whole body of a message is then used without a copy. */
export function unpooledBytes(size: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(size).buffer);
}
