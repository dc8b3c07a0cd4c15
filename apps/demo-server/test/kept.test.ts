import { CarrierError, type CarrierQuery, type Station } from '@ticketing/core';
import { useFakeClock } from '@ticketing/test-kit/fake-clock';
import { expect, test } from 'vitest';
import { createCarrierGuards } from '../src/guard/carrier-guards.ts';
import { questionKey } from '../src/kept/question-key.ts';
import {
  DEADLINE_MS,
  keep,
  keptAnswers,
  keptSearch,
  NOW,
  pass,
  query,
  train,
} from './kept-search.ts';

useFakeClock(NOW);

/** A search whose answer is kept since now. */
async function keptSince() {
  const made = keptSearch();
  const first = made.ask();
  await pass(0);
  made.calls[0]?.answer();
  expect(await first).toMatchObject({ prices: [1], complete: true, cache: undefined });
  return made;
}

test('an answer is given again while it is fresh, with its age, and the carrier is not asked', async () => {
  const { ask, calls, kept } = await keptSince();
  expect(await ask()).toMatchObject({ prices: [1], cache: 'fresh', ageMs: 0, complete: true });
  await pass(keep.freshMs - 1);
  expect(await ask()).toMatchObject({ prices: [1], cache: 'fresh', ageMs: 59_999 });
  expect(calls).toHaveLength(1);
  expect(kept.stats()).toMatchObject({ asked: 3, loaded: 1, hits: 2, staleHits: 0, kept: 1 });
  expect(kept.stats()?.keptBytes).toBeGreaterThan(200);
});

test('a stale answer is given at once while one load asks the carrier, and is complete', async () => {
  const { ask, calls } = await keptSince();
  await pass(keep.freshMs);
  const stale = { prices: [1], cache: 'stale', ageMs: 60_000, complete: true, error: undefined };
  expect(await Promise.all([ask(), ask()])).toEqual([
    expect.objectContaining(stale),
    expect.objectContaining(stale),
  ]);
  expect(calls).toHaveLength(2);
  expect(await ask()).toMatchObject(stale);
  calls[1]?.answer();
  await pass(0);
  expect(await ask()).toMatchObject({ prices: [2], cache: 'fresh', ageMs: 0 });
  expect(calls).toHaveLength(2);
});

test('an answer that is past its stale time is given to nobody', async () => {
  const { ask, calls } = await keptSince();
  await pass(keep.freshMs + keep.staleMs);
  const late = ask();
  await pass(0);
  calls[1]?.answer();
  expect(await late).toMatchObject({ prices: [2], cache: undefined });
});

test.each([
  ['fresh', 20_000, 20_000],
  ['stale', 200_000, 200_000],
])('no answer is given after an offer of it has ended: %s', async (_, validMs, endMs) => {
  const { ask, calls } = keptSearch();
  const first = ask();
  await pass(0);
  const until = Date.now() + validMs;
  calls[0]?.answer({ journeys: [train(1, { validUntil: until })] });
  await first;
  await pass(endMs - 1);
  expect(await ask()).toMatchObject({ prices: [1], ageMs: endMs - 1 });
  // A renewal, if that began one, brings nothing new.
  calls[1]?.fail(new CarrierError('NETWORK', 'down'));
  await pass(1);
  const asked = calls.length;
  const late = ask();
  await pass(0);
  expect(calls).toHaveLength(asked + 1);
  calls.at(-1)?.answer();
  expect(await late).toMatchObject({ cache: undefined, complete: true });
});

test.each([
  ['CIRCUIT_OPEN', 'the circuit is open'],
  ['TIMEOUT', 'no answer in time'],
  ['RATE_LIMITED', 'asked too often'],
  ['NETWORK', 'down'],
] as const)('after a renewal that ended with %s the old answer says so', async (code, message) => {
  const { ask, calls } = await keptSince();
  await pass(keep.freshMs);
  expect(await ask()).toMatchObject({ complete: true, error: undefined });
  calls[1]?.fail(new CarrierError(code, message, { retryAfterMs: 5000 }));
  await pass(1500);
  const old = { state: 'ok', prices: [1], cache: 'stale', error: code, complete: false };
  expect(await ask()).toMatchObject({ ...old, ageMs: 61_500, retryAfterMs: 3500 });
  // The next renewal is under way, and nobody knows better yet.
  expect(calls).toHaveLength(3);
  expect(await ask()).toMatchObject(old);
  calls[2]?.answer();
  await pass(0);
  expect(await ask()).toMatchObject({ prices: [3], cache: 'fresh', complete: true });
});

test('a carrier that fails is asked once a second for a question that is kept', async () => {
  const { ask, calls } = await keptSince();
  await pass(keep.freshMs);
  for (let at = 0; at < 50; at += 1) {
    await ask();
    calls.at(-1)?.fail(new CarrierError('NETWORK', 'down'));
    await pass(100);
  }
  expect(calls.length - 1).toBe(5);
});

test('a renewal that hangs ends at its deadline, and the next one begins', async () => {
  const { ask, calls } = await keptSince();
  await pass(keep.freshMs);
  await ask();
  expect(calls[1]?.context.deadline).toBe(Date.now() + DEADLINE_MS);
  await pass(DEADLINE_MS);
  expect(calls[1]?.context.signal.reason).toMatchObject({ code: 'TIMEOUT' });
  expect(await ask()).toMatchObject({ error: 'TIMEOUT', prices: [1], complete: false });
  await pass(1000);
  await ask();
  expect(calls).toHaveLength(3);
  calls[2]?.answer();
  await pass(0);
});

test('without a kept answer errors pass, and are not kept', async () => {
  const { ask, calls } = keptSearch();
  for (const code of ['TIMEOUT', 'CIRCUIT_OPEN', 'NETWORK'] as const) {
    const failed = ask();
    await pass(0);
    calls.at(-1)?.fail(new CarrierError(code, 'no'));
    expect(await failed).toMatchObject({ error: code, complete: false, cache: undefined });
  }
  expect(calls).toHaveLength(3);
});

test('an answer that there is nothing is kept; a renewal of it that fails leaves open whether there is', async () => {
  const { ask, calls } = keptSearch();
  const first = ask();
  await pass(0);
  calls[0]?.fail(new CarrierError('NO_RESULTS', 'sold out'));
  const empty = { state: 'empty', error: 'NO_RESULTS', complete: true };
  expect(await first).toMatchObject({ ...empty, cache: undefined });
  await pass(1000);
  expect(await ask()).toMatchObject({ ...empty, cache: 'fresh', ageMs: 1000 });
  await pass(keep.freshMs);
  expect(await ask()).toMatchObject({ ...empty, cache: 'stale' });
  calls[1]?.fail(new CarrierError('TIMEOUT', 'late'));
  await pass(0);
  expect(await ask()).toMatchObject({ state: 'timeout', cache: 'stale', complete: false });
});

test('an answer that ends early is given once, and is never kept', async () => {
  const { ask, calls } = keptSearch();
  const failure = { code: 'TIMEOUT', message: 'no time for page 2' } as const;
  for (const number of [1, 2]) {
    const early = ask();
    await pass(0);
    calls[number - 1]?.answer({ journeys: [train(number)], failure });
    expect(await early).toMatchObject({ prices: [number], error: 'TIMEOUT', complete: false });
  }
  const whole = ask();
  await pass(0);
  calls[2]?.answer();
  await whole;
  // Nor does it take a whole one away; whoever waits for it gets it.
  await pass(keep.freshMs);
  await ask();
  const fresh = ask({}, { fresh: true });
  await pass(0);
  calls[3]?.answer({ journeys: [train(4)], failure });
  expect(await fresh).toMatchObject({ prices: [4], error: 'TIMEOUT', cache: undefined });
  expect(await ask()).toMatchObject({ prices: [3], error: 'TIMEOUT', cache: 'stale' });
});

test('equal questions in flight share one load; it ends when the last has left, with its reason', async () => {
  const { ask, calls } = keptSearch();
  const [one, other] = [new AbortController(), new AbortController()];
  const asked = [ask({}, { signal: one.signal }), ask({}, { signal: other.signal })];
  const ends = Promise.allSettled(asked);
  await pass(0);
  expect(calls).toHaveLength(1);
  one.abort('gone');
  await pass(0);
  expect(calls[0]?.context.signal.aborted).toBe(false);
  other.abort('gone');
  await pass(0);
  expect(calls[0]?.context.signal.reason).toBe('gone');
  await ends;
});

test('a load whose searches are all late is aborted with TIMEOUT, as a guard has to know', async () => {
  const { ask, calls } = keptSearch();
  const late = ask({}, { deadlineMs: 500 });
  await pass(500);
  expect(await late).toMatchObject({ error: 'TIMEOUT' });
  expect(calls[0]?.context.signal.reason).toMatchObject({ code: 'TIMEOUT' });
});

test('a guard within sees carriers that hang, and opens its circuit: what is kept is given in its place', async () => {
  const guards = createCarrierGuards({ settings: { rates: {}, hedged: [] }, now: Date.now });
  const { ask, calls } = keptSearch(keptAnswers(), guards.around);
  const first = ask();
  await pass(0);
  calls[0]?.answer();
  await first;
  await pass(keep.freshMs);
  // Nobody answers: the circuit has ten failures, half of its calls.
  for (let day = 2; day <= 12; day += 1) {
    void ask({ date: `2026-12-${String(day).padStart(2, '0')}` }).catch(() => {});
    await pass(DEADLINE_MS);
  }
  const asked = calls.length;
  expect(await ask({ date: '2026-12-20' })).toMatchObject({ state: 'circuit-open', prices: [] });
  expect(await ask()).toMatchObject({ prices: [1], cache: 'stale', complete: true });
  await pass(0);
  expect(await ask()).toMatchObject({
    ...{ state: 'ok', prices: [1], cache: 'stale', error: 'CIRCUIT_OPEN', complete: false },
    retryAfterMs: expect.any(Number),
  });
  expect(calls).toHaveLength(asked);
  await guards.close();
});

test('a search that joins a load has all of its own time', async () => {
  const { ask, calls } = keptSearch();
  const early = ask();
  await pass(1500);
  const later = ask();
  await pass(500);
  expect(await early).toMatchObject({ error: 'TIMEOUT' });
  await pass(0);
  // The load that it joined is over: the carrier is asked again, with the time that is left.
  expect(calls).toHaveLength(2);
  calls[1]?.answer();
  expect(await later).toMatchObject({ prices: [2], complete: true });
});

test('a failure that is no lack of time is that of all who wait for it', async () => {
  const { ask, calls } = keptSearch();
  const both = [ask(), ask()];
  await pass(0);
  calls[0]?.fail(new CarrierError('NETWORK', 'down'));
  for (const one of await Promise.all(both)) expect(one).toMatchObject({ error: 'NETWORK' });
  expect(calls).toHaveLength(1);
});

test('fresh passes by what is kept and replaces it; if it fails there is no old answer for it, and others keep theirs', async () => {
  const { ask, calls } = await keptSince();
  const failing = ask({}, { fresh: true });
  await pass(0);
  expect(await ask()).toMatchObject({ prices: [1], cache: 'fresh', complete: true });
  calls[1]?.fail(new CarrierError('CIRCUIT_OPEN', 'paused'));
  expect(await failing).toMatchObject({ state: 'circuit-open', prices: [], cache: undefined });
  expect(await ask()).toMatchObject({ prices: [1], cache: 'fresh', complete: true });
  const two = [ask({}, { fresh: true }), ask({}, { fresh: true })];
  await pass(0);
  expect(calls).toHaveLength(3);
  calls[2]?.answer();
  for (const one of await Promise.all(two)) expect(one).toMatchObject({ prices: [3] });
  expect(await ask()).toMatchObject({ prices: [3], cache: 'fresh', ageMs: 0 });
});

test.each([
  [{ date: '2026-12-02' }],
  [{ passengers: 2 }],
  [{ stops: true }],
  [{ passengers: [{ age: 8 }] }],
] as const)('%j is another question', async (more) => {
  const { ask, calls } = await keptSince();
  const other = ask(more);
  await pass(0);
  expect(calls).toHaveLength(2);
  calls[1]?.answer();
  await other;
});

test('every field of a question to a carrier counts, a page of another answer too; the names of a station do not', () => {
  const { origin, destination } = query as { origin: Station; destination: Station };
  const asked: Required<CarrierQuery> = {
    origin,
    destination,
    date: '2026-12-01',
    time: '08:00',
    arriveBy: true,
    via: destination,
    maxTransfers: 1,
    travelClass: 'first',
    passengers: [{}],
    stops: true,
    currency: 'CHF',
    page: { direction: 'later', token: 'a' },
    calendarUntil: '2026-12-31',
    returns: { date: '2026-12-03' },
  };
  const keys = new Set([questionKey('renfe', asked), questionKey('ouigo', asked)]);
  for (const name of Object.keys(asked)) {
    keys.add(
      questionKey('renfe', { ...asked, [name]: name === 'origin' ? destination : { id: 'x' } }),
    );
  }
  for (const token of ['a', 'b']) {
    for (const direction of ['earlier', 'later'] as const) {
      keys.add(questionKey('renfe', { ...asked, page: { direction, token } }));
    }
  }
  expect(keys.size).toBe(2 + Object.keys(asked).length + 3);
  const renamed = { ...asked, origin: { ...origin, aliases: ['Station'] } };
  expect(questionKey('renfe', renamed)).toBe(questionKey('renfe', asked));
});

test('nothing is left when it is closed: loads in flight are aborted', async () => {
  const { ask, calls, kept, search } = await keptSince();
  await pass(keep.freshMs);
  await ask();
  await search.close();
  await kept.close();
  expect(calls[1]?.context.signal.aborted).toBe(true);
  await pass(0);
  expect(kept.stats()).toMatchObject({ kept: 0, keptBytes: 0, inFlight: 0 });
});

test('several searches of a process share what is kept', async () => {
  const kept = keptAnswers();
  const [one, other] = [keptSearch(kept), keptSearch(kept)];
  const first = one.ask();
  await pass(0);
  one.calls[0]?.answer();
  await first;
  expect(await other.ask()).toMatchObject({ prices: [1], cache: 'fresh' });
  expect(other.calls).toHaveLength(0);
});
