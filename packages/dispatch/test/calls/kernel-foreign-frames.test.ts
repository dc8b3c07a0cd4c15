import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FromWorker } from '../../src/contract/frames.ts';
import { decodeFromWorker } from '../../src/wire/from-worker-codec.ts';
import { decodeToWorker } from '../../src/wire/to-worker-codec.ts';
import { checkPoolsAfterEach, createPool, turn } from '../kernel-fixture.ts';

checkPoolsAfterEach();

/** A number that no call has. */
const NONE = 999_999;

test('a second `ready` of a worker changes the tasks of nobody [checked-frames]', async () => {
  const { dispatcher, run, ready, transport } = createPool({ max: 2, min: 2 });
  await ready();
  transport.at(0).emit({ kind: 'ready', tasks: ['nothing'], jsonTasks: ['echo'] });
  const calls = [run(1), run(2), run(3), run(4)];
  await turn();
  for (const { runs } of transport.workers)
    for (const { json } of runs) expect(json).toBe(undefined);
  for (const worker of transport.workers) for (const { seq } of worker.open) worker.answer(seq);
  await turn();
  expect(calls.map(({ state }) => state)).toEqual(calls.map(() => 'resolved'));
  expect(dispatcher.stats()).toMatchObject({ completed: 4, state: 'ready' });
});

test('a second `ready` of a worker that still runs what is a part of its start begins nothing anew [checked-frames]', async () => {
  const { dispatcher, ready, transport, run } = createPool();
  await ready();
  const kept = dispatcher.broadcast('other', 'kept', { later: true });
  await turn();
  transport.at(0).answer(1);
  await kept;
  transport.at(0).exit({ exitCode: 1 });
  run(0);
  const successor = transport.at(-1);
  successor.ready();
  successor.emit({ kind: 'ready', tasks: ['nothing'] });
  await turn();
  expect(successor.inputs).toEqual(['kept']);
  successor.answer(1);
  await turn();
  expect(successor.inputs).toEqual(['kept', 0]);
});

test.each<FromWorker>([
  { kind: 'busy', seq: NONE },
  { kind: 'busy', seq: 1 },
  { kind: 'room', window: 1 },
  { kind: 'keys-only', on: true },
  { kind: 'lost', seq: 1, error: new Error('not so') },
  { kind: 'report', data: { requests: 1 }, worked: true },
])('%j of a worker without such frames is ignored [checked-frames]', async (frame) => {
  const { dispatcher, run, ready, transport } = createPool({ max: 2, min: 2 }, { extraFrames: [] });
  await ready();
  const first = [run(1), run(2)];
  await turn();
  transport.at(0).emit(frame);
  const before = dispatcher.stats().workers[0];
  expect(before).toMatchObject({ window: 2, inFlight: 1, report: undefined });
  const later = [run(3), run(4)];
  await turn();
  expect(transport.workers.map(({ inputs }) => inputs.length)).toEqual([2, 2]);
  for (const worker of transport.workers) for (const { seq } of worker.open) worker.answer(seq);
  await turn();
  expect([...first, ...later].map(({ state }) => state)).toEqual(Array(4).fill('resolved'));
  expect(dispatcher.stats()).toMatchObject({ returned: 0, retried: 0, failed: 0 });
});

test('whatever frames for no call a worker sends, its calls and the calls of others are answered [checked-frames]', async () => {
  const seq = fc.constantFrom(NONE, 0, -1, 0.5, 1e300);
  const number = fc.constantFrom(0, -1, 1, -1e12, 1e308);
  const error = fc.constantFrom<unknown>(null, 5, new Error('odd'));
  const frame = fc.oneof(
    fc.record({ kind: fc.constantFrom('started', 'dropped', 'busy'), seq }),
    fc.record({ kind: fc.constant('done'), seq, value: error, runMs: number }),
    fc.record({ kind: fc.constantFrom('failed', 'lost'), seq, error, runMs: number }),
    fc.record({ kind: fc.constant('progress'), seq, data: error }),
    fc.record({ kind: fc.constant('item'), seq, value: error }),
    fc.record({ kind: fc.constant('room'), window: number }),
    fc.record({ kind: fc.constant('keys-only'), on: fc.boolean() }),
    fc.record({ kind: fc.constant('report'), data: error, worked: fc.boolean() }),
    fc.record({ kind: fc.constant('module-report'), data: error }),
    fc.record({ kind: fc.constant('ready'), tasks: fc.constant(['none']) }),
    fc.record({ kind: fc.constant('healthy') }),
    fc.record({ kind: fc.constant('start-failed'), error, final: fc.boolean() }),
  ) as fc.Arbitrary<FromWorker>;
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 20 }), async (frames) => {
      const { dispatcher, run, ready, transport } = createPool(
        { max: 2, min: 2 },
        { extraFrames: [] },
      );
      await ready();
      const calls = [run(1), run(2), run(3)];
      await turn();
      for (const each of frames) transport.at(0).emit(each);
      calls.push(run(4), run(5));
      await turn();
      for (let left = 3; left > 0; left -= 1) {
        for (const worker of transport.workers)
          for (const open of worker.open) worker.answer(open.seq);
        await turn();
      }
      expect(calls.map(({ state }) => state)).toEqual(calls.map(() => 'resolved'));
      expect(dispatcher.stats()).toMatchObject({ completed: 5, lost: 0, state: 'ready' });
    }),
    { numRuns: 100 },
  );
});

test('a worker of which a message is incomplete is asked at each check, whatever it owes', async () => {
  const { ready, transport, clock } = createPool({ healthMs: 1000 });
  await ready();
  let isIncomplete = false;
  let looks = 0;
  Object.assign(transport.at(0), {
    inspect: () => {
      looks += 1;
      return isIncomplete;
    },
  });
  clock.advance(1000);
  expect([looks, transport.at(0).count('health')]).toEqual([1, 1]);
  isIncomplete = true;
  transport.at(0).emit({ kind: 'healthy' });
  clock.advance(1000);
  // Once, though it is also due.
  expect([looks, transport.at(0).count('health')]).toEqual([2, 2]);
  clock.advance(1000);
  expect([looks, transport.at(0).count('health')]).toEqual([3, 3]);
});

test.each([
  ['ready without a list of tasks', [0, 0, 0, 0, 5, null]],
  ['ready with tasks that are no texts', [0, 0, 0, 0, [{}], null]],
  ['ready with odd tasks of JSON', [0, 0, 0, 0, ['echo'], 'x']],
  ['load with a text for memory', [0, 7, 0, 1, 0, 1, 1, 'x', null]],
  ['load with an object for the heap', [0, 7, 0, 1, 0, 1, 1, 1, {}]],
])('decodeFromWorker() throws for %s [checked-frames]', (_, cells) => {
  expect(() => decodeFromWorker([JSON.stringify(cells)])).toThrow(
    /^Cannot read a frame: it must have/,
  );
});

const call = (changes: Readonly<Record<number, unknown>> = {}): string => {
  const cells = [0, 0, 1, 1, 0, 1, 'echo', 1, null, null, 0];
  return JSON.stringify(cells.map((cell, index) => (index in changes ? changes[index] : cell)));
};

test.each([
  ['a task that is no text', { 6: { length: 1 } }],
  ['a deadline that is no number', { 8: 'soon' }],
  ['metadata that are a list', { 9: ['a'] }],
  ['metadata that are a text', { 9: 'a' }],
  ['metadata with other values than texts', { 9: { a: 1 } }],
])('decodeToWorker() throws for a call with %s [checked-frames]', (_, changes) => {
  expect(decodeToWorker([call()])).toMatchObject([{ kind: 'run', seq: 1, task: 'echo' }]);
  expect(() => decodeToWorker([call(changes)])).toThrow(/^Cannot read a frame: it must have/);
});
