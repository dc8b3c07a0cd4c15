import fc from 'fast-check';
import { expect, test } from 'vitest';
import { History, Sample } from '../src/figures/trend-schemas.ts';
import { createRates } from '../src/trends/rates.ts';
import { addSample, emptyHistory, historyOf, sampleOf, withSample } from '../src/trends/sample.ts';
import { ratesOf } from '../src/trends/view-rates.ts';
import { schemaErrors } from './schema-errors.ts';
import { someProcess, someView, viewsOf } from './story-views.ts';

const sampled = fc.record({
  gapMs: fc.integer({ min: -2000, max: 70_000 }),
  lines: fc.dictionary(fc.constantFrom('answered', 'p99', 'loop server-0'), fc.integer()),
});

test('a history is the samples of two minutes, at most 120, in order, each once; added one by one or all at once', () => {
  fc.assert(
    fc.property(fc.array(sampled, { maxLength: 200 }), (steps) => {
      let at = 1e6;
      let samples: readonly Sample[] = [];
      let history: History = emptyHistory;
      for (const { gapMs, lines } of steps) {
        at += gapMs;
        samples = withSample(samples, { at, lines });
        // A reconnect gives what there is again.
        history = addSample(addSample(history, { at, lines }), { at, lines });
      }
      expect(historyOf(samples)).toEqual(history);
      expect(schemaErrors(History, history)).toEqual([]);
      expect(history.at).toEqual([...new Set(history.at)].toSorted((one, other) => one - other));
      expect(history.at.length).toBeLessThanOrEqual(120);
      const [first = 0, last = 0] = [history.at[0], history.at.at(-1)];
      expect(last - first).toBeLessThan(120_000);
      for (const column of Object.values(history.lines)) {
        expect(column.length).toBe(history.at.length);
        expect(column.some((value) => value !== null)).toBe(true);
      }
    }),
  );
});

test('a sample a second fills two minutes', () => {
  let samples: readonly Sample[] = [];
  for (let at = 1; at <= 300; at += 1) samples = withSample(samples, { at: at * 1000, lines: {} });
  expect([samples.length, samples[0]?.at, samples.at(-1)?.at]).toEqual([120, 181_000, 300_000]);
});

test('a sample has what the charts show, of the same rates that the view has', () => {
  const rates = createRates();
  const views = [...viewsOf([{ others: { ok: 10 } }, { others: { ok: 20, ms: 150, open: 3 } }])];
  for (const view of views) rates.add(view);
  const view = views.at(-1) ?? someView(0);
  const sample = sampleOf(view, rates);
  expect(schemaErrors(Sample, sample)).toEqual([]);
  expect(sample.at).toBe(view.at);
  const read = ratesOf({ rates: rates.all() });
  expect(read.perSecond('calls renfe')).toBe(15);
  expect(sample.lines).toMatchObject({
    ...{ 'in-flight': 0, running: 0, queued: 0, open: 1, 'busy server-0': 0.1 },
    'carrier renfe': read.quantile('carrier renfe', 0.99),
  });
  expect(read.quantile('carrier renfe', 0.99)).toBeGreaterThan(150);
  expect(read.quantile('carrier renfe', 0.99)).toBe(rates.quantile('carrier renfe', 0.99));
  expect([read.recent('calls renfe'), read.perSecond('nothing')]).toEqual([30, undefined]);
});

test('before the second view no rate is known, and none is drawn', () => {
  const rates = createRates();
  rates.add(someView(0));
  const { lines } = sampleOf(someView(0), rates);
  expect(lines).not.toHaveProperty('answered');
  expect(lines).not.toHaveProperty('p99');
  expect(rates.all()).toEqual({ perSecond: {}, recent: {}, p50: {}, p99: {} });
});

test('a server of any size has lines for a hundred processes: its workers come last', () => {
  const processes = Array.from({ length: 20 }, (_, server) => [
    { ...someProcess, id: `server-${server}` },
    ...Array.from({ length: 20 }, (__, task) => ({
      ...someProcess,
      id: `server-${server}/task-${task}`,
      kind: 'task' as const,
    })),
  ]).flat();
  const { lines } = sampleOf(someView(1, { processes }), createRates());
  const ids = Object.keys(lines).flatMap((name) => /^busy (.*)/.exec(name)?.[1] ?? []);
  expect(ids).toHaveLength(100);
  expect(ids.filter((id) => !id.includes('/'))).toHaveLength(20);
});
