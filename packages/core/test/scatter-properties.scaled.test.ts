import { getEventListeners } from 'node:events';
import { createScatter, type ScatterEvent, type SourceContext } from '@ticketing/core';
import { useFakeClock } from '@ticketing/test-kit/fake-clock';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { runs } from './scale.ts';
import { NOW } from './trains.ts';

const DEADLINE_MS = 100;
const ids = ['a', 'b', 'c', '__proto__'] as const;

/** How a source behaves: when it settles, in which way, and whether it heeds its signal. */
const fates = fc.record({
  afterMs: fc.integer({ min: 0, max: 150 }),
  value: fc.anything(),
  throws: fc.boolean(),
  isSync: fc.boolean(),
  heedsSignal: fc.boolean(),
});
type Fate = typeof fates extends fc.Arbitrary<infer T> ? T : never;

function behave({ afterMs, value, throws, isSync, heedsSignal }: Fate) {
  return (_query: unknown, { signal }: SourceContext): unknown => {
    if (isSync && throws) throw value;
    if (isSync) return { value };
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => (throws ? reject(value) : resolve({ value })), afterMs);
      if (!heedsSignal) return;
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    });
  };
}

useFakeClock(NOW);

async function read<Q, A>(events: AsyncIterable<ScatterEvent<Q, A>>) {
  const seen: ScatterEvent<Q, A>[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

const some = fc.array(fates, { minLength: 1, maxLength: ids.length });
const sourcesOf = (all: readonly Fate[]) =>
  all.map((fate, index) => ({ id: ids[index] as string, run: behave(fate) }));

test('ask() never rejects for a source, whatever it does, and has one status of each', async () => {
  const property = fc.asyncProperty(some, async (all) => {
    const scatter = createScatter({ deadlineMs: DEADLINE_MS, sources: sourcesOf(all) });
    const { signal } = new AbortController();
    const asked = scatter.ask('q', { signal });
    const reading = read(scatter.stream('q', { signal }));
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    const [result, events] = await Promise.all([asked, reading]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);

    const { sources, answers, complete } = result;
    expect(sources.map(({ source }) => source)).toEqual(ids.slice(0, all.length));
    for (const [index, { state, error, ms }] of sources.entries()) {
      const { afterMs, isSync, throws } = all[index] as Fate;
      const isLate = !isSync && afterMs >= DEADLINE_MS;
      expect(ms).toBe(isSync ? 0 : Math.min(afterMs, DEADLINE_MS));
      expect(state === 'ok').toBe(!isLate && !throws);
      if (isLate) expect(state).toBe('timeout');
      expect(error === undefined).toBe(state === 'ok');
      if (error !== undefined) expect(typeof error.code).toBe('string');
    }
    expect(complete).toBe(sources.every(({ state }) => state === 'ok' || state === 'empty'));
    const answered = sources.filter(({ state }) => state === 'ok').map(({ source }) => source);
    expect(Object.keys(answers)).toEqual(answered);

    // The stream adds up to the result.
    const statuses = events.flatMap((e) => (e.type === 'source-status' ? [e.status] : []));
    const bySource = new Map(statuses.map((status) => [status.source, status]));
    expect(statuses).toHaveLength(all.length);
    expect(sources.map(({ source }) => bySource.get(source))).toEqual(sources);
    const streamed = new Map(
      events.flatMap((e) => (e.type === 'source-answer' ? [[e.source, e.answer] as const] : [])),
    );
    expect(streamed).toEqual(new Map(answered.map((id) => [id, Reflect.get(answers, id)])));
    expect(events[0]).toMatchObject({ type: 'scatter-started' });
    const { ms } = result;
    expect(events.at(-1)).toEqual({ type: 'scatter-done', sources, complete, ms });

    // What is late changes nothing.
    const states = sources.map(({ state }) => state);
    const before = scatter.stats();
    await vi.advanceTimersByTimeAsync(200);
    expect(result.sources.map(({ state }) => state)).toEqual(states);
    expect({ ...scatter.stats(), inFlight: {} }).toEqual({ ...before, inFlight: {} });
    expect(new Set(Object.values(scatter.stats().inFlight))).toEqual(new Set([0]));
    await scatter.close();
  });
  await fc.assert(property, { numRuns: runs(1000) });
});

test('ask() and stream() reject with the reason of the abort alone, whenever it comes', async () => {
  const property = fc.asyncProperty(some, fc.integer({ min: 0, max: 99 }), async (all, atMs) => {
    // One source that hangs keeps the call open until the abort.
    const hung = { id: 'hung', run: (): Promise<never> => new Promise(() => {}) };
    const scatter = createScatter({
      deadlineMs: DEADLINE_MS,
      sources: [...sourcesOf(all), hung],
    });
    const caller = new AbortController();
    const asked = scatter.ask('q', { signal: caller.signal });
    const reading = read(scatter.stream('q', { signal: caller.signal }));
    const both = Promise.allSettled([asked, reading]);
    await vi.advanceTimersByTimeAsync(atMs);
    caller.abort('left');
    expect(await both).toEqual([
      { status: 'rejected', reason: 'left' },
      { status: 'rejected', reason: 'left' },
    ]);
    const { running, aborted, sources } = scatter.stats();
    expect({ running, aborted }).toEqual({ running: 0, aborted: 2 });
    for (const ends of Object.values(sources)) {
      expect(Object.values(ends).reduce((sum, count) => sum + count, 0)).toBe(2);
    }
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
  });
  await fc.assert(property, { numRuns: runs(500) });
});

test('thousands of calls leave no timer', async () => {
  const count = runs(10_000);
  const scatter = createScatter({
    deadlineMs: DEADLINE_MS,
    sources: { quick: () => 1, broken: () => Promise.reject(new Error('no')) },
  });
  for (let round = 0; round < count; round++) await scatter.ask();
  expect(vi.getTimerCount()).toBe(0);
  expect(scatter.stats()).toMatchObject({ running: 0, partial: count });
});
