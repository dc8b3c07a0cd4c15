import { AsyncLocalStorage } from 'node:async_hooks';
import { type ChannelListener, channel, tracingChannel } from 'node:diagnostics_channel';
import { createSearch } from '@ticketing/core';
import { useFakeClock } from '@ticketing/test-kit/fake-clock';
import { expect, onTestFinished, test, vi } from 'vitest';
import { carrier, heldCarrier, NOW, query, renfe } from './trains.ts';

useFakeClock(NOW);

const EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const;

interface Seen {
  readonly event: string;
  readonly message: Record<string, unknown>;
}

/** Notes what the tracing channels of core publish until the test ends. */
function listen(): Seen[] {
  const seen: Seen[] = [];
  for (const name of ['search', 'carrier']) {
    for (const event of EVENTS) {
      const listener: ChannelListener = (message) => {
        seen.push({ event: `${name}:${event}`, message: message as Seen['message'] });
      };
      const published = channel(`tracing:ticketing:core:${name}:${event}`);
      published.subscribe(listener);
      onTestFinished(() => void published.unsubscribe(listener));
    }
  }
  return seen;
}

test('a search and each of its carriers are traced, with one message each', async () => {
  const seen = listen();
  const failing = carrier('failing', () => Promise.reject(new Error('broken')));
  const search = createSearch({ carriers: [renfe, failing], deadlineMs: 900 });
  const result = await search.search(query);
  expect(seen.map(({ event, message }) => `${event} ${message['carrier'] ?? ''}`.trim())).toEqual([
    'search:start',
    'carrier:start renfe',
    'carrier:end renfe',
    'carrier:start failing',
    'carrier:end failing',
    'search:end',
    'carrier:asyncStart renfe',
    'carrier:asyncEnd renfe',
    'carrier:asyncStart failing',
    'carrier:asyncEnd failing',
    'search:asyncStart',
    'search:asyncEnd',
  ]);
  const { query: asked, carriers, complete, ms } = result;
  const searchId = expect.stringMatching(/^[\da-f-]{36}$/);
  const of = (event: string) => seen.filter((each) => each.event === event).map((e) => e.message);
  expect(of('search:asyncEnd')).toEqual([
    {
      searchId,
      query: asked,
      deadlineMs: 900,
      ended: { query: asked, carriers, complete, ms, aborted: false },
    },
  ]);
  expect(of('search:asyncEnd')[0]).toBe(of('search:start')[0]);
  expect(of('carrier:asyncEnd')).toEqual(
    carriers.map((status) => ({
      searchId: of('search:start')[0]?.['searchId'],
      query: asked,
      deadlineMs: 900,
      carrier: status.carrier,
      status,
    })),
  );
});

test('carriers run inside the stores that subscribers bind, and their caller does not', async () => {
  const store = new AsyncLocalStorage<string>();
  const { start: searchStart } = tracingChannel('ticketing:core:search');
  const { start: carrierStart } = tracingChannel('ticketing:core:carrier');
  searchStart.bindStore(store, () => `${store.getStore()} > search`);
  carrierStart.bindStore(store, (message) => {
    return `${store.getStore()} > ${(message as { carrier: string }).carrier}`;
  });
  onTestFinished(() => {
    searchStart.unbindStore(store);
    carrierStart.unbindStore(store);
  });
  const seen: unknown[] = [];
  const noting = (id: string) =>
    carrier(id, async () => {
      seen.push(store.getStore());
      await Promise.resolve();
      seen.push(store.getStore());
      return [];
    });
  const search = createSearch({ carriers: [noting('a'), noting('b')] });
  await store.run('request', async () => {
    await search.search(query);
    expect(store.getStore()).toBe('request');
  });
  expect(seen.sort()).toEqual([
    'request > search > a',
    'request > search > a',
    'request > search > b',
    'request > search > b',
  ]);
});

test('a search that its caller leaves ends as aborted, its carriers as cancelled', async () => {
  const seen = listen();
  const search = createSearch({ carriers: [heldCarrier('held').carrier] });
  const controller = new AbortController();
  const left = search.search(query, { signal: controller.signal });
  controller.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  const ends = seen.filter(({ event }) => event.endsWith(':asyncEnd'));
  expect(ends.map(({ event }) => event)).toEqual(['carrier:asyncEnd', 'search:asyncEnd']);
  expect(ends[0]?.message).toMatchObject({ status: { state: 'cancelled' } });
  expect(ends[1]?.message).toMatchObject({ ended: { aborted: true, complete: false } });
});

test('a query that is refused is not traced', async () => {
  const seen = listen();
  const search = createSearch({ carriers: [renfe] });
  await expect(search.search({ ...query, passengers: 0 })).rejects.toThrow('passengers');
  expect(seen).toEqual([]);
});

test('stats() counts how long each carrier took, by state and bucket', async () => {
  const [quick, hung] = [heldCarrier('quick'), heldCarrier('hung')];
  const search = createSearch({ carriers: [quick.carrier, hung.carrier], deadlineMs: 250 });
  expect(search.stats().latency).toEqual({ quick: {}, hung: {} });
  const pending = search.search(query);
  await vi.advanceTimersByTimeAsync(30);
  quick.answer([]);
  await vi.advanceTimersByTimeAsync(220);
  await pending;
  const { latency } = search.stats();
  expect(latency['quick']?.empty).toMatchObject({ sumMs: 30 });
  expect(latency['quick']?.empty?.counts).toEqual([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect(latency['hung']?.timeout).toMatchObject({ sumMs: 250 });
  expect(latency['hung']?.timeout?.counts[6]).toBe(1);
  expect(latency['hung']?.timeout?.leMs).toHaveLength(14);
});
