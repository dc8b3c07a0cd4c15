import { Socket } from 'node:net';
import type { WriterOptions } from '../wire/frame-writer.ts';
import { type LargeMessages, MessageStream, messageData } from '../wire/message-stream.ts';
import type { WireMessage } from '../wire/wire-message.ts';
import { inheritedMessageFile } from './message-file.ts';

/** Number of the pipe for frames among a worker's files: after the standard ones, the channel and the journal. */
export const FRAMES_FD = 5;

/** Large values have messages of their own: one that cannot be written fails its call alone. */
export const pipeWriter: WriterOptions = { transfers: false, apartFrom: 64 * 1024 };

/** Most bytes of one read. */
const READ_BYTES = 64 * 1024;

/**
 * Opens the pipe that the parent has made for frames, and keeps `process.exit`: no task can replace either.
 *
 * @param read - Called with all messages that came together, so that an abort is seen before its call begins
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
  // An error such as EPIPE while the parent dies needs no handling: `disconnect` follows.
  pipe.on('error', () => {});
  const exit = process.exit.bind(process);
  return { large, write: (data, written) => pipe.write(data, 'latin1', written), exit };
}

export interface OutboxHost {
  /** Where large messages go, if they do not go through the pipe. */
  readonly large?: LargeMessages | undefined;
  /** Text has a byte for each character. */
  write(data: string | Uint8Array, written: (error?: Error | null) => void): unknown;
  exit(code: number): unknown;
}

/** Sends the messages of a worker, and loses none when it exits. */
export interface Outbox {
  /** Does nothing once the parent is gone: `disconnect` reports that. @throws RangeError for a message that is too large */
  post(message: unknown): void;
  /** Exits once everything posted is written; `process.exit` would lose the rest of a large message. */
  exit(code: number): void;
}

/** Creates an outbox over a pipe and `process`, or doubles of them. */
export function createOutbox(host: OutboxHost): Outbox {
  let unsent = 0;
  let exitCode: number | undefined;
  const written = (): void => {
    unsent -= 1;
    if (unsent === 0 && exitCode !== undefined) host.exit(exitCode);
  };
  return {
    post(message) {
      const data = messageData(message as WireMessage, host.large);
      unsent += 1;
      host.write(data, written);
    },
    exit(code) {
      exitCode ??= code;
      if (unsent === 0) host.exit(exitCode);
    },
  };
}
