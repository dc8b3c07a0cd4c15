import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Condition } from '../src/figures/trend-schemas.ts';
import type { ServerView } from '../src/figures/view-schema.ts';
import { type Health, healthOf } from '../src/trends/health.ts';
import { createRates } from '../src/trends/rates.ts';
import { schemaErrors } from './schema-errors.ts';
import { type CarrierSecond, type Second, START, someProcess, viewsOf } from './story-views.ts';

type Router = NonNullable<ServerView['router']>;

/** Conditions in each second of a story, in words. */
function healthIn(story: readonly Second[], { notes = false } = {}): string[] {
  const rates = createRates();
  let health: Health | undefined;
  const all: string[] = [];
  for (const view of viewsOf(story)) {
    rates.add(view);
    health = healthOf(view, rates, health);
    for (const each of health.conditions) expect(schemaErrors(Condition, each)).toEqual([]);
    const told = health.conditions
      .filter(({ severity }) => notes || severity !== 'note')
      .map(({ name, says }) => `${name} ${says}`);
    all.push(told.length === 0 ? 'All well' : told.join(', '));
  }
  return all.slice(1);
}

const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));
const all = (second: CarrierSecond): Second => ({ others: second });
const renfe = (second: CarrierSecond, others: CarrierSecond = { ok: 10 }): Second => ({
  carriers: { renfe: second },
  others,
});
/** Runs of equal words, each with its seconds. */
function runs(words: readonly string[]): [string, number][] {
  const found: [string, number][] = [];
  for (const word of words) {
    const last = found.at(-1);
    if (last?.[0] === word) last[1] += 1;
    else found.push([word, 1]);
  }
  return found;
}

test('an idle server is well, and so is one with few calls, or many', () => {
  expect(runs(healthIn(times(30, () => all({}))))).toEqual([['All well', 30]]);
  expect(
    runs(healthIn(times(60, (at) => all({ ok: at % 7 === 0 ? 1 : 0, open: at % 7 === 6 ? 1 : 0 }))))
      .length,
  ).toBe(1);
  expect(runs(healthIn(times(60, () => all({ ok: 20, open: 2 }))))).toEqual([['All well', 60]]);
});

test('a carrier that answers within 100 ms at any rate, with a call without an answer now and then, is well', () => {
  const second = fc.record({
    ok: fc.nat({ max: 40 }),
    ms: fc.integer({ min: 1, max: 100 }),
    open: fc.nat({ max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(second, { maxLength: 60 }), (seconds) => {
      // A call that stays open is answered in the next second.
      const story = seconds.map((each, at) => ({
        ...each,
        ok: each.ok + (seconds[at - 1]?.open ?? 0),
      }));
      const last = { ok: seconds.at(-1)?.open ?? 0 };
      expect(new Set(healthIn([...story, last].map(all)))).toEqual(new Set(['All well']));
    }),
  );
});

test('a carrier that answers nothing hangs once calls have ended without an answer, until it answers', () => {
  const story = [
    ...times(10, () => renfe({ ok: 10 })),
    // Calls of the first two seconds have not ended.
    ...times(2, (at) => renfe({ open: (at + 1) * 10 })),
    ...times(8, () => renfe({ open: 20, timeout: 10 })),
    ...times(20, () => renfe({ ok: 10 })),
  ];
  expect(runs(healthIn(story))).toEqual([
    ['All well', 12],
    ['Renfe hangs', 8],
    ['All well', 20],
  ]);
});

test('a condition has begun with the first call without an answer, and reports what is open', () => {
  const rates = createRates();
  let health: Health | undefined;
  const story = [
    renfe({ ok: 10 }),
    renfe({ open: 10 }),
    ...times(3, () => renfe({ open: 37, timeout: 10 })),
  ];
  for (const view of viewsOf(story)) {
    rates.add(view);
    health = healthOf(view, rates, health);
  }
  expect(health?.conditions).toEqual([
    {
      ...{ subject: 'carrier', id: 'renfe', state: 'hangs', severity: 'bad' },
      ...{ since: START + 2000, name: 'Renfe', says: 'hangs', detail: '37 calls open' },
    },
  ]);
});

test('calls that end without an answer while a process here is busy are not blamed on carriers', () => {
  const strained = { others: { ok: 6, timeout: 3, open: 9 }, process: { utilisation: 0.95 } };
  expect(healthIn(times(9, () => strained)).at(-1)).toBe('All well');
});

test('a carrier of several requests for a call that begins to hang, hangs: calls had sent some before', () => {
  const story = [
    ...times(10, () => renfe({ ok: 4, sent: 16, open: 1 })),
    // The one that is open had sent three; each later one sends one.
    renfe({ sent: 3, open: 1 }),
    ...times(12, (at) =>
      renfe(at % 2 === 0 ? { timeout: 1, sent: 0, open: 1 } : { sent: 1, open: 1 }),
    ),
    ...times(10, () => renfe({ ok: 4, sent: 16, open: 1 })),
  ];
  expect(runs(healthIn(story)).map(([words]) => words)).toEqual([
    'All well',
    'Renfe hangs',
    'All well',
  ]);
});

test('failures are over after twelve answers in a row', () => {
  const story = [
    ...times(10, () => renfe({ ok: 5, error: 5 })),
    ...times(20, () => renfe({ ok: 4 })),
  ];
  const [, fails, well, ...others] = runs(healthIn(story));
  expect([fails?.[0], well?.[0], others]).toEqual(['Renfe fails', 'All well', []]);
  // It shows for two seconds, and is kept for two more.
  expect(well?.[1]).toBe(20 - 4);
});

test('a carrier of several requests for a call, whose calls end after some of them, answers too late', () => {
  const late = times(20, () => renfe({ open: 4, timeout: 2, sent: 8 }));
  expect(runs(healthIn(late)).at(-1)?.[0]).toBe('Renfe answers too late');
});

test('a carrier without further calls stays as it was known, for a minute', () => {
  const story = [...times(5, () => renfe({ open: 20, timeout: 10 })), ...times(90, () => all({}))];
  const [first, second, third, ...others] = runs(healthIn(story));
  expect([first, second, third, others]).toEqual([
    ['Renfe hangs', 65],
    ['All well', 30],
    undefined,
    [],
  ]);
});

test.each<[string, CarrierSecond, string]>([
  ['one call in twenty fails', { ok: 19, error: 1 }, 'All well'],
  ['one in two fails', { ok: 5, error: 5 }, 'Renfe fails'],
  ['one in three ends without an answer', { ok: 6, timeout: 3, open: 9 }, 'Renfe fails'],
  ['all fail', { error: 10 }, 'Renfe fails'],
  ['one in two is sent again', { ok: 10, retried: 5 }, 'Renfe fails'],
  ['one in twenty is sent again', { ok: 20, retried: 1 }, 'All well'],
])('%s: %s', (_, second, expected) => {
  const story = [...times(10, () => renfe({ ok: 10 })), ...times(15, () => renfe(second))];
  expect(healthIn(story).at(-1)).toBe(expected);
  const over = [...story, ...times(20, () => renfe({ ok: 10 }))];
  expect(healthIn(over).at(-1)).toBe('All well');
});

test('a carrier is slow if a quarter of its answers take twice their usual time for 10 s, while others do not', () => {
  const usual = times(20, () => renfe({ ok: 10 }));
  const slow = (count: number, others: CarrierSecond) =>
    times(count, () => renfe({ ok: 10, ms: 300 }, others));
  const [first, second, ...others] = runs(healthIn([...usual, ...slow(60, { ok: 10 })]));
  expect([first?.[0], second?.[0], others]).toEqual(['All well', 'Renfe is slow', []]);
  expect(first?.[1]).toBeGreaterThanOrEqual(30);
  expect(first?.[1]).toBeLessThanOrEqual(42);
  // A moment is nothing.
  const moment = [...usual, ...slow(4, { ok: 10 }), ...times(30, () => renfe({ ok: 10 }))];
  expect(new Set(healthIn(moment))).toEqual(new Set(['All well']));
  // All at once: this machine is slow.
  const machine = [...usual, ...slow(60, { ok: 10, ms: 300 })];
  expect(new Set(healthIn(machine))).toEqual(new Set(['All well']));
});

test.each<[string, Second, number, string]>([
  ['busy for 9 s', { process: { utilisation: 0.9 } }, 9, 'All well'],
  ['busy for 12 s', { process: { utilisation: 0.9 } }, 12, 'server-0 is slow'],
  ['silent for a second', { process: { state: 'silent' } }, 1, 'All well'],
  ['silent for 4 s', { process: { state: 'silent' } }, 4, 'server-0 does not answer'],
  ['calls are queued for 2 s', { pool: { queued: 4 } }, 2, 'All well'],
  ['calls are queued for 5 s', { pool: { queued: 4 } }, 5, 'Workers of server-0 have no room'],
  ['workers do not start', { pool: { circuit: 'open' } }, 1, 'Workers of server-0 fail to start'],
  ['a slot is empty', { pool: { slots: 2 } }, 3, 'task-1 of server-0 is dead'],
])('%s: %s', (_, second, seconds, expected) => {
  expect(healthIn(times(seconds, () => second)).at(-1)).toBe(expected);
  const over = [...times(seconds, () => second), ...times(4, (): Second => ({}))];
  expect(healthIn(over).at(-1)).toBe('All well');
});

test('router, coalescer and Redis: one condition each, with what it costs', () => {
  const claim = { leMs: [], counts: [], sumMs: 0 };
  const view = (
    refused: number,
    overflowed: number,
    states: readonly ('up' | 'down')[],
  ): Second => ({
    view: {
      pools: [],
      processes: [someProcess, { ...someProcess, id: 'primary', kind: 'primary', pid: 9 }],
      router: { ...({} as Router), waiting: 2, refused, claim },
      coalesce: [
        {
          ...{ process: 'server-0', name: 'search', scope: 'process', asked: 0, led: 0, joined: 0 },
          ...{ hits: 0, loaded: 0, inFlight: 0, overflowed },
        },
      ],
      coordinators: states.map((state, at) => ({
        ...{ process: `server-${at}`, name: 'search', state, waiting: 0, errors: 0 },
      })),
    },
  });
  const rates = createRates();
  let health: Health | undefined;
  const story = [...times(5, () => view(0, 0, ['up', 'up'])), view(1, 3, ['up', 'down'])];
  for (const each of viewsOf(story)) {
    rates.add(each);
    health = healthOf(each, rates, health);
  }
  expect(health?.conditions.map(({ name, says, detail }) => `${name} ${says}, ${detail}`)).toEqual([
    'Redis does not answer, 1 of 2 processes share no loads',
    'Router has a queue, 2 connections waiting',
    'Router refuses connections, 1 connection in 10 s',
    'Coalescing of server-0 is full, 3 calls not shared in 10 s',
  ]);
});

test('a start and an end are notes: all is well', () => {
  const starting: Second = { process: { state: 'starting', ageMs: 100 } };
  const young: Second = { process: { ageMs: 1000 } };
  const stopping: Second = { process: { state: 'retiring' } };
  const story = [starting, young, {}, stopping];
  expect(healthIn(story, { notes: true })).toEqual([
    ...['server-0 starts', 'server-0 starts', 'All well', 'server-0 stops'],
  ]);
  expect(new Set(healthIn(story))).toEqual(new Set(['All well']));
});

test('refusals of one overload are one condition, and the worst condition is first', () => {
  let refused = 0;
  const overload = times(20, (at): Second => {
    if (at % 4 === 0) refused += 10;
    return { process: { refused } };
  });
  const told = runs(healthIn(overload)).map(([words]) => words);
  expect(told).toEqual(['server-0 refuses requests']);
  const both: Second = { process: { refused: refused + 5 }, pool: { circuit: 'open' } };
  expect(healthIn([...overload, both]).at(-1)).toBe(
    'Workers of server-0 fail to start, server-0 refuses requests',
  );
});

test('whatever happens, conditions are bounded, sorted, and end when no sign is left', () => {
  const second = fc.record({
    others: fc.record({
      ok: fc.nat({ max: 20 }),
      timeout: fc.nat({ max: 20 }),
      error: fc.nat({ max: 5 }),
      open: fc.nat({ max: 9 }),
      ms: fc.integer({ min: 1, max: 3000 }),
      retried: fc.nat({ max: 9 }),
    }),
    process: fc.record({
      utilisation: fc.double({ min: 0, max: 1, noNaN: true }),
      state: fc.constantFrom('ready', 'silent', 'starting', 'retiring'),
    }),
    pool: fc.record({ queued: fc.nat({ max: 3 }), slots: fc.nat({ max: 300 }) }),
  }) as fc.Arbitrary<Second>;
  fc.assert(
    fc.property(fc.array(second, { maxLength: 20 }), (story) => {
      const rates = createRates();
      let health: Health | undefined;
      const ranks = { bad: 0, warn: 1, note: 2 };
      for (const view of viewsOf([...story, ...times(80, (): Second => ({}))])) {
        rates.add(view);
        health = healthOf(view, rates, health);
        const sorted = health.conditions.map(({ severity }) => ranks[severity]);
        expect(sorted).toEqual(sorted.toSorted((one, other) => one - other));
        expect(sorted.length).toBeLessThanOrEqual(200);
      }
      expect(health?.conditions).toEqual([]);
      expect(health?.shown.size).toBe(0);
    }),
    { numRuns: 50 },
  );
});
