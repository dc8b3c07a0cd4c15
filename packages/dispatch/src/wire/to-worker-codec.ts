import type { AbortFrame, CreditFrame, PollFrame, RunFrame, ToWorker } from '../contract/frames.ts';
import type { Movable } from '../contract/task.ts';
import type { Unsent } from '../contract/transport.ts';
import { decodeError, encodeError } from './error-codec.ts';
import { FrameWriter, type Posting, type WriterOptions } from './frame-writer.ts';
import { FrameReader, malformed } from './wire-message.ts';

/** A call whose input could not be read. */
export interface Undecodable {
  readonly kind: 'undecodable';
  readonly seq: number;
  readonly error: unknown;
}

const code = { run: 0, abort: 1, health: 2, stop: 3, stream: 4, credit: 5, poll: 6 } as const;

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
      writer.add(frame.seq, `,${code.credit},${frame.seq}`, undefined, `,${frame.items}`);
    } else if (frame.kind === 'poll') {
      writer.add(0, `,${code.poll},0`, undefined, frame.on ? ',1' : ',0');
    } else if (frame.kind === 'abort') {
      writer.add(frame.seq, `,${code.abort},${frame.seq}`, encodeError(frame.reason), '');
    } else {
      writer.add(0, `,${code[frame.kind]},0`, undefined, '');
    }
  }
  return { messages: writer.take(), unsent };
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

/** As {@link decodeToWorker}, with the number of calls that the worker has in flight; 0 if that is unknown. */
export function readToWorker(
  message: unknown,
): { readonly inFlight: number; readonly frames: (ToWorker | Undecodable)[] } | undefined {
  const reader = FrameReader.open(message);
  if (reader === undefined) return undefined;
  const frames: (ToWorker | Undecodable)[] = [];
  while (reader.more) {
    const kind = reader.number();
    switch (kind) {
      case code.run:
      case code.stream:
        frames.push(readRun(reader, kind === code.stream));
        break;
      case code.credit:
        frames.push(readCredit(reader));
        break;
      case code.abort:
        frames.push(readAbort(reader));
        break;
      case code.poll:
        frames.push(readPoll(reader));
        break;
      case code.health:
        frames.push(readPlain(reader, 'health'));
        break;
      case code.stop:
        frames.push(readPlain(reader, 'stop'));
        break;
      default:
        throw malformed('a code of this version', 'another');
    }
  }
  return { inFlight: reader.lead, frames };
}

function writeRun(writer: FrameWriter, frame: RunFrame): void {
  const { seq, id, task, attempt, deadline = null, metadata, announce, transfer, credit } = frame;
  const texts = metadata === undefined ? 'null' : JSON.stringify(metadata);
  const head = `,${credit === undefined ? code.run : code.stream},${seq}`;
  const end = credit === undefined ? '' : `,${credit}`;
  const tail = `,${id},${JSON.stringify(task)},${attempt},${deadline},${texts},${announce ? 1 : 0}${end}`;
  if (frame.json && transfer === undefined) writer.addJson(seq, head, frame.input, tail);
  else if (transfer === undefined) writer.add(seq, head, frame.input, tail);
  else writer.addMoving(seq, head, { value: frame.input, transfer }, tail);
}

function readRun(reader: FrameReader, isStream: boolean): RunFrame | Undecodable {
  const seq = reader.number();
  let input: unknown;
  let failure: { readonly error: unknown } | undefined;
  try {
    input = reader.value();
  } catch (error) {
    failure = { error };
  }
  const frame: RunFrame = {
    kind: 'run',
    seq,
    input,
    id: reader.number(),
    task: textOf(reader.cell()),
    attempt: reader.number(),
    deadline: reader.optionalNumber(),
    metadata: metadataOf(reader.cell()),
    announce: reader.number() === 1,
    transfer: undefined,
    credit: isStream ? reader.number() : undefined,
  };
  return failure === undefined ? frame : { kind: 'undecodable', seq, error: failure.error };
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

function readCredit(reader: FrameReader): CreditFrame {
  const seq = reader.number();
  reader.value();
  return { kind: 'credit', seq, items: reader.number() };
}

function readAbort(reader: FrameReader): AbortFrame {
  return { kind: 'abort', seq: reader.number(), reason: decodeError(reader.value()) };
}

function readPoll(reader: FrameReader): PollFrame {
  reader.number();
  reader.value();
  return { kind: 'poll', on: reader.number() === 1 };
}

function readPlain<K extends 'health' | 'stop'>(
  reader: FrameReader,
  kind: K,
): { readonly kind: K } {
  reader.number();
  reader.value();
  return { kind };
}
