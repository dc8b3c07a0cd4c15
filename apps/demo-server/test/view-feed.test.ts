import { BatchingError } from '@ticketing/batching';
import { DispatchError } from '@ticketing/dispatch';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createViewFeed } from '../src/operator/view-feed.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const refuse = (error: unknown): never => {
  throw error;
};

/** Source of a view a second, whose time is its number. */
function numbered() {
  let last = 0;
  let isDraining = false;
  let asked = 0;
  const views = {
    async next(after: number) {
      asked += 1;
      if (last > Math.max(0, after)) return { at: last };
      await new Promise((resolve) => setTimeout(resolve, 1000));
      last += 1;
      return { at: last };
    },
    history: async () => ({ at: [last], lines: {} }),
  };
  const feed = createViewFeed(views, { isDraining: () => isDraining, onFault: refuse });
  return {
    feed,
    asked: () => asked,
    last: () => last,
    drain() {
      isDraining = true;
    },
  };
}

const given = (at: number) => ({ done: false, value: `event: view\ndata: {"at":${at}}\n\n` });
const all = <T>(viewers: readonly AsyncIterator<T>[]) =>
  Promise.all(viewers.map((viewer) => viewer.next()));

test('without viewers nothing is asked; all viewers share one question a second, and one for the history', async () => {
  const { feed, asked } = numbered();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked()).toBe(0);
  const viewers = [feed.follow(), feed.follow(), feed.follow()];
  const first = 'retry: 1000\nevent: history\ndata: {"at":[0],"lines":{}}\n\n';
  expect(await all(viewers)).toEqual(viewers.map(() => ({ done: false, value: first })));
  const views = all(viewers);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await views).toEqual(viewers.map(() => given(1)));
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked()).toBeGreaterThanOrEqual(5);
  expect(asked()).toBeLessThanOrEqual(7);
  for (const viewer of viewers) await viewer.return?.();
  const before = asked();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked()).toBe(before);
  expect(vi.getTimerCount()).toBe(0);
});

test('a viewer that comes later gets the latest view at once; one that is slow skips views', async () => {
  const { feed, last } = numbered();
  const slow = feed.follow();
  await slow.next();
  await vi.advanceTimersByTimeAsync(7500);
  expect(await slow.next()).toEqual(given(last()));
  const before = last();
  expect(before).toBeGreaterThan(5);
  const late = feed.follow();
  await late.next();
  expect(await late.next()).toEqual(given(before));
  // Neither is given the same view again.
  const again = all([slow, late]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(await again).toEqual([1, 2].map(() => given(before + 1)));
});

test('the feed ends for each viewer when the server drains, and takes none after that', async () => {
  const { feed, drain } = numbered();
  const viewers = [feed.follow(), feed.follow()];
  await all(viewers);
  const ends = all(viewers);
  drain();
  await vi.advanceTimersByTimeAsync(200);
  expect(await ends).toEqual(viewers.map(() => ({ done: true, value: undefined })));
  expect(await feed.follow().next()).toEqual({ done: true, value: undefined });
});

const of = (name: string) => ({ data: { name } });

test.each([
  ['a primary that did not answer', new DispatchError('ERR_TIMEOUT', 'no answer', of('primary'))],
  ['a primary that is closing', new BatchingError('ERR_CLOSED', 'closed', of('overview'))],
  [
    'the same, as it crosses to another process',
    crossed(new BatchingError('ERR_CLOSED', 'closed', of('overview'))),
  ],
])('a question that fails for %s is followed by another', async (_, failure) => {
  let asked = 0;
  const views = {
    async next() {
      asked += 1;
      if (asked < 3) throw failure;
      return { at: asked };
    },
    history: () => Promise.reject(failure),
  };
  const viewer = createViewFeed(views, { isDraining: () => false, onFault: refuse }).follow();
  // Without a history the stream begins all the same.
  expect(await viewer.next()).toEqual({ done: false, value: 'retry: 1000\n\n' });
  const first = viewer.next();
  await vi.advanceTimersByTimeAsync(3000);
  expect(await first).toEqual(given(3));
  await viewer.return?.();
});

test.each<[string, () => unknown]>([
  ['throws', () => refuse(new TypeError('cannot read properties of undefined'))],
  ['cannot be written', () => ({ at: 1n })],
])('a view that %s is reported as a fault, and viewers get the next', async (_, make) => {
  const faults: unknown[] = [];
  let asked = 0;
  const views = {
    async next() {
      asked += 1;
      return asked < 3 ? (make() as never) : { at: asked };
    },
    history: async () => 0,
  };
  const options = { isDraining: () => false, onFault: (error: unknown) => faults.push(error) };
  const viewer = createViewFeed(views, options).follow();
  await viewer.next();
  const first = viewer.next();
  await vi.advanceTimersByTimeAsync(3000);
  expect(await first).toEqual(given(3));
  expect(faults.map((fault) => fault instanceof TypeError)).toEqual([true, true]);
  await viewer.return?.();
  expect(vi.getTimerCount()).toBe(0);
});

/** As an error of another process arrives. */
function crossed({ name, message, code, data }: BatchingError): Error {
  return Object.assign(new Error(message), { name, code, data });
}
