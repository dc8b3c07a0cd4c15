import {
  createTimetable,
  encodeNavitia,
  type Train,
  type TrainRun,
  type Walks,
} from '@ticketing/carrier-sim';
import { CarrierError, type Journey } from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editsOf } from '../edited-answers.ts';
import { anyWalks, detailsTrue, timesTold, timesTrue } from '../european-truth.ts';
import { runs } from '../scale.ts';
import { anyDate, anyPeople, pairsWith } from '../timetable-cases.ts';
import { bytesOf, queryOf } from '../upstream.ts';
import { goldenBody, navitia, parisZurich, wireOf } from './navitia-answers.ts';

// Pairs with a train as often as all others together.
const served = fc.constantFrom<[string, string]>(
  ['8768600', '8503000'],
  ['8503000', '8768600'],
  ['7015400', '8727100'],
  ['7015400', '8301700'],
  ['8301700', '8722326'],
  ['8711300', '8020347'],
  ['8768600', '8501008'],
);
const anyPair = fc.oneof(pairsWith('ibnr'), served);
const anyFreshness = fc.constantFrom('base_schedule' as const, 'realtime' as const);
type Freshness = 'base_schedule' | 'realtime';

const runsOf = (train: Train): readonly TrainRun[] => train.connection ?? [train];

/** Trains as an answer has them: by the timetable none is late, and as things are none is cancelled. */
const listed = (trains: readonly Train[], freshness: Freshness): readonly Train[] =>
  freshness === 'realtime'
    ? trains.filter((train) => runsOf(train).every(({ cancelled }) => !cancelled))
    : trains.map(({ connection, ...train }) => ({
        ...onTime(train),
        ...(connection && { connection: [onTime(connection[0]), onTime(connection[1])] as const }),
      }));

function onTime<T extends TrainRun>({ delayMinutes: _, ...run }: T): T {
  return run as T;
}

const told = (journey: Journey): unknown => ({
  ...timesTold(journey),
  departureMs: journey.departure.ms,
  arrivalMs: journey.arrival.ms,
  offers: journey.offers.map(({ total, fareName }) => [total, fareName]),
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
    })),
});

const truth = (train: Train, people: number, walks?: Walks): unknown => {
  const [fare] = train.fares;
  return {
    ...timesTrue(train, walks),
    departureMs: train.departureMs,
    arrivalMs: train.arrivalMs,
    offers: fare ? [[{ amount: fare.cents * people, currency: 'EUR' }, fare.name]] : [],
    unpriced: fare ? undefined : ['navitia'],
    rides: runsOf(train).map((run) => {
      const late = (ms: number) =>
        run.delayMinutes === undefined ? undefined : ms + run.delayMinutes * 60_000;
      return {
        number: run.number,
        brand: run.brand,
        stations: [`uic:${run.origin}`, `uic:${run.destination}`],
        times: [run.departureMs, run.arrivalMs],
        expected: [late(run.departureMs), late(run.arrivalMs)],
        cancelled: run.cancelled,
      };
    }),
  };
};

test('navitia: decode(encode(timetable)) is the timetable, by both timetables and with both codes', () => {
  fc.assert(
    fc.property(
      fc.record({ pair: anyPair, day: anyDate, seed: fc.integer(), people: anyPeople }),
      fc.record({
        freshness: anyFreshness,
        walks: anyWalks,
        codes: fc.constantFrom('uic' as const, 'older' as const),
        namesZone: fc.boolean(),
      }),
      ({ pair: [origin, destination], day, seed, people }, { walks, ...style }) => {
        const all = createTimetable({ seed }).trains({
          ...{ carrier: 'navitia', origin, destination, date: day },
        });
        const body = encodeNavitia(all, { walks, ...style });
        const query = queryOf(origin, destination, day, people);
        const { journeys, places = [], filtered } = navitia.normalise(wireOf(body), query);
        const trains = listed(all, style.freshness);
        expect(journeys.map(told)).toEqual(trains.map((train) => truth(train, people, walks)));
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

/** Effects of the timetable's disruptions, which are what an answer has as their codes. */
const effects: Readonly<Record<string, string>> = {
  'text.realtime.journey.cancelled': 'NO_SERVICE',
  delay: 'SIGNIFICANT_DELAYS',
  40017: 'OTHER_EFFECT',
};

test("navitia: remarks, and with `stops` the stops on the way are the timetable's", () => {
  fc.assert(
    fc.property(
      served,
      anyDate,
      fc.integer(),
      fc.boolean(),
      anyFreshness,
      ([origin, destination], day, seed, stops, freshness) => {
        const all = createTimetable({ seed }).trains({
          ...{ carrier: 'navitia', origin, destination, date: day },
        });
        const body = encodeNavitia(all, { freshness });
        const query = { ...queryOf(origin, destination, day), stops };
        const { journeys, places = [] } = navitia.normalise(wireOf(body), query);
        const kept = freshness === 'realtime' ? listed(all, freshness) : all;
        expect(
          journeys.map(({ legs }) =>
            legs
              .filter((leg) => leg.kind === 'ride')
              .map(({ remarks, stops: calls }) => [
                remarks,
                calls?.map((call) => [
                  call.station,
                  [call.arrival?.ms, call.departure?.ms],
                  [call.expectedArrival?.ms, call.expectedDeparture?.ms],
                ]),
              ]),
          ),
        ).toEqual(
          kept.map((train) =>
            // biome-ignore lint/suspicious/noExplicitAny: details of a ride are of any kind.
            detailsTrue(train, { stops }).rides.map(({ remarks, stops: calls }: any) => [
              // biome-ignore lint/suspicious/noExplicitAny: see above.
              remarks.map(({ kind, text, code }: any) =>
                kind === 'info' ? { kind, text } : { kind, text, code: effects[code] },
              ),
              // biome-ignore lint/suspicious/noExplicitAny: see above.
              calls?.map(({ station, times, expected }: any) => [
                station,
                times,
                freshness === 'realtime' ? expected : [undefined, undefined],
              ]),
            ]),
          ),
        );
        const named = new Set(places.map(({ id }) => id));
        for (const leg of journeys.flatMap(({ legs }) => legs)) {
          if (leg.kind !== 'ride') continue;
          for (const { station } of leg.stops ?? []) expect(named.has(station)).toBe(true);
        }
      },
    ),
    { numRuns: runs(400) },
  );
});

/** Journeys of an answer, or the code of its error. Other errors pass through. */
function outcome(body: Uint8Array): string {
  try {
    const query = { ...parisZurich(), stops: true };
    return `${navitia.normalise(wireOf(body), query).journeys.length} journeys`;
  } catch (error) {
    if (!CarrierError.is(error)) throw error;
    return error.code;
  }
}

test('navitia: any bytes are PROTOCOL', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(outcome(bytes)).toBe('PROTOCOL');
    }),
    { numRuns: runs(5000) },
  );
});

const field = fc.constantFrom(
  ...['journeys', 'sections', 'type', 'from', 'to', 'stop_point', 'stop_area', 'embedded_type'],
  ...['codes', 'value', 'id', 'links', 'fare', 'found', 'total', 'currency', 'error', 'context'],
  ...['timezone', 'duration', 'departure_date_time', 'arrival_date_time', 'stop_date_times'],
  ...['display_informations', 'headsign', 'status', 'disruptions', 'messages', 'notes', 'coord'],
);
const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, true, '', ' ', 'uic', '87686006', 'public_transport', 'transfer'),
  fc.constantFrom<unknown>('20261201T070000', 'Europe/Paris', 'stop_point', 'walking', -1, 1e300),
  fc.double(),
  fc.string({ maxLength: 6 }),
);
const { node: anyValue } = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'medium', maxDepth: 6, withCrossShrink: true },
    leaf,
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(field, tie('node'), { maxKeys: 5 }),
  ),
}));

test('navitia: any other JSON is read, or PROTOCOL, or an error of the server', () => {
  fc.assert(
    fc.property(anyValue, fc.constantFrom(0, 1, 2, 3), (value, depth) => {
      const bodies = [
        value,
        { journeys: value },
        { journeys: [{ sections: value, duration: 60 }] },
        {
          journeys: [
            { sections: [{ type: 'public_transport', from: value, to: value, duration: 60 }] },
          ],
        },
      ];
      expect(outcome(bytesOf(JSON.stringify(bodies[depth]) ?? ''))).toMatch(
        /^(PROTOCOL|UPSTREAM|\d+ journeys)$/,
      );
    }),
    { numRuns: runs(5000) },
  );
});

/** Two journeys, of which one is late. */
const small = JSON.stringify({
  ...goldenBody(),
  journeys: [goldenBody().journeys[0], goldenBody().journeys[3]],
});

test('navitia: edited answers are read with fewer journeys, or PROTOCOL', () => {
  fc.assert(
    fc.property(editsOf(bytesOf(small)), (bytes) => {
      expect(outcome(bytes)).toMatch(/^(PROTOCOL|[0-2] journeys)$/);
    }),
    { numRuns: runs(2000) },
  );
});

test('navitia: an answer cut at any byte but its last is PROTOCOL', () => {
  const step = Math.ceil(small.length / runs(4000));
  for (let length = 0; length < small.length; length += step) {
    expect(outcome(bytesOf(small.slice(0, length))), `cut at ${length}`).toBe('PROTOCOL');
  }
});
