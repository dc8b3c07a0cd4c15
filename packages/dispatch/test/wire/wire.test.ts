import { describe, expect, test } from 'vitest';
import type { FromWorker, RunFrame, ToWorker } from '../../src/contract/frames.ts';
import { transferred } from '../../src/task-results.ts';
import type { Posting } from '../../src/wire/frame-writer.ts';
import { decodeFromWorker } from '../../src/wire/from-worker-codec.ts';
import { decodeToWorker, encodeToWorker, postToWorker } from '../../src/wire/to-worker-codec.ts';
import {
  channels,
  encodeFromWorker,
  fromWorker,
  inputs,
  processChannel,
  runFrame,
  threadChannel,
  toWorker,
} from '../wire-fixture.ts';

const everyToWorker: readonly ToWorker[] = [
  runFrame(1, { from: 'Utrecht' }),
  runFrame(2, undefined, { attempt: 3, deadline: 1_700_000_000_000.25, announce: true }),
  runFrame(3, 'x', { metadata: { trace: '漢"\\', ['__proto__']: 'own' }, task: 'a "task"' }),
  { kind: 'abort', seq: 2, reason: 'enough' },
  { kind: 'abort', seq: 3, reason: undefined },
  { kind: 'health' },
  runFrame(9, { from: 'a' }, { credit: 16, announce: true }),
  { kind: 'credit', seq: 9, items: 8 },
  { kind: 'stop' },
];

const everyFromWorker: readonly FromWorker[] = [
  { kind: 'ready', tasks: ['search', 'price'] },
  { kind: 'start-failed', error: new TypeError('no'), final: true },
  { kind: 'start-failed', error: 'no', final: false },
  { kind: 'started', seq: 7 },
  { kind: 'done', seq: 7, value: { price: 5 }, runMs: 1.234 },
  { kind: 'done', seq: 8, value: undefined, runMs: 0 },
  { kind: 'failed', seq: 9, error: new RangeError('far'), runMs: 12 },
  { kind: 'failed', seq: 10, error: undefined, runMs: 12 },
  { kind: 'lost', seq: 14, error: new Error('gone') },
  { kind: 'dropped', seq: 11 },
  { kind: 'busy', seq: 13 },
  { kind: 'room', window: 3 },
  { kind: 'keys-only', on: true },
  { kind: 'keys-only', on: false },
  { kind: 'progress', seq: 12, data: new Map([[1, 2]]) },
  { kind: 'item', seq: 15, value: { price: 5 } },
  { kind: 'item', seq: 15, value: undefined },
  { kind: 'load', elapsedMs: 20.5, activeMs: 3, memoryBytes: 1e9, heapBytes: 5e6 },
  { kind: 'module-report', data: { sent: 3, names: new Map([[1, 'a']]) } },
  { kind: 'load', elapsedMs: 20.5, activeMs: 3, memoryBytes: undefined, heapBytes: undefined },
  { kind: 'healthy' },
  { kind: 'report', data: { requests: 7 }, worked: true },
  { kind: 'report', data: undefined, worked: false },
  { kind: 'recycle' },
  { kind: 'healthy', error: undefined },
];

describe.each(channels)('over the channel of %s', (_name, channel) => {
  test('every frame to a worker arrives as it was, in order, in one message', () => {
    expect(encodeToWorker(everyToWorker, channel).messages).toHaveLength(1);
    expect(toWorker(everyToWorker, channel)).toStrictEqual(everyToWorker);
  });

  test('every frame from a worker arrives as it was, in order, in one message', () => {
    expect(encodeFromWorker(everyFromWorker, channel).messages).toHaveLength(1);
    const arrived = fromWorker(everyFromWorker, channel);
    expect(arrived).toEqual(everyFromWorker);
    expect(arrived.map((frame) => 'error' in frame)).toEqual(
      everyFromWorker.map((frame) => 'error' in frame),
    );
  });

  test.each<[string, object]>([
    ['that JSON keeps', { list: [1] }],
    ['that only a clone keeps', { list: [undefined] }],
    ['of bytes', new Uint8Array([1, 2, 3])],
  ])('an object %s in two inputs of a batch is two objects', (_kind, shared) => {
    const [one, other] = inputs([shared, shared, { shared }], channel);
    expect(one).toStrictEqual(shared);
    expect(other).toStrictEqual(shared);
    expect(one).not.toBe(other);
  });

  test('bytes of two inputs share no memory', () => {
    const pooled = Buffer.from('pooled');
    const [buffer, bytes, nested] = inputs([pooled, new Uint8Array(4), { pooled }], channel) as [
      Buffer,
      Uint8Array,
      { pooled: Buffer },
    ];
    expect(Buffer.isBuffer(buffer)).toBe(true);
    expect(buffer.toString()).toBe('pooled');
    expect(buffer.buffer.byteLength).toBe(6);
    expect(Buffer.isBuffer(bytes)).toBe(false);
    expect(bytes.buffer.byteLength).toBe(4);
    expect(nested.pooled.toString()).toBe('pooled');
    expect(nested.pooled.buffer.byteLength).toBe(6);
  });

  test('an input that cannot be cloned is unsent, and the rest of its batch is sent', () => {
    const getter = {
      get price(): number {
        throw new Error('no price');
      },
    };
    const frames = [
      runFrame(1, 'first'),
      runFrame(2, () => 1),
      runFrame(3, { nested: Symbol('x') }),
      runFrame(4, getter),
      runFrame(5, new Proxy({}, {})),
      runFrame(6, 'last'),
    ];
    const arrived: unknown[] = [];
    const unsent = postToWorker(
      frames,
      (message, transfer) =>
        arrived.push(
          ...(decodeToWorker(channel.carry({ message, transfer, only: undefined })) ?? []),
        ),
      channel,
    );
    expect(arrived).toEqual([frames[0], frames[5]]);
    unsent.sort((one, other) => one.seq - other.seq);
    expect(unsent.map(({ seq }) => seq)).toEqual([2, 3, 4, 5]);
    expect(unsent.map(({ error }) => (error as Error).name)).toEqual([
      'DataCloneError',
      'DataCloneError',
      'Error',
      'DataCloneError',
    ]);
  });

  test('a value of 64 KiB has a message of its own, at its place', () => {
    const large = Buffer.alloc(64 * 1024, 1);
    const frames = [runFrame(1, 'a'), runFrame(2, large), runFrame(3, new Map([[1, large]]))];
    const { messages } = encodeToWorker([...frames, runFrame(4, 'b')], channel);
    expect(messages).toHaveLength(4);
    expect(toWorker(frames, channel)).toEqual(frames);
  });

  test('many small frames go in messages of 16 KiB', () => {
    const frames = Array.from({ length: 100 }, (_, seq) => runFrame(seq + 1, 'x'.repeat(4000)));
    const { messages } = encodeToWorker(frames, channel);
    // Full with the fifth: 16 KiB are a little more than four.
    expect(messages).toHaveLength(20);
    expect(toWorker(frames, channel)).toEqual(frames);
  });
});

test('buffers that are transferred move where the channel can, in a message of their own', () => {
  const input = { bytes: new Uint8Array([1, 2, 3]) };
  const frame = runFrame(2, input, { transfer: [input.bytes.buffer] });
  const { messages } = encodeToWorker([runFrame(1, 1), frame, runFrame(3, 3)], threadChannel);
  expect(messages.map(({ only }) => only)).toEqual([undefined, 2, undefined]);
  const arrived = messages.flatMap((each) => decodeToWorker(threadChannel.carry(each)) ?? []);
  expect(arrived.map((each) => (each as RunFrame).input)).toEqual([
    1,
    { bytes: new Uint8Array([1, 2, 3]) },
    3,
  ]);
  expect(input.bytes.byteLength).toBe(0);
});

test('buffers that are transferred are copied where the channel cannot move them', () => {
  const bytes = new Uint8Array([1, 2, 3]);
  const value = transferred({ bytes }, [bytes.buffer]);
  const [frame] = fromWorker([{ kind: 'done', seq: 1, value, runMs: 0 }], processChannel);
  expect(frame).toMatchObject({ value: { bytes: new Uint8Array([1, 2, 3]) } });
  expect(bytes.byteLength).toBe(3);
});

test('shared memory stays shared between threads, and cannot go to a process', () => {
  const shared = new SharedArrayBuffer(4);
  const view = new Int32Array(shared);
  const [direct, nested] = inputs([view, { view }], threadChannel) as [
    Int32Array,
    { view: Int32Array },
  ];
  view[0] = 7;
  expect([direct[0], nested.view[0]]).toEqual([7, 7]);
  const { unsent } = encodeToWorker([runFrame(1, shared), runFrame(2, view)], processChannel);
  expect(unsent.map(({ seq }) => seq)).toEqual([1, 2]);
});

test('changes of a value after it was written are not seen', () => {
  const bytes = Buffer.from('before');
  const list = [1];
  const { messages } = encodeToWorker([runFrame(1, bytes), runFrame(2, list)], processChannel);
  bytes.fill('x');
  list.push(2);
  const arrived = messages.flatMap((each) => decodeToWorker(processChannel.carry(each)) ?? []);
  expect(arrived).toMatchObject([{ input: Buffer.from('before') }, { input: [1] }]);
});

test.each<[unknown]>([
  [undefined],
  [null],
  ['text'],
  [{ 'watch:import': ['file:///a.js'] }],
  [{ ticketing: 'other', cells: '[0]' }],
  [[{ cells: '[0]' }]],
])('a message that is not ours is not decoded: %j', (message) => {
  expect(decodeToWorker(message)).toBeUndefined();
  expect(decodeFromWorker(message)).toBeUndefined();
});

function spoil(messages: readonly Posting[]): void {
  const [, body] = (messages[0] as Posting).message as readonly [string, Uint8Array];
  body.fill(0, 0, 4);
}

test('an input that cannot be read is reported, and the rest of its batch is read', () => {
  const { messages } = encodeToWorker(
    [runFrame(1, new Map()), runFrame(2, new Set([1])), runFrame(3, 'ok')],
    processChannel,
  );
  spoil(messages);
  expect(decodeToWorker(messages[0]?.message)).toMatchObject([
    { kind: 'undecodable', seq: 1, error: expect.any(Error) },
    { kind: 'run', seq: 2, input: new Set([1]) },
    { kind: 'run', seq: 3, input: 'ok' },
  ]);
});

test('a result that cannot be read is a failure of its task', () => {
  const { messages } = encodeFromWorker(
    [
      { kind: 'done', seq: 1, value: new Map(), runMs: 2 },
      { kind: 'done', seq: 2, value: 'ok', runMs: 2 },
    ],
    processChannel,
  );
  spoil(messages);
  expect(decodeFromWorker(messages[0]?.message)).toMatchObject([
    { kind: 'failed', seq: 1, error: expect.any(Error) },
    { kind: 'done', seq: 2, value: 'ok' },
  ]);
});

test('a channel that takes no message throws for all', () => {
  const closed = (): never => {
    throw new Error('closed');
  };
  expect(() => postToWorker([runFrame(1, 1)], closed, processChannel)).toThrow('closed');
});
