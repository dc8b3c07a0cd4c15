import type { FromWorker } from '../contract/frames.ts';
import { isTransferred } from '../task-results.ts';
import { decodeError, encodeError } from './error-codec.ts';
import { FrameWriter, type Posting, type WriterOptions } from './frame-writer.ts';
import { FrameReader, malformed } from './wire-message.ts';

const code = {
  ready: 0,
  startFailed: 1,
  started: 2,
  done: 3,
  failed: 4,
  dropped: 5,
  progress: 6,
  load: 7,
  healthy: 8,
  report: 9,
  recycle: 10,
  moduleReport: 11,
  busy: 12,
  room: 13,
  keysOnly: 14,
  lost: 15,
  item: 16,
} as const;

/** Writes the frames of a worker, one by one. */
export class FromWorkerWriter {
  readonly #writer: FrameWriter;

  constructor(options: WriterOptions) {
    this.#writer = new FrameWriter(options);
  }

  /** Adds a frame, or nothing if it throws. @throws DOMException `DataCloneError`, or what a getter throws, for a result or progress datum */
  add(frame: FromWorker): void {
    const writer = this.#writer;
    switch (frame.kind) {
      case 'done': {
        const { seq, value, runMs } = frame;
        const head = `,${code.done},${seq}`;
        if (frame.json) writer.addJson(seq, head, value, `,${micros(runMs)}`);
        else if (isTransferred(value)) writer.addMoving(seq, head, value, `,${micros(runMs)}`);
        else writer.add(seq, head, value, `,${micros(runMs)}`);
        break;
      }
      case 'started':
      case 'dropped':
      case 'busy':
        writer.add(frame.seq, `,${code[frame.kind]},${frame.seq}`, undefined, '');
        break;
      case 'failed': {
        const head = `,${code.failed},${frame.seq}`;
        writer.add(frame.seq, head, encodeError(frame.error), `,${micros(frame.runMs)}`);
        break;
      }
      case 'lost':
        writer.add(frame.seq, `,${code.lost},${frame.seq}`, encodeError(frame.error), '');
        break;
      case 'progress':
        writer.add(frame.seq, `,${code.progress},${frame.seq}`, frame.data, '');
        break;
      case 'item': {
        const { seq, value } = frame;
        const head = `,${code.item},${seq}`;
        if (frame.json) writer.addJson(seq, head, value, '');
        else if (isTransferred(value)) writer.addMoving(seq, head, value, '');
        else writer.add(seq, head, value, '');
        break;
      }
      case 'load': {
        const { elapsedMs, activeMs, memoryBytes = null, heapBytes = null } = frame;
        const tail = `,${micros(elapsedMs)},${micros(activeMs)},${memoryBytes},${heapBytes}`;
        writer.add(0, `,${code.load},0`, undefined, tail);
        break;
      }
      case 'healthy': {
        const failed = 'error' in frame;
        const error = failed ? encodeError(frame.error) : undefined;
        writer.add(0, `,${code.healthy},0`, error, failed ? ',1' : ',0');
        break;
      }
      case 'report':
        writer.add(0, `,${code.report},0`, frame.data, frame.worked ? ',1' : ',0');
        break;
      case 'room':
        writer.add(0, `,${code.room},0`, undefined, `,${frame.window}`);
        break;
      case 'keys-only':
        writer.add(0, `,${code.keysOnly},0`, undefined, frame.on ? ',1' : ',0');
        break;
      case 'module-report':
        writer.add(0, `,${code.moduleReport},0`, frame.data, '');
        break;
      case 'recycle':
        writer.add(0, `,${code.recycle},0`, undefined, '');
        break;
      case 'ready':
        writer.add(
          0,
          `,${code.ready},0`,
          frame.tasks,
          `,${JSON.stringify(frame.jsonTasks ?? null)}`,
        );
        break;
      default: {
        const tail = frame.final ? ',1' : ',0';
        writer.add(0, `,${code.startFailed},0`, encodeError(frame.error), tail);
      }
    }
  }

  /** Whether a message is complete: the caller must post it at once, since the port may refuse it or its bytes are not copied. */
  get complete(): boolean {
    return this.#writer.complete;
  }

  /** Returns the messages so far, and starts over. */
  take(): Posting[] {
    return this.#writer.take();
  }
}

/** Reads a message of {@link FromWorkerWriter}; `undefined` for any other message. @throws Error for one that is malformed */
export function decodeFromWorker(message: unknown): FromWorker[] | undefined {
  const reader = FrameReader.open(message);
  if (reader === undefined) return undefined;
  const frames: FromWorker[] = [];
  while (reader.more) frames.push(readFrame(reader));
  return frames;
}

function readFrame(reader: FrameReader): FromWorker {
  const kind = reader.number();
  const seq = reader.number();
  let value: unknown;
  let failure: { readonly error: unknown } | undefined;
  try {
    value = reader.value();
  } catch (error) {
    failure = { error };
  }
  switch (kind) {
    case code.done: {
      const runMs = reader.number() / 1000;
      if (failure !== undefined) return { kind: 'failed', seq, error: failure.error, runMs };
      return { kind: 'done', seq, value, runMs };
    }
    case code.started:
      return { kind: 'started', seq };
    case code.failed:
      return { kind: 'failed', seq, error: decodeError(value), runMs: reader.number() / 1000 };
    case code.lost:
      return { kind: 'lost', seq, error: decodeError(value) };
    case code.dropped:
      return { kind: 'dropped', seq };
    case code.progress:
      if (failure !== undefined) return { kind: 'failed', seq, error: failure.error, runMs: 0 };
      return { kind: 'progress', seq, data: value };
    case code.item:
      if (failure !== undefined) return { kind: 'failed', seq, error: failure.error, runMs: 0 };
      return { kind: 'item', seq, value };
    case code.load:
      return {
        kind: 'load',
        elapsedMs: reader.number() / 1000,
        activeMs: reader.number() / 1000,
        memoryBytes: reader.optionalNumber(),
        heapBytes: reader.optionalNumber(),
      };
    case code.healthy:
      return reader.number() === 1
        ? { kind: 'healthy', error: decodeError(value) }
        : { kind: 'healthy' };
    case code.report:
      return { kind: 'report', data: value, worked: reader.number() === 1 };
    case code.moduleReport:
      return { kind: 'module-report', data: value };
    case code.busy:
      return { kind: 'busy', seq };
    case code.room:
      return { kind: 'room', window: reader.number() };
    case code.keysOnly:
      return { kind: 'keys-only', on: reader.number() === 1 };
    case code.recycle:
      return { kind: 'recycle' };
    case code.ready:
      return {
        kind: 'ready',
        tasks: textsOf(value),
        jsonTasks: optionalTexts(reader.cell()),
      };
    case code.startFailed:
      return { kind: 'start-failed', error: decodeError(value), final: reader.number() === 1 };
    default:
      throw malformed('a code of this version', kind);
  }
}

function optionalTexts(cell: unknown): string[] | undefined {
  return cell === null ? undefined : textsOf(cell);
}

function textsOf(value: unknown): string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw malformed('a list of texts', value);
}

/** Returns whole microseconds: fewer digits than a fraction has, and exact enough for the platform's clock. */
function micros(ms: number): number {
  return Math.round(ms * 1000);
}
