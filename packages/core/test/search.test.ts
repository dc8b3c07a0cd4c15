import diagnostics from 'node:diagnostics_channel';
import { type CarrierContext, CarrierError, createSearch } from '@ticketing/core';
import { useFakeClock } from '@ticketing/test-kit/fake-clock';
import { expect, test, vi } from 'vitest';
import { carrier, heldCarrier, NOW, offer, query, renfe, train } from './trains.ts';

const ouigo = carrier('ouigo', async () => [
  train({
    source: 'ouigo',
    number: '6001',
    at: '2026-12-01T07:00',
    offers: [offer('ouigo', 1900)],
  }),
]);
const silent = carrier('silent', async () => []);
const hung = carrier('hung', () => new Promise(() => {}));

const journey = train({ number: '1', offers: [offer('a', 1)] });

useFakeClock(NOW);

const numbers = (journeys: readonly { legs: readonly object[] }[]) =>
  journeys.map(({ legs: [leg] }) => (leg as { number?: string }).number);

test('search() merges and sorts the answers of all carriers', async () => {
  const search = createSearch({ carriers: [renfe, ouigo, silent] });
  const result = await search.search(query);
  expect(result).toMatchObject({ query: { ...query, passengers: [{}] }, complete: true, ms: 0 });
  expect(numbers(result.journeys)).toEqual(['3059', '6001', '3063']);
  expect(result.carriers).toEqual([
    { carrier: 'renfe', state: 'ok', ms: 0, found: 2 },
    { carrier: 'ouigo', state: 'ok', ms: 0, found: 1 },
    { carrier: 'silent', state: 'empty', ms: 0, found: 0 },
  ]);
  expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  expect(structuredClone(result)).toEqual(result);
});

test('search() and stream() ask only the carriers that a call names, in the order of the search', async () => {
  const search = createSearch({ carriers: [renfe, ouigo, silent] });
  const result = await search.search(query, { carriers: ['silent', 'renfe', 'renfe'] });
  expect(result.carriers.map(({ carrier: id }) => id)).toEqual(['renfe', 'silent']);
  expect(numbers(result.journeys)).toEqual(['3059', '3063']);
  const events = [];
  for await (const event of search.stream(query, { carriers: ['ouigo'] })) events.push(event);
  expect(events[0]).toMatchObject({ carriers: [{ carrier: 'ouigo', state: 'running' }] });
  expect(events.at(-1)).toMatchObject({ carriers: [{ carrier: 'ouigo' }], complete: true });
  expect(search.stats().carriers).toMatchObject({ ouigo: { ok: 1 }, renfe: { ok: 1 } });
});

test('search() resolves at the deadline, and not before, when a carrier hangs', async () => {
  const ended = vi.fn();
  const pending = createSearch({ carriers: [renfe, hung], deadlineMs: 250 }).search(query);
  void pending.then(ended);
  await vi.advanceTimersByTimeAsync(249);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toHaveBeenCalled();
  const result = await pending;
  expect(result).toMatchObject({ complete: false, ms: 250 });
  expect(result.journeys).toHaveLength(2);
  expect(result.carriers[1]).toEqual({
    carrier: 'hung',
    state: 'timeout',
    ms: 250,
    found: 0,
    error: { code: 'TIMEOUT', retryable: true, message: 'No answer within `deadlineMs` (250 ms)' },
  });
});

test('search() resolves without journeys when all carriers hang, and aborts them', async () => {
  const [one, two] = [heldCarrier('one'), heldCarrier('two')];
  const pending = createSearch({ carriers: [one.carrier, two.carrier] }).search(query);
  await vi.advanceTimersByTimeAsync(2000);
  const result = await pending;
  expect(result).toMatchObject({ journeys: [], complete: false });
  expect(result.carriers.map(({ state }) => state)).toEqual(['timeout', 'timeout']);
  for (const { signals } of [one, two]) {
    expect(signals[0]?.aborted).toBe(true);
    expect(signals[0]?.reason).toMatchObject({ code: 'TIMEOUT' });
  }
});

test('search() ignores what comes after the deadline', async () => {
  const [late, later] = [heldCarrier('late'), heldCarrier('later')];
  const search = createSearch({ carriers: [late.carrier, later.carrier] });
  const pending = search.search(query);
  await vi.advanceTimersByTimeAsync(2000);
  const result = await pending;
  const before = structuredClone(result);
  late.answer([journey]);
  later.fail(new Error('too late'));
  await vi.advanceTimersByTimeAsync(1);
  expect(result).toEqual(before);
  expect(search.stats().carriers['late']).toMatchObject({ ok: 0, timeout: 1 });
});

test('search() gives each carrier the deadline as an instant and one signal', async () => {
  const contexts: CarrierContext[] = [];
  const spy = (id: string) =>
    carrier(id, async (_query, context) => {
      contexts.push(context);
      return [];
    });
  await createSearch({ carriers: [spy('a'), spy('b')], deadlineMs: 700 }).search(query);
  expect(contexts.map(({ deadline }) => deadline)).toEqual([NOW + 700, NOW + 700]);
  expect(contexts[0]?.signal).toBe(contexts[1]?.signal);
  await expect(contexts[0]?.http.send({} as never)).rejects.toThrow(
    'Cannot send request of `a`: option `http` of createSearch is not set',
  );
});

test('search() rejects at once when it is aborted, and aborts the carriers', async () => {
  const held = heldCarrier('held');
  const search = createSearch({ carriers: [renfe, held.carrier] });
  const caller = new AbortController();
  const pending = search.search(query, { signal: caller.signal });
  const reason = new Error('the user left');
  caller.abort(reason);
  await expect(pending).rejects.toBe(reason);
  expect(held.signals[0]).toMatchObject({ aborted: true, reason });
  expect(search.stats()).toMatchObject({ running: 0, aborted: 1 });
  held.answer([journey]);
});

test('search() rejects without asking anyone when its signal is aborted already', async () => {
  const held = heldCarrier('held');
  const search = createSearch({ carriers: [held.carrier] });
  const reason = { any: 'value' };
  await expect(search.search(query, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(held.signals).toEqual([]);
  expect(search.stats()).toMatchObject({ running: 0, aborted: 0 });
});

test('search() rejects when a carrier aborts it in its first step', async () => {
  const caller = new AbortController();
  const rude = carrier('rude', () => {
    caller.abort('rude');
    return new Promise(() => {});
  });
  const search = createSearch({ carriers: [rude, hung] });
  await expect(search.search(query, { signal: caller.signal })).rejects.toBe('rude');

  expect(search.stats()).toMatchObject({ running: 0, aborted: 1 });
});

test('search() takes run as the way to a carrier', async () => {
  const seen: unknown[] = [];
  const search = createSearch({
    carriers: [renfe, ouigo],
    run: async (each, resolved, { deadline }) => {
      seen.push([each.id, resolved.passengers.length, deadline]);
      return { journeys: [train({ source: each.id, number: '1' })] };
    },
  });
  const { journeys } = await search.search(query);
  expect(seen).toEqual([
    ['renfe', 1, NOW + 2000],
    ['ouigo', 1, NOW + 2000],
  ]);
  expect(journeys.map(({ sources }) => sources)).toEqual([['ouigo', 'renfe']]);
});

test('search() prefers deadline and order of the call to the options of the search', async () => {
  const search = createSearch({ carriers: [renfe, hung], deadlineMs: 5000, order: 'price' });
  const pending = search.search(query, { deadlineMs: 10, order: 'departure' });
  await vi.advanceTimersByTimeAsync(10);
  expect(numbers((await pending).journeys)).toEqual(['3059', '3063']);
  const byDefault = search.search(query);
  await vi.advanceTimersByTimeAsync(5000);
  expect(numbers((await byDefault).journeys)).toEqual(['3063', '3059']);
});

test('close() waits for the searches in flight, and refuses new ones', async () => {
  const held = heldCarrier('held');
  const search = createSearch({ carriers: [held.carrier] });
  const pending = search.search(query);
  const order: string[] = [];
  void pending.then(() => order.push('searched'));
  const closing = Promise.all([search.close(), search.close()]).then(() => order.push('closed'));
  const refused = {
    code: 'ERR_CLOSED',
    message: 'Cannot search: the search is closed',
  };
  await expect(search.search(query)).rejects.toMatchObject(refused);
  expect(() => search.stream(query)).toThrow(expect.objectContaining(refused));
  expect(search.stats()).toMatchObject({ state: 'closed', running: 1 });
  held.answer([journey]);
  await closing;
  expect(order).toEqual(['searched', 'closed']);
  expect((await pending).journeys).toHaveLength(1);
  await search.close();
  await search[Symbol.asyncDispose]();
});

test('stats() adds up', async () => {
  const failing = carrier('failing', () => Promise.reject(new CarrierError('NETWORK', 'reset')));
  const search = createSearch({ carriers: [renfe, failing], deadlineMs: 100 });
  const healthy = createSearch({ carriers: [silent] });
  await search.search(query);
  const caller = new AbortController();
  const aborted = search.search(query, { signal: caller.signal });
  caller.abort();
  await expect(aborted).rejects.toThrow('aborted');
  await healthy.search(query);
  const none = {
    ok: 0,
    empty: 0,
    timeout: 0,
    error: 0,
    cancelled: 0,
    'rejected-busy': 0,
    'rate-limited': 0,
    'circuit-open': 0,
  };
  const ends = { state: 'open', running: 0, complete: 0, partial: 0, aborted: 0 };
  expect(search.stats()).toEqual({
    ...ends,
    partial: 1,
    aborted: 1,
    carriers: {
      renfe: { ...none, ok: 1, cancelled: 1 },
      failing: { ...none, error: 1, cancelled: 1 },
    },
    latency: {
      renfe: { ok: expect.anything(), cancelled: expect.anything() },
      failing: { error: expect.anything(), cancelled: expect.anything() },
    },
  });
  expect(healthy.stats()).toEqual({
    ...ends,
    complete: 1,
    carriers: { silent: { ...none, empty: 1 } },
    latency: { silent: { empty: expect.anything() } },
  });
});

test('search() publishes each settled carrier and the end on diagnostics channels', async () => {
  const messages: unknown[] = [];
  const listen = (message: unknown): void => {
    messages.push(message);
  };
  const channels = ['ticketing:core:carrier-settled', 'ticketing:core:search-done'];
  for (const name of channels) diagnostics.subscribe(name, listen);
  const {
    journeys: _journeys,
    places: _places,
    operators: _operators,
    pages: _pages,
    ...result
  } = await createSearch({ carriers: [renfe] }).search(query);
  const caller = new AbortController();
  const pending = createSearch({ carriers: [hung] }).search(query, { signal: caller.signal });
  caller.abort('gone');
  await expect(pending).rejects.toBe('gone');
  for (const name of channels) diagnostics.unsubscribe(name, listen);
  expect(messages).toMatchObject([
    { query: result.query, status: result.carriers[0] },
    { ...result, aborted: false },
    { status: { carrier: 'hung', state: 'cancelled', error: { code: 'ABORTED' } } },
    { carriers: [{ state: 'cancelled' }], complete: false, aborted: true },
  ]);
});

test('search() ends once when a subscriber aborts it from within', async () => {
  const caller = new AbortController();
  const done = vi.fn();
  const abort = (): void => caller.abort('within');
  diagnostics.subscribe('ticketing:core:carrier-settled', abort);
  diagnostics.subscribe('ticketing:core:search-done', done);
  const search = createSearch({ carriers: [renfe, hung] });
  await expect(search.search(query, { signal: caller.signal })).rejects.toBe('within');
  diagnostics.unsubscribe('ticketing:core:carrier-settled', abort);
  diagnostics.unsubscribe('ticketing:core:search-done', done);
  expect(done).toHaveBeenCalledTimes(1);
  expect(search.stats()).toMatchObject({ running: 0, aborted: 1 });
});
