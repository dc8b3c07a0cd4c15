import { deserialize, serialize } from 'node:v8';
import type { FromWorker, RunFrame, ToWorker } from '../src/contract/frames.ts';
import type { Unsent } from '../src/contract/transport.ts';
import { FrameWriter, type Posting } from '../src/wire/frame-writer.ts';
import { decodeFromWorker, writeFromWorker } from '../src/wire/from-worker-codec.ts';
import { decodeToWorker, encodeToWorker, type Undecodable } from '../src/wire/to-worker-codec.ts';

/** A channel: what it makes of a message, and whether it moves buffers. */
export interface Channel {
  readonly transfers: boolean;
  carry(posting: Posting): unknown;
}

/** Channel between processes with `serialization: 'advanced'`. */
export const processChannel: Channel = {
  transfers: false,
  carry: ({ message }) => deserialize(serialize(message)),
};

/** Channel between threads. */
export const threadChannel: Channel = {
  transfers: true,
  carry: ({ message, transfer }) => structuredClone(message, { transfer }),
};

export const channels: readonly (readonly [name: string, channel: Channel])[] = [
  ['a process', processChannel],
  ['a thread', threadChannel],
];

export function runFrame(seq: number, input: unknown, more: Partial<RunFrame> = {}): RunFrame {
  return {
    kind: 'run',
    seq,
    id: seq + 100,
    task: 'search',
    input,
    attempt: 1,
    deadline: undefined,
    metadata: undefined,
    transfer: undefined,
    announce: false,
    credit: undefined,
    ...more,
  };
}

export function toWorker(
  frames: readonly ToWorker[],
  channel: Channel = processChannel,
): (ToWorker | Undecodable)[] {
  const { messages } = encodeToWorker(frames, channel);
  return messages.flatMap((posting) => decodeToWorker(channel.carry(posting)) ?? []);
}

/** `unsent` lists results that cannot be cloned; the other frames are written. */
export function encodeFromWorker(frames: readonly FromWorker[], channel: Channel) {
  const writer = new FrameWriter(channel);
  const unsent: Unsent[] = [];
  for (const frame of frames) {
    try {
      writeFromWorker(writer, frame);
    } catch (error) {
      unsent.push({ seq: 'seq' in frame ? frame.seq : 0, error });
    }
  }
  return { messages: writer.take(), unsent };
}

export function fromWorker(
  frames: readonly FromWorker[],
  channel: Channel = processChannel,
): FromWorker[] {
  const { messages } = encodeFromWorker(frames, channel);
  return messages.flatMap((posting) => decodeFromWorker(channel.carry(posting)) ?? []);
}

/** Inputs as tasks of one batch would get them. */
export function inputs(values: readonly unknown[], channel: Channel = processChannel): unknown[] {
  const frames = values.map((value, index) => runFrame(index + 1, value));
  return toWorker(frames, channel).map((frame) => (frame as RunFrame).input);
}
