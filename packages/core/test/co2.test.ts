import {
  type Carrier,
  createJourney,
  createLocalClock,
  createSearch,
  EMISSION_FACTORS,
  type Journey,
  mergeJourneys,
  type Place,
  type RideLeg,
  sortJourneys,
} from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { barcelona, carrier, heldCarrier, madrid, NOW, query, train } from './trains.ts';

const clock = createLocalClock();
const at = (time: string) => clock.fromLocal(`2026-12-01T${time}`, 'Europe/Madrid');
const ride = (origin: string, destination: string, from: string, more: Partial<RideLeg> = {}) =>
  ({
    kind: 'ride',
    number: `${from}`,
    origin,
    destination,
    departure: at(`${from}:00`),
    arrival: at(`${from}:50`),
    ...more,
  }) as const;
const journeyOf = (...legs: RideLeg[]) => createJourney({ source: 'a', legs, offers: [] });

/** A carrier that knows these places. */
function placed(journeys: readonly Journey[], places: readonly Place[] = [], id = 'a'): Carrier {
  return { ...carrier(id, async () => journeys), normalise: () => ({ journeys, places }) };
}

async function co2Of(journey: Journey, places: readonly Place[] = []) {
  const search = createSearch({ carriers: [placed([journey], places)], now: () => NOW });
  return (await search.search(query)).journeys[0]?.co2;
}

const [a, b] = [madrid.id, barcelona.id];
const zaragoza: Place = { id: 'z', name: 'Zaragoza', latitude: 41.6586, longitude: -0.9114 };

test('search() adds the emissions that a carrier answers, and marks them as no estimate', async () => {
  const journey = journeyOf(
    ride(a, 'z', '08', { co2Grams: 1200.4 }),
    ride('z', b, '09', { co2Grams: 0.2 }),
  );
  expect(await co2Of(journey)).toEqual({ grams: 1201, estimated: false });
});

test('search() estimates rides without a figure by the great circle, and marks the journey', async () => {
  // 501.9 km as the crow flies: 4.52 degrees of the great circle, each 111.195 km.
  const train = await co2Of(journeyOf(ride(a, b, '08')));
  expect(train?.estimated).toBe(true);
  expect((train?.grams ?? 0) / (1.2 * EMISSION_FACTORS.gramsPerKm.train)).toBeCloseTo(501.9, 0);
  const bus = await co2Of(journeyOf(ride(a, b, '08', { mode: 'bus' })));
  const { gramsPerKm } = EMISSION_FACTORS;
  expect((bus?.grams ?? 0) / (train?.grams ?? 1)).toBeCloseTo(gramsPerKm.bus / gramsPerKm.train, 3);
  const half = journeyOf(ride(a, 'z', '08', { co2Grams: 1000 }), ride('z', b, '09'));
  const both = await co2Of(half, [zaragoza]);
  expect(both?.estimated).toBe(true);
  expect(both?.grams).toBeGreaterThan(1000);
});

test('search() has no figure for a vehicle without a factor, nor for a ride to a place that nobody knows', async () => {
  expect(await co2Of(journeyOf(ride(a, b, '08', { mode: 'other' })))).toBeUndefined();
  expect(await co2Of(journeyOf(ride(a, 'z', '08'), ride('z', b, '09')))).toBeUndefined();
  const unplaced = { id: 'z', name: 'Zaragoza', latitude: 41.6586 };
  expect(
    await co2Of(journeyOf(ride(a, 'z', '08'), ride('z', b, '09')), [unplaced]),
  ).toBeUndefined();
});

test('search() does not take the figure of a journey from a carrier', async () => {
  const journey = { ...journeyOf(ride(a, 'z', '08')), co2: { grams: 1, estimated: false } };
  expect(await co2Of(journey)).toBeUndefined();
});

test('mergeJourneys() takes emissions from the first carrier that has them', async () => {
  const [renfe, ouigo] = [
    train({ number: '1', source: 'ouigo', co2Grams: 700 }),
    train({ number: '1', source: 'renfe' }),
  ];
  const [merged] = mergeJourneys([renfe, ouigo]);
  expect(merged?.legs[0]).toMatchObject({ co2Grams: 700 });
});

test('stream() sends a journey again when a later answer knows where it goes, and adds up to search()', async () => {
  const [first, second] = [heldCarrier('a'), heldCarrier('b')];
  const journey = journeyOf(ride(a, 'z', '08'), ride('z', b, '09'));
  const other = train({ source: 'b', number: '7' });
  const carriers = [
    first.carrier,
    { ...second.carrier, normalise: () => ({ journeys: [other], places: [zaragoza] }) },
  ];
  const search = createSearch({ carriers, now: () => NOW });
  const whole = search.search(query);
  const shown = new Map<string, Journey>();
  const counts: number[] = [];
  const events = search.stream(query);
  first.answer([journey]);
  for await (const event of events) {
    if (event.type !== 'journeys-upsert') continue;
    for (const one of event.journeys) shown.set(one.id, one);
    counts.push(event.journeys.length);
    second.answer([]);
  }
  expect(counts).toEqual([1, 2]);
  expect(shown.get(journey.id)?.co2?.estimated).toBe(true);
  expect(sortJourneys([...shown.values()], 'departure')).toEqual((await whole).journeys);
});

test('sortJourneys() by co2 has the least first, the shorter of as many grams, and those without a figure last', () => {
  const grams = fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined });
  const minutes = fc.integer({ min: 10, max: 13 });
  fc.assert(
    fc.property(fc.array(fc.tuple(grams, minutes), { maxLength: 12 }), (some) => {
      const journeys = some.map(([own, long], index): Journey => {
        const until = `2026-12-01T07:${long}`;
        const journey = train({ number: `${index}`, at: '2026-12-01T06:15', until });
        return own === undefined ? journey : { ...journey, co2: { grams: own, estimated: false } };
      });
      const keys = sortJourneys(journeys, 'co2').map(({ co2, durationMinutes, id }) => ({
        grams: co2?.grams ?? Number.POSITIVE_INFINITY,
        durationMinutes,
        id,
      }));
      const right = keys.toSorted(
        (x, y) =>
          (x.grams === y.grams ? 0 : x.grams - y.grams) ||
          x.durationMinutes - y.durationMinutes ||
          (x.id < y.id ? -1 : 1),
      );
      expect(keys).toEqual(right);
    }),
  );
});

test.each([-1, Number.NaN, '5'])('createJourney() refuses %s grams', (co2Grams) => {
  expect(() => journeyOf(ride(a, b, '08', { co2Grams: co2Grams as number }))).toThrow(
    `\`legs[0].co2Grams\` must be a number from 0, got ${co2Grams}`,
  );
});
