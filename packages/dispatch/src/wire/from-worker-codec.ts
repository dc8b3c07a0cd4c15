import type { FromWorker } from '../contract/frames.ts';
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
  const fields = fieldsOf(frame);
  if (frame.kind === 'done' || frame.kind === 'item') {
    const { seq, value, json } = frame;
    if (json) writer.add(code, seq, value, fields, 'json');
    else if (isTransferred(value)) writer.add(code, seq, value.value, fields, value.transfer);
    else writer.add(code, seq, value, fields);
  } else writer.add(code, 'seq' in frame ? frame.seq : 0, valueIn(frame), fields);
}

/** Returns the value of a frame, for those whose value is not what a task gives. */
function valueIn(frame: Exclude<FromWorker, { kind: 'done' | 'item' }>): unknown {
  switch (frame.kind) {
    case 'failed':
    case 'lost':
    case 'start-failed':
      return encodeError(frame.error);
    case 'healthy':
      return 'error' in frame ? encodeError(frame.error) : undefined;
    case 'progress':
    case 'report':
    case 'module-report':
      return frame.data;
    case 'ready':
      return frame.tasks;
    default:
      return undefined;
  }
}

/** Returns the other fields of a frame, with a comma before each. */
function fieldsOf(frame: FromWorker): string {
  switch (frame.kind) {
    case 'done':
    case 'failed':
      return micros(frame.runMs);
    case 'load': {
      const { elapsedMs, activeMs, memoryBytes = null, heapBytes = null } = frame;
      return `${micros(elapsedMs)}${micros(activeMs)},${memoryBytes},${heapBytes}`;
    }
    case 'healthy':
      return flag('error' in frame);
    case 'report':
      return flag(frame.worked);
    case 'room':
      return `,${frame.window}`;
    case 'keys-only':
      return flag(frame.on);
    case 'ready':
      return `,${JSON.stringify(frame.jsonTasks ?? null)}`;
    case 'start-failed':
      return flag(frame.final);
    default:
      return '';
  }
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
