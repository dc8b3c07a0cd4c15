import { getEventListeners } from 'node:events';
import { createSearch } from '@ticketing/core';
import { expect, test, vi } from 'vitest';
import { runs } from './scale.ts';
import { carrier, heldCarrier, NOW, query, train } from './trains.ts';

const now = () => NOW;
const journey = train({ number: '1' });
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

test('thousands of searches leave no listener on a long-lived signal', async () => {
  const search = createSearch({ carriers: [carrier('a', async () => [journey])], now });
  const count = runs(10_000);
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, 'addEventListener');
  const removed = vi.spyOn(signal, 'removeEventListener');
  for (let round = 0; round < count; round++) await search.search(query, { signal });
  expect(added).toHaveBeenCalledTimes(count);
  expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
    added.mock.calls.map(([, listener]) => listener),
  );
});

test('1,000 searches leave no timer, however they end', async () => {
  const before = timers();
  const answering = createSearch({ carriers: [carrier('a', async () => [journey])], now });
  const failing = createSearch({ carriers: [carrier('a', () => Promise.reject('no'))], now });
  const held = heldCarrier('held');
  const hanging = createSearch({ carriers: [held.carrier], deadlineMs: 600_000, now });
  for (let round = 0; round < 250; round++) {
    const caller = new AbortController();
    const aborted = hanging.search(query, { signal: caller.signal });
    const stream = hanging.stream(query);
    await stream.next();
    expect(timers()).toBeGreaterThan(before);
    caller.abort('left');
    await expect(aborted).rejects.toBe('left');
    await stream.return?.();
    await answering.search(query);
    await failing.search(query);
  }
  expect(timers()).toBe(before);
  expect(held.signals.every(({ aborted }) => aborted)).toBe(true);
  const settled = [answering, failing, hanging].map((search) => search.stats());
  expect(settled).toMatchObject([
    { running: 0, complete: 250 },
    { running: 0, partial: 250 },
    { running: 0, aborted: 500 },
  ]);
  await Promise.all([answering.close(), failing.close(), hanging.close()]);
});

test('searches that share a signal share one listener, which goes with the last of them', async () => {
  const held = heldCarrier('held');
  const search = createSearch({ carriers: [held.carrier], deadlineMs: 600_000, now });
  const answering = createSearch({ carriers: [carrier('a', async () => [journey])], now });
  const caller = new AbortController();
  const { signal } = caller;
  const listeners = () => getEventListeners(signal, 'abort').length;
  const asked = Array.from({ length: 100 }, () => search.search(query, { signal }));
  const streams = Array.from({ length: 100 }, () => search.stream(query, { signal }));
  expect(listeners()).toBe(1);
  await Promise.all(streams.map((stream) => stream.return?.()));
  expect(listeners()).toBe(1);
  caller.abort('left');
  expect(await Promise.allSettled(asked)).toEqual(
    asked.map(() => ({ status: 'rejected', reason: 'left' })),
  );
  expect(listeners()).toBe(0);
  expect(search.stats()).toMatchObject({ running: 0, aborted: 200 });

  const other = new AbortController().signal;
  await Promise.all(Array.from({ length: 100 }, () => answering.search(query, { signal: other })));
  expect(getEventListeners(other, 'abort')).toEqual([]);
});

test('a search of many carriers may give each of them its signal without a warning', async () => {
  const warnings: unknown[] = [];
  const note = (warning: Error): unknown => warnings.push(warning);
  process.on('warning', note);
  const listening = Array.from({ length: 30 }, (_, index) => ({
    ...carrier(`c${index}`, async () => []),
    request: async (_query: unknown, { signal }: { signal: AbortSignal }) =>
      signal.addEventListener('abort', () => {}),
  }));
  await createSearch({ carriers: listening, now }).search(query);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
