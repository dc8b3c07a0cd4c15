import { createSearch } from '@ticketing/core';
import { expect, test, vi } from 'vitest';
import { carrier, heldCarrier, NOW, query, train } from './trains.ts';

const now = () => NOW;
const journey = train({ number: '1' });
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

test('10,000 searches leave no listener on a long-lived signal', async () => {
  const search = createSearch({ carriers: [carrier('a', async () => [journey])], now });
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, 'addEventListener');
  const removed = vi.spyOn(signal, 'removeEventListener');
  for (let round = 0; round < 10_000; round++) await search.search(query, { signal });
  expect(added).toHaveBeenCalledTimes(10_000);
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
