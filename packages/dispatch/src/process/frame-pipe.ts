import { Socket } from 'node:net';
import type { WriterOptions } from '../wire/frame-writer.ts';
import type { WireMessage } from '../wire/wire-message.ts';
import { inheritedMessageFile, type MessageFile, unreadable } from './message-file.ts';
import { type LargeMessages, MessageStream, messageData } from './message-stream.ts';

/** Number of the pipe for frames among a worker's files: after the standard ones, the channel and the journal. */
export const FRAMES_FD = 5;

/** Options of writers: a large value has a message of its own, so that one that cannot be written fails its call alone. */
export const pipeWriter: WriterOptions = { transfers: false, apartFrom: 64 * 1024 };

/** Most bytes of one read. */
const READ_BYTES = 64 * 1024;

/** Bytes that a worker whose event loop runs writes at least between two looks, or the end of the message: a pipe holds more. */
const LEAST_GROWTH_BYTES = 1024;

/** Parent's end of a worker's pipe, and of the file for large messages beside it. */
export class ParentPipe {
  readonly socket: Socket | undefined;
  readonly #large: MessageFile | undefined;
  readonly #stream: MessageStream;
  readonly #broken: () => void;
  /** Reason for which the bytes from the worker cannot be read further. */
  fault: Error | undefined;
  /** Message that was incomplete at the latest look. */
  #partial: MessageStream['partial'];

  /** @param broken - Called once the bytes from the worker cannot be read further, with `fault` set */
  constructor(
    socket: Socket | undefined,
    large: MessageFile | undefined,
    { read, broken }: { read(message: WireMessage): void; broken(): void },
  ) {
    this.socket = socket;
    this.#large = large;
    this.#stream = new MessageStream(read, large);
    this.#broken = broken;
    socket?.on('data', (chunk: Buffer) => this.#push(chunk));
    // An error such as EPIPE while the worker ends needs no handling: `exit` follows.
    socket?.on('error', () => {});
  }

  /** Bytes that were sent so far, or have come, whichever are more. */
  get bytes(): number {
    const { bytesWritten = 0, bytesRead = 0 } = this.socket ?? {};
    const large = this.#large;
    return Math.max(bytesWritten + (large?.bytesWritten ?? 0), bytesRead + (large?.bytesRead ?? 0));
  }

  /** Sends a message. Does nothing once the pipe is gone: `exit` follows. @throws RangeError for a message that is too large */
  readonly post = (message: unknown): void => {
    if (!this.socket?.writable) return;
    this.socket.write(messageData(message as WireMessage, this.#large), 'latin1');
  };

  /**
   * Returns whether the worker is to be asked for a sign of life. It answers behind the rest of an incomplete message, or within
   * it: then a task has written the beginning of a message that never ends, and all answers are read as a part of it. A worker
   * that a task or a pause keeps from writing sends nothing.
   */
  inspect(): boolean {
    const before = this.#partial;
    const partial = this.#stream.partial;
    this.#partial = partial;
    if (partial === undefined) return false;
    if (partial.message !== before?.message) return true;
    const grown = partial.bytes - before.bytes;
    if (grown === 0 || grown >= LEAST_GROWTH_BYTES) return grown > 0;
    this.#break(unreadable('the end of one is missing'));
    return false;
  }

  #push(chunk: Buffer): void {
    if (this.fault !== undefined) return;
    try {
      this.#stream.push(chunk);
    } catch (error) {
      // A task has written into the pipe. What follows cannot be read, and the worker's calls would wait for ever.
      this.#break(error as Error);
    }
  }

  #break(fault: Error): void {
    this.fault ??= fault;
    this.#broken();
  }
}

/**
 * Opens the pipe that the parent has made for frames, and keeps `process.exit`: no task can replace either.
 *
 * @param read - Called with all messages that came together, so that an abort is seen before its call begins
 * @throws Error in a runtime that cannot open it
 */
export function openFramePipe(read: (messages: readonly WireMessage[]) => void): OutboxHost {
  const large = inheritedMessageFile();
  let messages: WireMessage[] = [];
  const stream = new MessageStream((message) => messages.push(message), large);
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  const callback = (size: number): boolean => {
    stream.push(buffer.subarray(0, size));
    const together = messages;
    messages = [];
    read(together);
    return true;
  };
  const pipe = new Socket({
    fd: FRAMES_FD,
    readable: true,
    writable: true,
    onread: { buffer, callback },
  });
  // Bun constructs a socket that never opens; the worker would be silent until `startTimeoutMs`.
  if (pipe.pending) {
    throw new Error(
      'Cannot serve tasks: this runtime cannot open the pipe to its parent; set `execPath` to the path of a Node',
    );
  }
  // An error such as EPIPE while the parent dies needs no handling: `disconnect` follows.
  pipe.on('error', () => {});
  const exit = process.exit.bind(process);
  return { large, write: (data, written) => pipe.write(data, 'latin1', written), exit };
}

export interface OutboxHost {
  /** Room for large messages, if they do not go through the pipe. */
  readonly large?: LargeMessages | undefined;
  /** Writes text with a byte for each character, or bytes. */
  write(data: string | Uint8Array, written: (error?: Error | null) => void): unknown;
  exit(code: number): unknown;
}

/** Sends the messages of a worker over a pipe, and loses none when it exits. */
export class Outbox {
  readonly #host: OutboxHost;
  #unsent = 0;
  #exitCode: number | undefined;

  constructor(host: OutboxHost) {
    this.#host = host;
  }

  /** Sends a message. Does nothing once the parent is gone: `disconnect` follows. @throws RangeError for a message that is too large */
  post(message: WireMessage): void {
    const data = messageData(message, this.#host.large);
    this.#unsent += 1;
    this.#host.write(data, this.#written);
  }

  /** Exits once everything posted is written; `process.exit` would lose the rest of a large message. */
  exit(code: number): void {
    this.#exitCode ??= code;
    if (this.#unsent === 0) this.#host.exit(this.#exitCode);
  }

  readonly #written = (): void => {
    this.#unsent -= 1;
    if (this.#exitCode !== undefined) this.exit(this.#exitCode);
  };
}
