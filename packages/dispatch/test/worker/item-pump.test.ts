import { expect, test } from 'vitest';
import { createRig, defer, settle } from './task-runner-fixture.ts';

test('a runner sends items as there is credit, then done', async () => {
  const rig = createRig({
    async *items(count: number) {
      for (let item = 1; item <= count; item += 1) yield item;
    },
  });
  rig.run({ seq: 1, task: 'items', input: 3, credit: 2 });
  await settle();
  expect(rig.log).toEqual(['claimed 1', 'item 1', 'item 1']);
  rig.runner.accept([{ kind: 'credit', seq: 1, items: 1 }]);
  await settle();
  expect(rig.log).toEqual(['claimed 1', 'item 1', 'item 1', 'item 1']);
  rig.runner.accept([{ kind: 'credit', seq: 1, items: 1 }]);
  await settle();
  expect(rig.told.at(-1)).toEqual({ kind: 'done', seq: 1, value: undefined, runMs: 0 });
  // One that has ended is unknown.
  rig.runner.accept([{ kind: 'credit', seq: 1, items: 1 }]);
  await settle();
  expect(rig.log).toHaveLength(5);
});

test('the event loop has a turn after a millisecond of items, however much credit there is', async () => {
  const rig = createRig({
    async *items() {
      for (let item = 1; ; item += 1) {
        rig.advance(0.4);
        yield item;
      }
    },
  });
  rig.run({ seq: 1, task: 'items', credit: 100 });
  await settle();
  const before = rig.log.length;
  expect(before).toBeLessThan(6);
  await settle();
  expect(rig.log).toHaveLength(before);
  rig.turn();
  await settle();
  expect(rig.log.length).toBeGreaterThan(before);
  rig.runner.abandon('over');
});

test('an abort ends an iterator that is not a generator at once, while it is asked', async () => {
  const asked = defer();
  let ends = 0;
  let hears = false;
  const rig = createRig({
    items: (_input, { signal }) => ({
      [Symbol.asyncIterator]: () => ({
        async next() {
          await asked.promise;
          return { done: true, value: undefined };
        },
        async return() {
          ends += 1;
          hears = signal.aborted;
          asked.resolve();
          return { done: true, value: undefined };
        },
      }),
    }),
  });
  rig.run({ seq: 1, task: 'items', credit: 1 });
  await settle();
  rig.runner.accept([{ kind: 'abort', seq: 1, reason: 'left' }]);
  await settle();
  expect([ends, hears]).toEqual([1, true]);
  expect(rig.told.at(-1)).toEqual({ kind: 'done', seq: 1, value: undefined, runMs: 0 });
});

test('an iterator without return() ends by an abort too', async () => {
  const rig = createRig({
    items: () => ({
      [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: 1 }) }),
    }),
  });
  rig.run({ seq: 1, task: 'items', credit: 1 });
  await settle();
  rig.runner.accept([{ kind: 'abort', seq: 1, reason: 'left' }]);
  await settle();
  expect(rig.log).toEqual(['claimed 1', 'item 1', 'done 1']);
});

test('a stream that is aborted in the middle of its call never asks for an item', async () => {
  let asked = 0;
  const rig = createRig({
    items() {
      rig.runner.accept([{ kind: 'abort', seq: 1, reason: 'left' }]);
      return (async function* () {
        asked += 1;
        yield 1;
      })();
    },
  });
  rig.run({ seq: 1, task: 'items', credit: 4 });
  await settle();
  expect(asked).toBe(0);
  expect(rig.told.at(-1)).toEqual({ kind: 'done', seq: 1, value: undefined, runMs: 0 });
});

test('an error of a result that was no stream is dropped: the call has its own', async () => {
  const rig = createRig({ other: async () => Promise.reject(new Error('late')) });
  rig.run({ seq: 1, task: 'other', credit: 4 });
  await settle();
  expect(rig.told).toHaveLength(1);
  expect(rig.told[0]).toMatchObject({ kind: 'failed', seq: 1 });
  expect(rig.told[0]).toHaveProperty(
    'error.message',
    'Cannot stream task `other`: it gives one result, no items; use `run`',
  );
});

test('a stream reports when it waits for its caller, and when it goes on or ends', async () => {
  const rig = createRig({
    async *items(count: number) {
      for (let item = 1; item <= count; item += 1) yield item;
    },
  });
  rig.run(
    { seq: 1, task: 'items', input: 3, credit: 2 },
    { seq: 2, task: 'items', input: 3, credit: 9 },
  );
  await settle();
  expect(rig.stalls).toEqual([[1, true]]);
  rig.runner.accept([{ kind: 'credit', seq: 1, items: 1 }]);
  await settle();
  expect(rig.stalls).toEqual([
    [1, true],
    [1, false],
    [1, true],
  ]);
  rig.runner.accept([{ kind: 'abort', seq: 1, reason: 'left' }]);
  await settle();
  expect(rig.stalls.slice(3)).toEqual([[1, false]]);
  expect(rig.told.filter(({ kind }) => kind === 'done')).toHaveLength(2);
  // Nothing is said of one that was abandoned.
  rig.run({ seq: 3, task: 'items', input: 3, credit: 1 });
  await settle();
  rig.runner.abandon('gone');
  await settle();
  expect(rig.stalls.slice(4)).toEqual([[3, true]]);
});
