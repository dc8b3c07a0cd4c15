import type { FromWorker } from '../contract/transport.ts';
import { isTransferred } from '../task-results.ts';
import { decodeError, encodeError } from './error-codec.ts';
import type { FrameWriter } from './frame-writer.ts';
import { FrameReader, flag, malformed } from './wire-message.ts';

const codes = {
  ready: 0,
  'start-failed': 1,
  started: 2,
  done: 3,
  failed: 4,
  dropped: 5,
  progress: 6,
  load: 7,
  healthy: 8,
  report: 9,
  recycle: 10,
  'module-report': 11,
  busy: 12,
  room: 13,
  'keys-only': 14,
  lost: 15,
  item: 16,
} as const satisfies Record<FromWorker['kind'], number>;

/** Writes a frame of a worker, or nothing if it throws. @throws DOMException `DataCloneError`, or what a getter throws, for a value of a task */
export function writeFromWorker(writer: FrameWriter, frame: FromWorker): void {
  const code = codes[frame.kind];
  switch (frame.kind) {
    case 'done':
      writeOutput(writer, frame, micros(frame.runMs));
      break;
    case 'item':
      writeOutput(writer, frame, '');
      break;
    case 'progress':
      writer.add(code, frame.seq, frame.data, '');
      break;
    case 'started':
    case 'dropped':
    case 'busy':
      writer.add(code, frame.seq, undefined, '');
      break;
    case 'failed':
      writer.add(code, frame.seq, encodeError(frame.error), micros(frame.runMs));
      break;
    case 'lost':
      writer.add(code, frame.seq, encodeError(frame.error), '');
      break;
    case 'load': {
      const { elapsedMs, activeMs, memoryBytes = null, heapBytes = null } = frame;
      const tail = `${micros(elapsedMs)}${micros(activeMs)},${memoryBytes},${heapBytes}`;
      writer.add(code, 0, undefined, tail);
      break;
    }
    case 'healthy': {
      const failed = 'error' in frame;
      writer.add(code, 0, failed ? encodeError(frame.error) : undefined, flag(failed));
      break;
    }
    case 'report':
      writer.add(code, 0, frame.data, flag(frame.worked));
      break;
    case 'module-report':
      writer.add(code, 0, frame.data, '');
      break;
    case 'room':
      writer.add(code, 0, undefined, `,${frame.window}`);
      break;
    case 'keys-only':
      writer.add(code, 0, undefined, flag(frame.on));
      break;
    case 'recycle':
      writer.add(code, 0, undefined, '');
      break;
    case 'ready':
      writer.add(code, 0, frame.tasks, `,${JSON.stringify(frame.jsonTasks ?? null)}`);
      break;
    default:
      writer.add(code, 0, encodeError(frame.error), flag(frame.final));
  }
}

/** Writes what a task gives: its result, or an item. */
function writeOutput(
  writer: FrameWriter,
  { kind, seq, value, json }: Extract<FromWorker, { kind: 'done' | 'item' }>,
  tail: string,
): void {
  if (json) writer.addJson(codes[kind], seq, value, tail);
  else if (isTransferred(value)) writer.addMoving(codes[kind], seq, value, tail);
  else writer.add(codes[kind], seq, value, tail);
}

/** Reads a message of frames of a worker; `undefined` for any other message. @throws Error for one that is malformed */
export function decodeFromWorker(message: unknown): FromWorker[] | undefined {
  const reader = FrameReader.open(message);
  if (reader === undefined) return undefined;
  const frames: FromWorker[] = [];
  while (reader.next()) frames.push(readFrame(reader));
  return frames;
}

function readFrame(reader: FrameReader): FromWorker {
  const { code, seq, value, failure } = reader;
  switch (code) {
    case codes.done: {
      const runMs = reader.number() / 1000;
      if (failure !== undefined) return { kind: 'failed', seq, error: failure.error, runMs };
      return { kind: 'done', seq, value, runMs };
    }
    case codes.progress:
    case codes.item:
      if (failure !== undefined) return { kind: 'failed', seq, error: failure.error, runMs: 0 };
      if (code === codes.item) return { kind: 'item', seq, value };
      return { kind: 'progress', seq, data: value };
    case codes.started:
      return { kind: 'started', seq };
    case codes.failed:
      return { kind: 'failed', seq, error: decodeError(value), runMs: reader.number() / 1000 };
    case codes.lost:
      return { kind: 'lost', seq, error: decodeError(value) };
    case codes.dropped:
      return { kind: 'dropped', seq };
    case codes.load:
      return {
        kind: 'load',
        elapsedMs: reader.number() / 1000,
        activeMs: reader.number() / 1000,
        memoryBytes: reader.optionalNumber(),
        heapBytes: reader.optionalNumber(),
      };
    case codes.healthy:
      return reader.flag() ? { kind: 'healthy', error: decodeError(value) } : { kind: 'healthy' };
    case codes.report:
      return { kind: 'report', data: value, worked: reader.flag() };
    case codes['module-report']:
      return { kind: 'module-report', data: value };
    case codes.busy:
      return { kind: 'busy', seq };
    case codes.room:
      return { kind: 'room', window: reader.number() };
    case codes['keys-only']:
      return { kind: 'keys-only', on: reader.flag() };
    case codes.recycle:
      return { kind: 'recycle' };
    case codes.ready: {
      const jsonTasks = reader.cell();
      return {
        kind: 'ready',
        tasks: textsOf(value),
        jsonTasks: jsonTasks === null ? undefined : textsOf(jsonTasks),
      };
    }
    case codes['start-failed']:
      return { kind: 'start-failed', error: decodeError(value), final: reader.flag() };
    default:
      throw malformed('a code of this version', code);
  }
}

function textsOf(value: unknown): string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw malformed('a list of texts', value);
}

/** Returns a field of whole microseconds: fewer digits than a fraction has, and exact enough for the platform's clock. */
function micros(ms: number): string {
  return `,${Math.round(ms * 1000)}`;
}
