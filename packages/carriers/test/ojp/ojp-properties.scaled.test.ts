import { createTimetable, encodeOjp, type Train, type Walks } from '@ticketing/carrier-sim';
import { CarrierError, type Journey } from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOjp, stationTable } from '../../src/index.ts';
import { editsOf } from '../edited-answers.ts';
import { anyWalks, detailsTold, detailsTrue, timesTold, timesTrue } from '../european-truth.ts';
import { runs } from '../scale.ts';
import { anyDate, anyPeople, pairsWith } from '../timetable-cases.ts';
import { ask, bytesOf, queryOf, startUpstream } from '../upstream.ts';
import { delivery, golden, ojp, options, wireOf, zurichBern } from './ojp-answers.ts';

// Pairs with a train as often as all others together.
const paged = fc.constantFrom<[string, string]>(
  ['8503000', '8507000'],
  ['8500010', '8301700'],
  ['8101003', '8503000'],
  ['8768600', '8503000'],
  ['8020347', '8507000'],
);
const served = fc.oneof(
  paged,
  // Trains that go on under another number, and a late one that is caught.
  fc.constantFrom<[string, string]>(
    ['8503000', '8768600'],
    ['8768600', '8507000'],
    ['8500010', '8501120'],
  ),
);
const told = (journey: Journey): unknown => ({
  ...timesTold(journey),
  departureMs: journey.departure.ms,
  arrivalMs: journey.arrival.ms,
  offers: journey.offers,
  unpriced: journey.unpriced,
  rides: journey.legs
    .filter((leg) => leg.kind === 'ride')
    .map((ride) => ({
      number: ride.number,
      brand: ride.brand,
      stations: [ride.origin, ride.destination],
      times: [ride.departure.ms, ride.arrival.ms],
      expected: [ride.expectedDeparture?.ms, ride.expectedArrival?.ms],
      cancelled: ride.cancelled,
      day: ride.operatingDay,
    })),
});

const truth = (train: Train, walks?: Walks): unknown => ({
  ...timesTrue(train, walks),
  departureMs: train.departureMs,
  arrivalMs: train.arrivalMs,
  offers: [],
  unpriced: ['ojp'],
  rides: (train.connection ?? [train]).map((run) => {
    const late = (ms: number) =>
      run.delayMinutes === undefined ? undefined : ms + run.delayMinutes * 60_000;
    return {
      number: run.number,
      brand: run.line ?? run.brand,
      stations: [`uic:${run.origin}`, `uic:${run.destination}`],
      times: [run.departureMs, run.arrivalMs],
      expected: [late(run.departureMs), late(run.arrivalMs)],
      cancelled: run.cancelled,
      day: run.date,
    };
  }),
});

const nameOf = (uic: string): string | undefined => stationTable.byId(`uic:${uic}`)?.name;

/** What the adapter makes of an answer: a count of journeys, or the code of its error. Other errors pass through. */
function outcome(body: Uint8Array): string {
  try {
    const query = { ...zurichBern(), stops: true };
    return `${ojp.normalise(wireOf(body), query).journeys.length} journeys`;
  } catch (error) {
    if (!CarrierError.is(error)) throw error;
    return error.code;
  }
}

test('ojp: decode(encode(timetable)) is the timetable, in both versions', () => {
  const version = fc.constantFrom('1.0', '2.0');
  fc.assert(
    fc.property(
      fc.oneof(pairsWith('ibnr'), served),
      anyDate,
      fc.integer(),
      version,
      anyPeople,
      anyWalks,
      ([origin, destination], day, seed, as, people, walks) => {
        const trains = createTimetable({ seed }).trains({
          carrier: 'ojp',
          origin,
          destination,
          date: day,
        });
        const body = encodeOjp(trains, { version: as, walks });
        const query = queryOf(origin, destination, day, people);
        const { journeys, places = [], filtered } = ojp.normalise(wireOf(body), query);
        expect(journeys.map(told)).toEqual(trains.map((train) => truth(train, walks)));
        expect(filtered).toBeUndefined();
        const named = new Set(places.map(({ id }) => id));
        for (const { legs } of journeys) {
          for (const leg of legs) expect(named.has(leg.origin)).toBe(true);
        }
      },
    ),
    { numRuns: runs(1000) },
  );
});

test("ojp: platforms, remarks, coupled trains, names of operators, and with `stops` the stops on the way are the timetable's, in both versions", () => {
  fc.assert(
    fc.property(
      fc.oneof(pairsWith('ibnr'), served),
      anyDate,
      fc.integer(),
      fc.constantFrom('1.0', '2.0'),
      fc.boolean(),
      ([origin, destination], day, seed, version, stops) => {
        const query = { carrier: 'ojp', origin, destination, date: day } as const;
        const trains = createTimetable({ seed }).trains(query);
        const {
          journeys,
          places = [],
          operators,
        } = ojp.normalise(wireOf(encodeOjp(trains, { version, stops })), {
          ...queryOf(origin, destination, day),
          stops,
        });
        expect(journeys.map(detailsTold)).toEqual(
          trains.map((train) => detailsTrue(train, { stops, language: 'en', emissions: true })),
        );
        const named = new Set(places.map(({ id }) => id));
        for (const { legs } of journeys) {
          for (const leg of legs) {
            if (leg.kind !== 'ride') continue;
            for (const { station } of leg.stops ?? []) expect(named.has(station)).toBe(true);
            expect(operators?.[leg.operator ?? '']).toMatch(/^\D+$/);
          }
        }
      },
    ),
    { numRuns: runs(400) },
  );
});

test('ojp: with opaque references, and numbers in names alone, stops are places by their names and trains are the same', () => {
  fc.assert(
    fc.property(served, anyDate, fc.integer(), ([origin, destination], day, seed) => {
      const query = { carrier: 'ojp', origin, destination, date: day } as const;
      const listed = createTimetable({ seed }).trains(query);
      // A number of one or two digits may be that of a line.
      const trains = listed.filter(({ connection, ...train }) =>
        (connection ?? [train]).every(({ number }) => number.length > 2),
      );
      const body = encodeOjp(trains, { references: 'opaque', numbers: 'named' });
      const {
        journeys,
        places = [],
        filtered,
      } = ojp.normalise(wireOf(body), queryOf(origin, destination, day));
      const named = new Map(places.map(({ id, name }) => [id, name]));
      expect(filtered).toBeUndefined();
      expect(
        journeys.map(({ legs, transfers, durationMinutes }) => [
          transfers,
          durationMinutes,
          legs
            .filter((leg) => leg.kind === 'ride')
            .map((ride) => [
              ride.number,
              ride.brand,
              named.get(ride.origin),
              named.get(ride.destination),
              ride.departure.ms,
              ride.arrival.ms,
            ]),
        ]),
      ).toEqual(
        trains.map((train) => [
          timesTrue(train).transfers,
          timesTrue(train).durationMinutes,
          (train.connection ?? [train]).map((run) => [
            run.number,
            run.brand,
            nameOf(run.origin),
            nameOf(run.destination),
            run.departureMs,
            run.arrivalMs,
          ]),
        ]),
      );
    }),
    { numRuns: runs(300) },
  );
});

test('ojp: any bytes are PROTOCOL', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(outcome(bytes)).toBe('PROTOCOL');
    }),
    { numRuns: runs(5000) },
  );
});

const name = fc.constantFrom(
  ...['OJPTripDelivery', 'TripResult', 'Trip', 'Leg', 'TripLeg', 'TimedLeg', 'LegBoard', 'Text'],
  ...['LegAlight', 'ServiceDeparture', 'ServiceArrival', 'TimetabledTime', 'siri:StopPointRef'],
  ...['TransferLeg', 'Service', 'ErrorCondition', 'Duration', 'TripResponseContext', 'Places'],
  ...['LegIntermediate', 'Attribute', 'Situations', 'PtSituation', 'SituationFullRef', 'Summary'],
  ...['BookingArrangements', 'BookingArrangement', 'PlannedQuay', 'ParallelService', 'Extension'],
  ...['Place', 'StopPoint', 'ParentRef', 'GeoPosition', 'siri:Latitude', 'x:other', 'Mode'],
);
const text = fc.constantFrom(
  '',
  ' ',
  '8503000',
  '2026-12-01T07:02:00Z',
  'PT5M',
  'rail',
  '-1',
  '&lt;',
);
const element: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'medium', maxDepth: 7, withCrossShrink: true },
    text,
    fc
      .tuple(name, fc.array(tie('node'), { maxLength: 4 }))
      .map(([tag, inside]) => `<${tag}>${inside.join('')}</${tag}>`),
  ),
})).node;

test('ojp: any other XML is read, or PROTOCOL, or an error of the server', () => {
  fc.assert(
    fc.property(element, fc.constantFrom(0, 1, 2), (xml, depth) => {
      const bodies = [
        `<x>${xml}</x>`,
        delivery(xml),
        delivery(`<OJPTripDelivery><TripResult><Trip>${xml}</Trip></TripResult></OJPTripDelivery>`),
      ];
      expect(outcome(bytesOf(bodies[depth] ?? ''))).toMatch(/^(PROTOCOL|UPSTREAM|\d+ journeys)$/);
    }),
    { numRuns: runs(5000) },
  );
});

const piece = fc
  .oneof(
    fc.string({ maxLength: 4 }),
    fc.constantFrom('<', '>', '</', '/>', '&', '&x;', ']]>', '<!--', '<![CDATA[', '<?x?>', '<a>'),
  )
  .map(bytesOf);

test('ojp: edited answers are read with fewer journeys, or PROTOCOL', () => {
  fc.assert(
    fc.property(editsOf(bytesOf(golden), piece), (bytes) => {
      expect(outcome(bytes)).toMatch(/^(PROTOCOL|[0-2] journeys)$/);
    }),
    { numRuns: runs(5000) },
  );
});

test('ojp: an answer cut at any byte but its last is PROTOCOL', () => {
  const whole = golden.trimEnd();
  const step = Math.ceil(whole.length / runs(whole.length));
  for (let length = 0; length < whole.length; length += step) {
    expect(outcome(bytesOf(whole.slice(0, length))), `cut at ${length}`).toBe('PROTOCOL');
  }
});

test('ojp: pages both ways are the day, each journey once, however many a page has', async () => {
  const upstream = await startUpstream();
  await fc.assert(
    fc.asyncProperty(
      paged,
      fc.constantFrom('2027-03-28', '2026-12-01', '2027-02-10'),
      fc.constantFrom('00:00', '03:30', '11:02', '12:30', '23:59'),
      fc.boolean(),
      fc.integer({ min: 1, max: 9 }),
      fc.option(fc.integer({ min: 2, max: 5 }), { nil: null }),
      async ([origin, destination], day, time, arriveBy, size, serverSize) => {
        const wanted = upstream.sim.trains({ carrier: 'ojp', origin, destination, date: day });
        // A page that holds no more than one minute has no way on.
        fc.pre(serverSize === null || mostAtOnce(wanted, arriveBy) < serverSize);
        upstream.sim.setPlan('ojp', { pageSize: serverSize });
        const carrier = createOjp({
          ...options,
          baseUrl: `${upstream.sim.url}/ojp`,
          headers: () => ({ authorization: 'Bearer x' }),
          results: size,
        });
        const query = { ...queryOf(origin, destination, day), time, arriveBy };
        const first = await ask(upstream, carrier, query);
        const seen = [...first.journeys];
        const last = wanted.at(-1)?.arrivalMs ?? 0;
        for (const direction of ['earlier', 'later'] as const) {
          let token = first.pages?.[direction];
          for (let page = 0; token !== undefined; page++) {
            expect(page).toBeLessThan(200);
            const answer = await ask(upstream, carrier, { ...query, page: { direction, token } });
            seen.push(...answer.journeys);
            token = answer.pages?.[direction];
            const times = answer.journeys.map(({ departure, arrival }) =>
              direction === 'earlier' ? arrival.ms : departure.ms,
            );
            const isPast =
              direction === 'earlier'
                ? Math.max(...times) < (wanted[0]?.departureMs ?? 0)
                : Math.min(...times) > last;
            if (isPast) break;
          }
        }
        const ids = seen.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        const found = new Set(seen.map(({ departure }) => departure.ms));
        expect(wanted.filter(({ departureMs }) => !found.has(departureMs))).toEqual([]);
      },
    ),
    { numRuns: runs(60) },
  );
});

/** Returns how many trains leave, or arrive, in one minute at most. */
function mostAtOnce(trains: readonly Train[], byArrival: boolean): number {
  const counts = new Map<number, number>();
  for (const { departureMs, arrivalMs } of trains) {
    const ms = byArrival ? arrivalMs : departureMs;
    counts.set(ms, (counts.get(ms) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}
