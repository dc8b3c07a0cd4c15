import {
  combineJourneys,
  createJourney,
  type Journey,
  lowestTotals,
  mergeJourneys,
  type RideLeg,
} from '@ticketing/core';
import { countStepsOfEach } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { hub, type JourneyParts, journey, north, south } from './split-journeys.ts';
import { offer } from './trains.ts';

const to = (parts: Partial<JourneyParts> = {}) =>
  journey({ source: 'renfe', destination: north.id, from: 480, until: 600, ...parts });
const from = (parts: Partial<JourneyParts> = {}) =>
  journey({ source: 'sncf', origin: south.id, from: 660, until: 900, ...parts });
const options = { at: hub, minMinutes: 45, maxMinutes: 120 };
const combine = (first: Journey, second: Journey) => combineJourneys([first], [second], options);

test('combineJourneys() makes one journey of two, with the offers of both sellers for their own rides', () => {
  const [combined, ...others] = combine(to({ changes: 1 }), from());
  expect(others).toEqual([]);
  expect(combined).toMatchObject({
    departure: to().departure,
    arrival: from().arrival,
    durationMinutes: 420,
    transfers: 2,
    sources: ['renfe', 'sncf'],
    offers: [
      { seller: 'renfe', id: 'renfe-1000', rides: [0, 1], total: { amount: 1000 } },
      { seller: 'sncf', id: 'sncf-1000', rides: [2], total: { amount: 1000 } },
    ],
  });
  expect(combined).not.toHaveProperty('unpriced');
  expect(combined?.legs.filter(({ kind }) => kind === 'transfer')).toEqual([
    {
      kind: 'transfer',
      origin: north.id,
      destination: south.id,
      minutes: 45,
      selfTransfer: true,
    },
  ]);
  expect(lowestTotals(combined as Journey)).toEqual([{ amount: 2000, currency: 'EUR' }]);
});

test.each(['with', 'without'])(
  'mergeJourneys() keeps two tickets and one ticket for the same trains %s numbers apart',
  (kind) => {
    const [combined] = combine(to({ from: 1435, until: 1500 }), from({ from: 1560, until: 1700 }));
    const legs = (combined as Journey).legs.map((leg) => {
      const { number, ...rest } = leg as RideLeg;
      return (kind === 'with' ? leg : rest) as RideLeg;
    });
    const split = { ...(combined as Journey), legs };
    const through = createJourney({
      source: 'agency',
      legs: legs.filter((leg) => leg.kind === 'ride'),
      offers: [offer('agency', 5000)],
    });
    const again = {
      ...split,
      offers: split.offers.map((one) => ({ ...one, fetchedAt: one.fetchedAt + 1 })),
    };
    for (const journeys of [
      [split, through, again],
      [again, through, split],
    ]) {
      expect(mergeJourneys(journeys)).toEqual([through, again]);
    }
  },
);

test('combineJourneys() takes connections of exactly the least and the most minutes, and no other', () => {
  const leaving = [644, 645, 720, 721].map((minute) =>
    from({ from: minute, until: 1000 + minute }),
  );
  expect(leaving.map((second) => combine(to(), second).length)).toEqual([0, 1, 1, 0]);
});

test.each<[string, Partial<JourneyParts>, Partial<JourneyParts>]>([
  ['the first train is late', { late: 16 }, {}],
  ['the second train leaves early', {}, { late: -16 }],
  ['the way after the first train takes too long', { onFoot: 16 }, {}],
  ['the way to the second train takes too long', {}, { onFoot: 16 }],
  ['the first one is sold out', { offers: [] }, {}],
  ['the second one is sold out', {}, { offers: [] }],
  ['the first one ends elsewhere', { destination: 'e:1' }, {}],
  ['the second one begins elsewhere', {}, { origin: 'e:1' }],
  ['both have too many changes', { changes: 4 }, { changes: 3 }],
])('combineJourneys() leaves out a pair if %s', (_what, first, second) => {
  expect(combine(to(), from())).toHaveLength(1);
  expect(combine(to(first), from(second))).toEqual([]);
});

test('combineJourneys() does not rely on a late second train, nor on an early first one', () => {
  expect(combine(to(), from({ from: 640, late: 30 }))).toEqual([]);
  expect(combine(to({ until: 620, late: -30 }), from())).toEqual([]);
});

test('combineJourneys() leaves out what does not run, is missed already, or ends near the hub at an unknown distance', () => {
  const one = to({ changes: 1 });
  const change = (map: (ride: RideLeg, index: number) => Partial<RideLeg>): Journey => ({
    ...one,
    legs: one.legs.map((leg, index) => ({ ...leg, ...map(leg as RideLeg, index) }) as RideLeg),
  });
  expect(
    combine(
      change(() => ({ cancelled: true })),
      from(),
    ),
  ).toEqual([]);
  const [first, last] = one.legs as [RideLeg, RideLeg];
  const way = { kind: 'transfer', origin: last.destination, minutes: 5 } as const;
  const missed = {
    ...way,
    origin: first.destination,
    destination: last.origin,
    risk: 'missed',
  } as const;
  expect(combine({ ...one, legs: [first, missed, last] }, from())).toEqual([]);
  const near = { ...way, destination: north.id, nearby: true } as const;
  expect(combine({ ...one, legs: [...one.legs, near] }, from())).toEqual([]);
  const { nearby: _, ...onFoot } = near;
  expect(combine({ ...one, legs: [...one.legs, onFoot] }, from())).toHaveLength(1);
});

test('combineJourneys() knows no price of journeys in two currencies, and prefers any price to none', () => {
  const swiss = from({ offers: [offer('sbb', 900, { total: { amount: 900, currency: 'CHF' } })] });
  const [mixed] = combine(to(), swiss);
  expect(mixed?.offers.map(({ total }) => total.currency)).toEqual(['CHF', 'EUR']);
  expect(lowestTotals(mixed as Journey)).toEqual([]);
  const dear = from({ source: 'db', offers: [offer('db', 99_000)] });
  const kept = combineJourneys([to()], [swiss, dear], options);
  expect(kept.map(({ sources }) => sources)).toEqual([['db', 'renfe']]);
});

test('combineJourneys() adds converted prices where the halves are sold in two currencies', () => {
  const inEuros = (amount: number) => ({ converted: { amount, currency: 'EUR' } });
  const total = { amount: 900, currency: 'CHF' };
  const [combined] = combine(
    to({ offers: [offer('renfe', 1000, inEuros(1000))] }),
    from({ offers: [offer('sbb', 900, { total, ...inEuros(950) })] }),
  );
  expect(lowestTotals(combined as Journey)).toEqual([{ amount: 1950, currency: 'EUR' }]);
});

test('combineJourneys() adds emissions that both halves have', () => {
  const emitting = (one: Journey, grams: number, estimated: boolean): Journey => ({
    ...one,
    co2: { grams, estimated },
  });
  const first = emitting(to(), 100, false);
  expect(combine(first, emitting(from(), 50, true))[0]?.co2).toEqual({
    grams: 150,
    estimated: true,
  });
  expect(combine(first, from())[0]).not.toHaveProperty('co2');
});

test('combineJourneys() keeps what knows no price, and names the sources that price no part of it', () => {
  const [combined] = combine(
    to({ source: 'hafas', offers: [], priced: false }),
    from({ source: 'osdm' }),
  );
  expect(combined).toMatchObject({ sources: ['hafas', 'osdm'], unpriced: ['hafas'] });
  const both = combine(
    to({ source: 'hafas', offers: [], priced: false }),
    from({ source: 'hafas' }),
  );
  expect(both[0]).not.toHaveProperty('unpriced');
});

test('combineJourneys() numbers an offer of a seller that has its id in both halves', () => {
  const [same] = [offer('renfe', 1000, { id: 'basic' })];
  const [combined] = combine(
    to({ offers: [same as never] }),
    from({ source: 'renfe', offers: [same as never] }),
  );
  expect(combined?.offers.map(({ id, rides }) => [id, rides])).toEqual([
    ['basic', [0]],
    ['basic/2', [1]],
  ]);
});

test('combineJourneys() adds tickets of some travellers for each half', () => {
  const tickets = (seller: string, amounts: readonly number[]) =>
    amounts.map((amount, index) => offer(seller, amount, { id: `${index}`, passengers: [index] }));
  const first = { ...to({ offers: tickets('renfe', [1000, 500]) }), passengers: 2 };
  const second = { ...from({ offers: [offer('sncf', 4000)] }), passengers: 2 };
  const [combined] = combine(first, second);
  expect(combined?.passengers).toBe(2);
  expect(lowestTotals(combined as Journey)).toEqual([{ amount: 5500, currency: 'EUR' }]);
  // Cheaper for all at once than ticket by ticket.
  const other = { ...from({ source: 'db', offers: tickets('db', [2000, 1999]) }), passengers: 2 };
  const kept = combineJourneys([first], [second, other], options);
  expect(kept.map(({ sources }) => sources)).toEqual([['db', 'renfe']]);
});

test('combineJourneys() gives another id than the journey that one seller has of the same trains', () => {
  const [first, second] = [to(), from()];
  const ids = combine(first, second).map(({ id }) => id);
  expect(ids).toEqual(combine(to(), from()).map(({ id }) => id));
  expect([first.id, second.id]).not.toContain(ids[0]);
});

test('combineJourneys() knows a station of the hub by another id where places show it', () => {
  const foreign = from({ origin: 'ibnr:1' });
  expect(combine(to(), foreign)).toEqual([]);
  const { name, latitude, longitude } = south;
  const places = [south, { id: 'ibnr:1', name, latitude, longitude }];
  expect(combineJourneys([to()], [foreign], { ...options, places })).toHaveLength(1);
});

test('combineJourneys() returns 200 at most, the first to arrive', () => {
  // Each later one is cheaper: none is dominated.
  const seconds = Array.from({ length: 300 }, (_, index) =>
    from({ until: 700 + index, offers: [offer('sncf', 1000 - index)] }),
  );
  const combined = combineJourneys([to()], seconds, options);
  expect(combined.map(({ arrival }) => arrival.ms)).toEqual(
    seconds.slice(0, 200).map(({ arrival }) => arrival.ms),
  );
});

test('combineJourneys() of twice as many takes at most 2.4 times the steps, though pairs are four times as many [linear-readers]', async () => {
  const lists = [300, 600].map((length) =>
    [to, from].map((make, half) =>
      Array.from({ length }, (_, index) =>
        make({
          from: 480 + half * 180 + (index % 17),
          until: 600 + half * 180 + (index % 19),
          source: `s${index}`,
          changes: index % 3,
          offers: [offer('x', 1000 + ((index * 7919) % length))],
        }),
      ),
    ),
  );
  const [small = 0, large = Number.POSITIVE_INFINITY] = await countStepsOfEach(
    lists.map(
      ([first = [], second = []]) =>
        () =>
          combineJourneys(first, second, { at: hub, minMinutes: 0, maxMinutes: 600 }),
    ),
    (url) => url.includes('packages/core/src/'),
  );
  expect(small).toBeGreaterThan(600);
  expect(large / small).toBeLessThan(2.4);
});

test.each<[options: unknown, errorClass: typeof TypeError, message: string]>([
  [undefined, TypeError, '`options` must be an object, got undefined'],
  [{}, TypeError, '`at` must be a station or a city with its stations, got undefined'],
  [
    { ...options, at: { id: 'x', members: [1] } },
    TypeError,
    '`at` must be a station or a city with its stations, got [object Object]',
  ],
  [
    { ...options, minMinutes: undefined },
    TypeError,
    '`minMinutes` must be an integer of 0 to 1440, got undefined',
  ],
  [
    { ...options, minMinutes: -1 },
    RangeError,
    '`minMinutes` must be an integer of 0 to 1440, got -1',
  ],
  [
    { ...options, maxMinutes: 44 },
    RangeError,
    '`maxMinutes` must be `minMinutes` (45) or more, got 44',
  ],
  [
    { ...options, maxTransfers: 8 },
    RangeError,
    '`maxTransfers` must be an integer of 1 to 7, got 8',
  ],
  [
    { ...options, places: 7 },
    TypeError,
    '`places` must be places in a list or another iterable, got 7',
  ],
  [{ ...options, minutes: 45 }, TypeError, 'unknown option `minutes`; did you mean `minMinutes`?'],
])('combineJourneys([], [], %o) throws', (wrong, errorClass, message) => {
  expect(() => combineJourneys([], [], wrong as never)).toThrow(
    new errorClass(`Cannot combine journeys: ${message}`),
  );
});
