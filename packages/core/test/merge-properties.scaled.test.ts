import {
  createLocalClock,
  JOURNEY_ORDERS,
  type Journey,
  mergeJourneys,
  type Offer,
  type RideLeg,
  sortJourneys,
  type TimeAt,
} from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createJourneyFeed } from '../src/journeys/merge.ts';
import { journeyKey } from '../src/model/journey.ts';
import { naiveMerge } from './naive-merge.ts';
import { runs } from './scale.ts';
import { NOW, offer, train } from './trains.ts';

const clock = createLocalClock();
const SOURCES = ['renfe', 'ouigo', 'avlo', 'agency'];
const MINUTE_MS = 60_000;
const DAY_START = NOW + 14 * 60 * MINUTE_MS;
const local = (minutes: number) =>
  new Date(DAY_START + (minutes + 60) * MINUTE_MS).toISOString().slice(0, 16);

const offers = fc.record({
  id: fc.constantFrom('basic', 'flex', 'gold'),
  amount: fc.integer({ min: 1, max: 4 }),
  age: fc.integer({ min: 0, max: 3 }),
});

const remark = fc.record({
  kind: fc.constantFrom('info' as const, 'disruption' as const),
  text: fc.integer({ min: 0, max: 30 }).map(String),
});

// Few values, close together: most of these journeys are nearly the same train.
const journeys: fc.Arbitrary<Journey> = fc
  .record({
    source: fc.constantFrom(...SOURCES),
    minute: fc.integer({ min: 0, max: 45 }),
    duration: fc.integer({ min: 148, max: 153 }),
    number: fc.option(fc.constantFrom('3063', '3065'), { nil: undefined, freq: 3 }),
    brand: fc.option(fc.constantFrom('AVE', 'ave', 'OUIGO', 'AVE 3063', 'AVE 3065'), {
      nil: undefined,
    }),
    operator: fc.option(fc.constantFrom('Renfe', 'Ouigo'), { nil: undefined }),
    operatingDay: fc.option(fc.constantFrom('2026-11-30', '2026-12-01'), { nil: undefined }),
    offers: fc.uniqueArray(offers, { selector: ({ id }) => id, maxLength: 3 }),
    priced: fc.option(fc.constant(false as const), { nil: undefined, freq: 3 }),
    late: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    cancelled: fc.option(fc.constant(true as const), { nil: undefined, freq: 4 }),
    departurePlatform: fc.option(
      fc.record({ planned: fc.constantFrom('1', '2'), expected: fc.constantFrom('1', '3') }),
      { nil: undefined, freq: 2 },
    ),
    remarks: fc.option(fc.array(remark, { minLength: 1, maxLength: 20 }), { nil: undefined }),
    stops: fc.option(fc.array(fc.record({ station: fc.constantFrom('x', 'y') })), {
      nil: undefined,
      freq: 3,
    }),
    booking: fc.option(fc.constant({ text: 'Call' }), { nil: undefined, freq: 4 }),
  })
  .map(({ source, minute, duration, offers: known, priced, late, ...ride }) => {
    const told = Object.entries(ride).filter(([, value]) => value !== undefined);
    const expected = (minutes: number) => clock.fromLocal(local(minutes), 'Europe/Madrid');
    return train({
      source,
      priced,
      ...(late !== undefined && {
        expectedDeparture: expected(minute + late),
        expectedArrival: expected(minute + duration + late),
      }),
      at: local(minute),
      until: local(minute + duration),
      ...Object.fromEntries(told),
      offers: known.map(({ id, amount, age }) =>
        offer(source, amount * 1000, { id, fetchedAt: NOW - age }),
      ),
    });
  });

const answers = fc.array(journeys, { maxLength: 14 });
const shuffled = answers.chain((list) =>
  fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
);

test('mergeJourneys() then sortJourneys() gives one list, however the input is shuffled', () => {
  fc.assert(
    fc.property(shuffled, ([list, other]) => {
      for (const order of JOURNEY_ORDERS) {
        expect(sortJourneys(mergeJourneys(other), order)).toEqual(
          sortJourneys(mergeJourneys(list), order),
        );
      }
    }),
    { numRuns: runs(2000) },
  );
});

// Of one or two rides, whose carriers and ids are few.
const nearlySame: fc.Arbitrary<Journey> = fc
  .record({
    first: journeys,
    second: fc.option(journeys, { nil: undefined, freq: 3 }),
    seconds: fc.integer({ min: 0, max: 3 }),
    id: fc.option(fc.constantFrom('j-1', 'j-1-2', 'j-2'), { nil: undefined, freq: 3 }),
    sources: fc.uniqueArray(fc.constantFrom(...SOURCES), { minLength: 1, maxLength: 2 }),
  })
  .map(({ first, second, seconds, id = first.id, sources }) => {
    const departure = { ...first.departure, ms: first.departure.ms + seconds * 1000 };
    const legs = [...first.legs, ...(second?.legs ?? [])];
    return { ...first, departure, legs, id, sources: sources.sort() };
  });

test('mergeJourneys() finds what a comparison of each journey with every other finds', () => {
  const lists = fc.array(fc.oneof(journeys, nearlySame), { maxLength: 30 });
  fc.assert(
    fc.property(lists, (list) => {
      // Each journey has one offer, by which it is known in the result.
      const known = list.map((journey, index) => ({
        ...journey,
        offers: [offer(`seller-${index}`, 1)],
      }));
      const merged = mergeJourneys(known);
      const compared = naiveMerge(known);
      expect(merged.map(({ id }) => id).sort()).toEqual(compared.map(({ id }) => id).sort());
      const found = merged.map(({ departure, arrival, offers: own }) =>
        [departure.iso, arrival.iso, ...own.map(({ seller }) => seller).sort()].join(),
      );
      const expected = compared.map(({ members }) => {
        const [{ departure, arrival }] = members;
        const sellers = members.map(({ offers: [own] }) => own?.seller).sort();
        return [departure.iso, arrival.iso, ...sellers].join();
      });
      expect(found.sort()).toEqual(expected.sort());
    }),
    { numRuns: runs(10_000) },
  );
});

// One stop under three ids, of which carriers know one each.
const stopIds = ['uic:7160000', 'x:1', 'y:1'];
const places = stopIds.map((id, index) => ({
  ...{ id, name: index === 1 ? 'Atocha Hbf' : 'Atocha', longitude: -3.6909 },
  latitude: 40.4064 + index / 1000,
}));
const atStops: fc.Arbitrary<Journey> = fc
  .record({
    journey: fc.oneof(journeys, nearlySame),
    ids: fc.array(fc.constantFrom(...stopIds), { minLength: 2, maxLength: 2 }),
    night: fc.boolean(),
  })
  .map(({ journey: { legs, ...rest }, ids, night }) => {
    // Some of them leave around midnight.
    const shift = (time: TimeAt): TimeAt =>
      night ? clock.fromEpoch(time.ms - 100 * MINUTE_MS, 'Europe/Madrid') : time;
    const rides = (legs as readonly RideLeg[]).map((leg, index) => ({
      ...leg,
      departure: shift(leg.departure),
      arrival: shift(leg.arrival),
      origin: ids[index] ?? leg.origin,
    }));
    const { departure, arrival } = rest;
    return {
      ...rest,
      legs: rides,
      ...(night && { departure: shift(departure), arrival: shift(arrival) }),
      id: `j-${journeyKey(rides)}`,
    };
  });

test('mergeJourneys() finds the same at stops that have several ids, and around midnight', () => {
  const isOne = (id: string, other: string): boolean =>
    id === other || (stopIds.includes(id) && stopIds.includes(other));
  const lists = fc.array(atStops, { maxLength: 30 });
  fc.assert(
    fc.property(lists, fc.shuffledSubarray(places, { minLength: 3 }), (list, some) => {
      const known = list.map((journey, index) => ({
        ...journey,
        offers: [offer(`seller-${index}`, 1)],
      }));
      const merged = mergeJourneys(known, { places: some });
      const groups = (offers: readonly (readonly Offer[])[]) =>
        offers
          .map((own) =>
            own
              .map(({ seller }) => seller)
              .sort()
              .join(),
          )
          .sort();
      expect(groups(merged.map(({ offers: own }) => own))).toEqual(
        groups(naiveMerge(known, isOne).map(({ members }) => members.flatMap((one) => one.offers))),
      );
      expect(new Set(merged.map(({ id }) => id)).size).toBe(merged.length);
    }),
    { numRuns: runs(5000) },
  );
});

test('mergeJourneys() merges the same trains, by the same ids, whatever other details carriers have', () => {
  const bare = (journey: Journey): Journey => ({
    ...journey,
    legs: journey.legs.map((leg) => {
      if (leg.kind === 'transfer') return leg;
      const { departurePlatform: _, remarks: __, stops: ___, booking: ____, ...ride } = leg;
      return ride;
    }),
  });
  const found = (list: readonly Journey[]) =>
    list.map(({ id, sources, departure }) => [id, ...sources, departure.iso].join()).sort();
  fc.assert(
    fc.property(answers, (list) => {
      expect(found(mergeJourneys(list))).toEqual(found(mergeJourneys(list.map(bare))));
    }),
    { numRuns: runs(1000) },
  );
});

test('mergeJourneys() gives a train the details of every member, each remark once, 20 at most', () => {
  const rides = (list: readonly Journey[]) =>
    list.flatMap(({ legs }) => legs as readonly RideLeg[]);
  const texts = (list: readonly RideLeg[]) =>
    list.flatMap(({ remarks = [] }) => remarks.map(({ text }) => text));
  fc.assert(
    fc.property(answers, (list) => {
      const merged = rides(mergeJourneys(list));
      for (const field of ['departurePlatform', 'stops', 'booking'] as const) {
        const said = new Set(rides(list).map((ride) => JSON.stringify(ride[field])));
        for (const ride of merged) expect(said).toContain(JSON.stringify(ride[field]));
        expect(merged.some((ride) => ride[field])).toBe(rides(list).some((ride) => ride[field]));
      }
      for (const ride of merged) expect(ride.remarks?.length ?? 0).toBeLessThanOrEqual(20);
      expect(texts(rides(list))).toEqual(expect.arrayContaining(texts(merged)));
      const isSaid = (one: readonly RideLeg[]) => texts(one).length > 0;
      expect(isSaid(merged)).toBe(isSaid(rides(list)));
    }),
    { numRuns: runs(1000) },
  );
});

test('mergeJourneys() loses no offer, no source, and gives unique ids', () => {
  const pairs = (list: readonly Journey[]) =>
    [
      ...new Set(
        list.flatMap((journey) => journey.offers.map(({ seller, id }) => `${seller} ${id}`)),
      ),
    ].sort();
  const sources = (list: readonly Journey[]) =>
    [...new Set(list.flatMap((journey) => journey.sources))].sort();
  fc.assert(
    fc.property(answers, (list) => {
      const before = structuredClone(list);
      const merged = mergeJourneys(list);
      expect(list).toEqual(before);
      expect(pairs(merged)).toEqual(pairs(list));
      expect(sources(merged)).toEqual(sources(list));
      expect(new Set(merged.map(({ id }) => id)).size).toBe(merged.length);
      for (const { sources: own } of merged) expect([...new Set(own)].sort()).toEqual(own);
    }),
    { numRuns: runs(2000) },
  );
});

test('mergeJourneys() takes the times of a merged journey from one of its members', () => {
  fc.assert(
    fc.property(answers, (list) => {
      const times = new Set(list.map(({ departure, arrival }) => `${departure.ms} ${arrival.ms}`));
      for (const { departure, arrival } of mergeJourneys(list)) {
        expect(times).toContain(`${departure.ms} ${arrival.ms}`);
      }
    }),
  );
});

test('mergeJourneys() keeps the sources without prices, and one expected time where any member has one', () => {
  const rides = (list: readonly Journey[]) =>
    list.flatMap(({ legs }) => legs as readonly RideLeg[]);
  const unpriced = (list: readonly Journey[]) =>
    [...new Set(list.flatMap((journey) => journey.unpriced ?? []))].sort();
  fc.assert(
    fc.property(answers, (list) => {
      const merged = mergeJourneys(list);
      expect(unpriced(merged)).toEqual(unpriced(list));
      const news = new Set(rides(list).map(({ expectedArrival }) => expectedArrival?.ms));
      for (const { unpriced: none, sources } of merged) {
        expect([...new Set(none)].sort()).toEqual(none ?? []);
        expect(sources).toEqual(expect.arrayContaining([...(none ?? [])]));
      }
      for (const ride of rides(merged)) {
        expect(news).toContain(ride.expectedArrival?.ms);
        expect(ride.expectedArrival === undefined).toBe(ride.expectedDeparture === undefined);
      }
      const isNews = (ride: RideLeg) => Boolean(ride.expectedArrival ?? ride.cancelled);
      expect(rides(merged).some(isNews)).toBe(rides(list).some(isNews));
    }),
    { numRuns: runs(1000) },
  );
});

test('mergeJourneys() changes nothing more in numbered journeys that it merged', () => {
  const byId = (list: readonly Journey[]) => sortJourneys(list, 'departure');
  const numbered = answers.map((list) =>
    list.filter(({ legs }) => legs.every((leg) => leg.kind === 'ride' && leg.number)),
  );
  fc.assert(
    fc.property(numbered, (list) => {
      const once = mergeJourneys(list);
      expect(byId(mergeJourneys(once))).toEqual(byId(once));
    }),
  );
});

test('sortJourneys() sorts by its order, journeys without a price last by price and best', () => {
  const keys = {
    departure: (journey: Journey) => journey.departure.ms,
    arrival: (journey: Journey) => journey.arrival.ms,
    duration: (journey: Journey) => journey.durationMinutes,
    price: (journey: Journey) => journey.offers[0]?.total.amount ?? Number.POSITIVE_INFINITY,
    transfers: (journey: Journey) => journey.transfers * 1e6 + journey.durationMinutes,
    // Without a figure of any, the shorter one first.
    co2: (journey: Journey) => journey.durationMinutes,
  };
  fc.assert(
    fc.property(answers, (list) => {
      const lowest = Math.min(...list.map(keys.price));
      const shortest = Math.min(...list.map(keys.duration));
      const best = (journey: Journey): number =>
        (journey.offers.length === 0 ? 1e6 : keys.price(journey) / lowest) +
        keys.duration(journey) / shortest +
        0.2 * journey.transfers;
      for (const order of JOURNEY_ORDERS) {
        const ranks = sortJourneys(list, order).map({ ...keys, best }[order]);
        expect(ranks).toEqual([...ranks].sort((a, b) => (a === b ? 0 : a - b)));
      }
    }),
  );
});

test('sortJourneys() keeps currencies apart by price', () => {
  const priced = (number: string, amount: number, currency: string) =>
    train({ number, offers: [offer('a', amount, { total: { amount, currency } })] });
  const list = [
    priced('1', 1, 'JPY'),
    priced('2', 5, 'EUR'),
    train({ number: '3' }),
    priced('4', 2, 'EUR'),
  ];
  const sorted = sortJourneys(list, 'price').map(({ offers: [first] }) => first?.total);
  expect(sorted.map((total) => total && `${total.amount} ${total.currency}`)).toEqual([
    '2 EUR',
    '5 EUR',
    '1 JPY',
    undefined,
  ]);
});

test('createJourneyFeed() adds up to mergeJourneys() of everything, in any order of arrival', () => {
  const batches = fc.array(fc.array(fc.oneof(journeys, atStops), { maxLength: 5 }), {
    maxLength: 5,
  });
  fc.assert(
    fc.property(batches, fc.constantFrom(...JOURNEY_ORDERS), (arrivals, order) => {
      const feed = createJourneyFeed(order);
      const view = new Map<string, Journey>();
      for (const [index, batch] of arrivals.entries()) {
        // Each answer names one more stop.
        const options = { places: places.slice(0, index + 1) };
        const { journeys: changed, removed } = feed.add(batch, options);
        for (const id of removed) expect(view.delete(id)).toBe(true);
        for (const journey of changed) {
          expect(view.get(journey.id)).not.toEqual(journey);
          view.set(journey.id, journey);
        }
        expect(feed.found).toBe(view.size);
        expect(changed).toEqual(sortJourneys(changed, order));
      }
      const everything = sortJourneys(
        mergeJourneys(arrivals.flat(), { places: places.slice(0, arrivals.length) }),
        order,
      );
      expect(sortJourneys([...view.values()], order)).toEqual(everything);
    }),
    { numRuns: runs(1000) },
  );
});
