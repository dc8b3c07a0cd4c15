import type { RunFrame, ToWorker } from '../contract/frames.ts';
import type { Movable } from '../contract/task.ts';
import type { Unsent } from '../contract/transport.ts';
import { decodeError, encodeError } from './error-codec.ts';
import { FrameWriter, type Posting, type WriterOptions } from './frame-writer.ts';
import { FrameReader, flag, malformed } from './wire-message.ts';

/** Call whose input could not be read. */
export interface Undecodable {
  readonly kind: 'undecodable';
  readonly seq: number;
  readonly error: unknown;
}

/** Codes of frames; a call with `credit` is a `stream`. */
const codes = { run: 0, abort: 1, health: 2, stop: 3, stream: 4, credit: 5, poll: 6 } as const;

/** Writes frames for a worker, which has `inFlight` calls with them. `unsent` lists calls whose input cannot be cloned, with the error; all others are written. */
export function encodeToWorker(
  frames: readonly ToWorker[],
  options: WriterOptions,
  inFlight = 0,
): { readonly messages: Posting[]; readonly unsent: Unsent[] } {
  const writer = new FrameWriter(options, inFlight);
  const unsent: Unsent[] = [];
  for (const frame of frames) {
    if (frame.kind === 'run') {
      try {
        writeRun(writer, frame);
      } catch (error) {
        unsent.push({ seq: frame.seq, error });
      }
    } else if (frame.kind === 'credit') {
      writer.add(codes.credit, frame.seq, undefined, `,${frame.items}`);
    } else if (frame.kind === 'abort') {
      writer.add(codes.abort, frame.seq, encodeError(frame.reason), '');
    } else {
      writer.add(codes[frame.kind], 0, undefined, frame.kind === 'poll' ? flag(frame.on) : '');
    }
  }
  return { messages: writer.take(), unsent };
}

function writeRun(writer: FrameWriter, frame: RunFrame): void {
  const { seq, id, task, attempt, deadline = null, metadata = null, announce } = frame;
  const { input, transfer, credit } = frame;
  const code = credit === undefined ? codes.run : codes.stream;
  const texts = metadata === null ? 'null' : JSON.stringify(metadata);
  const items = credit === undefined ? '' : `,${credit}`;
  const fields = `,${id},${JSON.stringify(task)},${attempt},${deadline},${texts}${flag(announce)}${items}`;
  writer.add(code, seq, input, fields, transfer ?? (frame.json ? 'json' : undefined));
}

/**
 * Writes frames and posts them. A value that the port refuses fails its own call alone.
 *
 * @returns the calls that were not sent
 * @throws any error of `post` that is not about a single value, as over a closed channel
 */
export function postToWorker(
  frames: readonly ToWorker[],
  post: (message: unknown, transfer: Movable[]) => void,
  options: WriterOptions,
  inFlight?: number,
): Unsent[] {
  const { messages, unsent } = encodeToWorker(frames, options, inFlight);
  for (const { message, transfer, only } of messages) {
    try {
      post(message, transfer);
    } catch (error) {
      if (only === undefined) throw error;
      unsent.push({ seq: only, error });
    }
  }
  return unsent;
}

/** Reads a message of `encodeToWorker`; `undefined` for any other message. @throws Error for one that is malformed */
export function decodeToWorker(message: unknown): (ToWorker | Undecodable)[] | undefined {
  return readToWorker(message)?.frames;
}

/** Reads like {@link decodeToWorker}, with the number of calls that the worker has in flight; 0 if that is unknown. */
export function readToWorker(
  message: unknown,
): { readonly inFlight: number; readonly frames: (ToWorker | Undecodable)[] } | undefined {
  const reader = FrameReader.open(message);
  if (reader === undefined) return undefined;
  const frames: (ToWorker | Undecodable)[] = [];
  while (reader.next()) frames.push(readFrame(reader));
  return { inFlight: reader.lead, frames };
}

function readFrame(reader: FrameReader): ToWorker | Undecodable {
  const { code, seq, value, failure } = reader;
  if (code === codes.run || code === codes.stream) {
    const run = readRun(reader);
    return failure === undefined ? run : { kind: 'undecodable', seq, error: failure.error };
  }
  if (failure !== undefined) throw failure.error;
  switch (code) {
    case codes.credit:
      return { kind: 'credit', seq, items: reader.number() };
    case codes.abort:
      return { kind: 'abort', seq, reason: decodeError(value) };
    case codes.poll:
      return { kind: 'poll', on: reader.flag() };
    case codes.health:
      return { kind: 'health' };
    case codes.stop:
      return { kind: 'stop' };
    default:
      throw malformed('a code of this version', code);
  }
}

function readRun(reader: FrameReader): RunFrame {
  return {
    kind: 'run',
    seq: reader.seq,
    input: reader.value,
    id: reader.number(),
    task: textOf(reader.cell()),
    attempt: reader.number(),
    deadline: reader.optionalNumber(),
    metadata: metadataOf(reader.cell()),
    announce: reader.flag(),
    transfer: undefined,
    credit: reader.code === codes.stream ? reader.number() : undefined,
  };
}

function textOf(cell: unknown): string {
  if (typeof cell !== 'string') throw malformed('a text', cell);
  return cell;
}

function metadataOf(cell: unknown): Record<string, string> | undefined {
  if (cell === null) return undefined;
  if (typeof cell === 'object' && !Array.isArray(cell)) {
    const metadata = cell as Record<string, string>;
    if (Object.values(metadata).every((text) => typeof text === 'string')) return metadata;
  }
  throw malformed('an object of texts', cell);
}
