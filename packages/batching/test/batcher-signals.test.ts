import { getEventListeners } from 'node:events';
import { type BatcherOptions, createBatcher } from '@ticketing/batching';
import { useFakeClock } from '@ticketing/test-kit/fake-clock';
import { expect, test, vi } from 'vitest';

useFakeClock();

/** A batcher whose batches are answered, or refused, by hand. */
function held(options: Partial<BatcherOptions<number, number>> = {}) {
  const batches: { keys: number[]; signal: AbortSignal }[] = [];
  const ends: { answer(): void; refuse(error: Error): void }[] = [];
  const batcher = createBatcher<number, number>(
    (keys, { signal }) => {
      batches.push({ keys: [...keys], signal });
      return new Promise((resolve, reject) => {
        ends.push({ answer: () => resolve(keys), refuse: reject });
      });
    },
    { name: 'stops', ...options },
  );
  return { batcher, batches, ends };
}

const sent = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

test('a caller that leaves rejects at once with its reason, the others go on', async () => {
  const { batcher, batches, ends } = held();
  const [first, second] = [new AbortController(), new AbortController()];
  const gone = batcher.load(1, { signal: first.signal });
  const stays = batcher.load(1, { signal: second.signal });
  const plain = batcher.load(2);
  await sent();
  first.abort('bored');
  await expect(gone).rejects.toBe('bored');
  ends[0]?.answer();
  expect(await Promise.all([stays, plain])).toEqual([1, 2]);
  expect(batches[0]?.signal.aborted).toBe(false);
  expect(getEventListeners(first.signal, 'abort')).toEqual([]);
  expect(getEventListeners(second.signal, 'abort')).toEqual([]);
  expect(batcher.stats()).toMatchObject({ left: 1, joined: 1, loaded: 2 });
});

test('a signal that has aborted already asks for nothing', async () => {
  const { batcher, batches } = held();
  const reason = new Error('late');
  await expect(batcher.load(1, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  await sent();
  expect(batches).toEqual([]);
  expect(batcher.stats()).toMatchObject({ asked: 1, left: 1, queued: 0 });
});

test('a key without callers leaves its batch before that is sent', async () => {
  const { batcher, batches, ends } = held({ maxBatchSize: 3 });
  const [first, second] = [new AbortController(), new AbortController()];
  const calls = Promise.allSettled([
    batcher.load(1, { signal: first.signal }),
    batcher.load(1, { signal: second.signal }),
    batcher.load(2, { signal: first.signal }),
    batcher.load(3),
    batcher.load(4, { signal: first.signal }),
  ]);
  expect(batcher.stats().queued).toBe(1);
  first.abort();
  second.abort();
  const again = batcher.load(5);
  await sent();
  for (const { answer } of ends) answer();
  expect((await calls).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
    'rejected',
    'fulfilled',
    'rejected',
  ]);
  expect(await again).toBe(5);
  expect(batches.map(({ keys }) => keys)).toEqual([[3, 1, 2], [5]]);
});

test('a batch of keys that all were left is not sent, and its timer ends', async () => {
  const { batcher, batches } = held({ maxWaitMs: 1000 });
  const controller = new AbortController();
  const calls = batcher.loadMany([1, 2, 3], { signal: controller.signal });
  expect(batcher.stats().queued).toBe(3);
  expect(vi.getTimerCount()).toBe(1);
  controller.abort('enough');
  expect(vi.getTimerCount()).toBe(0);
  expect(await calls).toEqual(Array(3).fill({ status: 'rejected', reason: 'enough' }));
  expect(batcher.stats()).toMatchObject({ queued: 0, left: 3, batches: 0 });
  expect(batches).toEqual([]);
});

test('a key left and asked for again goes once', async () => {
  const { batcher, batches, ends } = held();
  const controller = new AbortController();
  const gone = batcher.load(1, { signal: controller.signal });
  controller.abort('x');
  await expect(gone).rejects.toBe('x');
  const one = batcher.load(1);
  await sent();
  ends[0]?.answer();
  expect(await one).toBe(1);
  expect(batches.map(({ keys }) => keys)).toEqual([[1]]);
});

test('a caller without signal keeps a key that callers with one began', async () => {
  const { batcher, batches, ends } = held();
  const controller = new AbortController();
  const gone = batcher.load(1, { signal: controller.signal });
  const stays = batcher.load(1);
  controller.abort('x');
  await expect(gone).rejects.toBe('x');
  await sent();
  expect(batches.map(({ keys }) => keys)).toEqual([[1]]);
  ends[0]?.answer();
  expect(await stays).toBe(1);
});

test('a batch under way is aborted when its last caller leaves, whatever it does then', async () => {
  for (const end of ['answer', 'refuse'] as const) {
    const { batcher, batches, ends } = held();
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = Promise.allSettled([
      batcher.load(1, { signal: first.signal }),
      batcher.load(2, { signal: second.signal }),
    ]);
    await sent();
    first.abort();
    expect(batches[0]?.signal.aborted).toBe(false);
    second.abort();
    expect(batches[0]?.signal.reason).toMatchObject({
      code: 'ERR_ABORTED',
      message: 'Batch of `stops` was aborted: no caller is waiting',
    });
    await calls;
    ends[0]?.[end](new Error('aborted'));
    await sent();
    expect(batcher.stats()).toMatchObject({ left: 2, inFlight: 0 });
  }
});

test('callers with a signal learn of failures, too', async () => {
  const { batcher, ends } = held();
  const { signal } = new AbortController();
  const calls = batcher.loadMany([1, 2], { signal });
  await sent();
  ends[0]?.refuse(new Error('down'));
  const reason = new Error('down');
  expect(await calls).toEqual(Array(2).fill({ status: 'rejected', reason }));
  const perKey = createBatcher<number, number>(async () => [new Error('one'), 2], { name: 'b' });
  expect(await perKey.loadMany([1, 2], { signal })).toMatchObject([
    { reason: { message: 'one' } },
    { value: 2 },
  ]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('close() rejects callers with a signal, and takes their listeners away', async () => {
  const { batcher } = held();
  const { signal } = new AbortController();
  const call = batcher.load(1, { signal });
  await batcher.close();
  await expect(call).rejects.toMatchObject({ code: 'ERR_CLOSED' });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('with a cache, callers of one key in flight count together', async () => {
  const { batcher, batches, ends } = held({ cache: true });
  const [first, second] = [new AbortController(), new AbortController()];
  const began = batcher.load(1, { signal: first.signal });
  await sent();
  const joined = batcher.load(1, { signal: second.signal });
  first.abort('a');
  await expect(began).rejects.toBe('a');
  expect(batches[0]?.signal.aborted).toBe(false);
  second.abort('b');
  await expect(joined).rejects.toBe('b');
  expect(batches[0]?.signal.aborted).toBe(true);
  const anew = batcher.load(1);
  await sent();
  ends[0]?.refuse(new Error('aborted'));
  ends[1]?.answer();
  expect(await anew).toBe(1);
  expect(await batcher.load(1, { signal: new AbortController().signal })).toBe(1);
  expect(batches).toHaveLength(2);
});

test('with a cache, a caller without signal keeps a key in flight that was left', async () => {
  const { batcher, batches, ends } = held({ cache: true });
  const [first, second] = [new AbortController(), new AbortController()];
  const calls = Promise.allSettled([
    batcher.load(1, { signal: first.signal }),
    batcher.load(2, { signal: second.signal }),
  ]);
  await sent();
  first.abort();
  const stays = batcher.load(1);
  second.abort();
  expect(batches[0]?.signal.aborted).toBe(false);
  ends[0]?.answer();
  expect(await stays).toBe(1);
  await calls;
});

test('a key that is left before it goes is not kept', async () => {
  const { batcher, batches, ends } = held({ cache: true });
  const controller = new AbortController();
  const gone = batcher.load(1, { signal: controller.signal });
  controller.abort('x');
  await expect(gone).rejects.toBe('x');
  const one = batcher.load(1);
  await sent();
  ends[0]?.answer();
  expect(await one).toBe(1);
  expect(batches).toHaveLength(1);
});
