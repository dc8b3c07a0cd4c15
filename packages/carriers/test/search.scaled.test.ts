import { createSearch } from '@ticketing/core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runs } from './scale.ts';
import { now, queryOf, spanishIds, startUpstream, type Upstream } from './upstream.ts';

const others = spanishIds.filter((id) => id !== 'renfe').sort();
const none = spanishIds.map(() => 0);

function searchOf({ carriers, http }: Upstream, deadlineMs = 3000) {
  return createSearch({
    carriers: spanishIds.map((id) => carriers[id]),
    http: http.clientOf,
    deadlineMs,
    now,
  });
}

test('a search finds every train of the timetable once, with the offers of all its sellers', async () => {
  const upstream = await startUpstream();
  const { journeys, carriers, complete } = await searchOf(upstream).search(queryOf());
  const trains = upstream.sim.trains({
    origin: '7160000',
    destination: '7171801',
    date: '2026-12-01',
  });
  expect(complete).toBe(true);
  expect(carriers).toMatchObject(spanishIds.map((carrier) => ({ carrier, state: 'ok' })));
  expect(journeys.map(({ departure, offers }) => [departure.ms, offers.length]).sort()).toEqual(
    trains.map(({ departureMs, fares }) => [departureMs, fares.length]).sort(),
  );
  const shared = journeys.filter(({ sources }) => sources.length === 2);
  expect(shared.length).toBe(trains.filter(({ sellers }) => sellers.length === 2).length);
  expect(shared.length).toBeGreaterThan(0);
});

test('one carrier hangs: the others answer, and its request is aborted at the deadline', async () => {
  const upstream = await startUpstream();
  upstream.sim.setPlan('renfe', { fault: { kind: 'hang' } });
  const deadlineMs = 54_321;
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  const states: string[] = [];
  let found = 0;
  for await (const event of searchOf(upstream, deadlineMs).stream(queryOf())) {
    if (event.type === 'journeys-upsert') found += event.journeys.length;
    if (event.type === 'search-done') expect(event.complete).toBe(false);
    if (event.type !== 'carrier-status') continue;
    states.push(`${event.status.carrier} ${event.status.state} ${event.status.error?.code ?? ''}`);
    if (states.length < others.length) continue;
    // The deadline comes when the others have answered, however long that takes.
    const deadline = timers.mock.calls.find(([, ms]) => ms === deadlineMs);
    if (states.length === others.length) deadline?.[0]();
  }
  expect(states.slice(0, -1).sort()).toEqual(others.map((id) => `${id} ok `));
  expect(states.at(-1)).toBe('renfe timeout TIMEOUT');
  expect(found).toBeGreaterThan(10);
  await vi.waitFor(
    () => expect(upstream.sim.requests().renfe).toMatchObject({ aborted: 1, open: 0 }),
    60_000,
  );
});

test('the caller aborts in the middle: every upstream request is aborted', async () => {
  const upstream = await startUpstream();
  for (const id of spanishIds) upstream.sim.setPlan(id, { fault: { kind: 'hang' } });
  const controller = new AbortController();
  const search = searchOf(upstream);
  const asked = search.search(queryOf(), { signal: controller.signal });
  const open = () => spanishIds.map((id) => upstream.sim.requests()[id].open);
  await vi.waitFor(
    () => expect(open()).toEqual(spanishIds.map((id) => (id === 'avlo' ? 2 : 1))),
    60_000,
  );
  controller.abort(new Error('gone'));
  await expect(asked).rejects.toThrow('gone');
  await vi.waitFor(() => expect(open()).toEqual(none), 60_000);
  expect(search.stats()).toMatchObject({ running: 0, aborted: 1 });
});

test('a stream gives the fast carriers while one hangs, and leaving it aborts that one', async () => {
  const upstream = await startUpstream();
  upstream.sim.setPlan('renfe', { fault: { kind: 'hang' } });
  const settled: string[] = [];
  for await (const event of searchOf(upstream, 60_000).stream(queryOf())) {
    if (event.type === 'carrier-status') settled.push(event.status.carrier);
    if (settled.length === others.length) break;
  }
  expect(settled.sort()).toEqual(others);
  await vi.waitFor(
    () => expect(upstream.sim.requests().renfe).toMatchObject({ aborted: 1, open: 0 }),
    60_000,
  );
});

test('hundreds of searches leave no request, timer or growing number of sockets behind', async () => {
  const upstream = await startUpstream();
  const search = searchOf(upstream, 60_000);
  const resources = () =>
    process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  await search.search(queryOf());
  const before = resources();
  const batches = runs(50);
  for (let batch = 0; batch < batches; batch++) {
    await Promise.all(Array.from({ length: 20 }, () => search.search(queryOf())));
  }
  expect(search.stats()).toMatchObject({ running: 0, complete: 1 + 20 * batches, partial: 0 });
  expect(Object.values(upstream.http.stats()).map(({ inFlight }) => inFlight)).toEqual(none);
  expect(spanishIds.map((id) => upstream.sim.requests()[id].open)).toEqual(none);
  await vi.waitFor(() => expect(resources()).toBeLessThanOrEqual(before + 2), {
    timeout: 60_000,
  });
  // Nothing is judged by it: the full tests make 1,000 searches.
}, 600_000);
