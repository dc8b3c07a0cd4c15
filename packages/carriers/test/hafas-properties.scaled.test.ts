import {
  createTimetable,
  encodeHafas,
  hafasLocalSimProfile,
  hafasSimProfile,
  shortestChange,
  type Train,
  type Walks,
} from '@ticketing/carrier-sim';
import { addDays, type CarrierAnswer, CarrierError, createLocalClock } from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTime, writeTime } from '../src/hafas/hafas-time.ts';
import { createHafas } from '../src/index.ts';
import { createWireReader } from '../src/wire/wire-reader.ts';
import { editsOf } from './edited-answers.ts';
import {
  anyWalks,
  detailsTold,
  detailsTrue,
  hasTwoMeanings,
  timesTold,
  timesTrue,
} from './european-truth.ts';
import { runs } from './scale.ts';
import { anyDate, anyPeople, pairsWith } from './timetable-cases.ts';
import { ask, bytesOf, fixture, now, queryFor, queryOf, startUpstream } from './upstream.ts';

const baseUrl = 'http://127.0.0.1:1';
const hafas = createHafas({ id: 'hafas', name: 'HAFAS', baseUrl, profile: hafasSimProfile, now });
const clock = createLocalClock();
const receivedAt = 1;

// Those with trains of the timetable come as often as all others together.
const pair = fc.oneof(
  fc.constantFrom<[string, string]>(
    ['8101003', '8020347'],
    ['7015400', '8727100'],
    ['8768600', '8301700'],
    ['8711300', '8020347'],
    ['8101003', '8503000'],
    ['7015400', '8301700'],
    // A late train is caught there.
    ['8101003', '8721202'],
  ),
  pairsWith('ibnr'),
);
function told({ journeys }: CarrierAnswer): unknown[] {
  return journeys.map((journey) => ({
    ...timesTold(journey),
    rides: journey.legs
      .filter((leg) => leg.kind === 'ride')
      .map((ride) => [
        ride.number,
        ride.brand,
        ride.origin,
        ride.destination,
        ride.departure.ms,
        ride.arrival.ms,
        ride.expectedDeparture?.ms ?? ride.departure.ms,
        ride.cancelled === true,
        ride.operatingDay,
      ]),
    prices: journey.offers
      .map(({ fareName, total }) => `${fareName} ${total.amount} ${total.currency}`)
      .sort(),
    unpriced: journey.unpriced !== undefined,
  }));
}

function truth(trains: readonly Train[], passengers: number, walks?: Walks): unknown[] {
  return trains.map((train) => {
    const fares = train.fares.filter(({ seller }) => seller === 'hafas');
    const runs = train.connection ?? [train];
    return {
      ...timesTrue(train, walks),
      rides: runs.map((run) => [
        run.number,
        run.brand,
        `uic:${run.origin}`,
        `uic:${run.destination}`,
        run.departureMs,
        run.arrivalMs,
        run.departureMs + (run.delayMinutes ?? 0) * 60_000,
        run.cancelled === true,
        run.date,
      ]),
      prices: fares.map(({ name, cents }) => `${name} ${cents * passengers} EUR`).sort(),
      unpriced: fares.length === 0,
    };
  });
}

/** What an answer means; errors of another kind pass through. */
function outcome(body: Uint8Array): string {
  const pages = [{ body: Uint8Array.from(body), receivedAt }];
  try {
    const wire = { pages, ask: { kind: 'time', atMs: 0 }, ended: false } as const;
    const query = { ...queryFor('hafas'), stops: true };
    return `${hafas.normalise(wire, query).journeys.length} journeys`;
  } catch (error) {
    if (!CarrierError.is(error)) throw error;
    return error.code;
  }
}

test('hafas: decode(encode(timetable)) is the timetable, over midnight, zones and clock changes', () => {
  fc.assert(
    fc.property(
      pair,
      anyDate,
      fc.integer(),
      anyPeople,
      fc.boolean(),
      anyWalks,
      ([origin, destination], day, seed, passengers, offsets, walks) => {
        fc.pre(offsets || !hasTwoMeanings(day));
        const query = { carrier: 'hafas', origin, destination, date: day } as const;
        const trains = createTimetable({ seed }).trains(query);
        const pages = [{ body: bytesOf(encodeHafas(trains, { offsets, walks })), receivedAt }];
        const answer = hafas.normalise(
          { pages, ask: { kind: 'time', atMs: 0 }, ended: false },
          queryOf(origin, destination, day, passengers),
        );
        expect(answer.filtered).toBeUndefined();
        expect(told(answer)).toEqual(truth(trains, passengers, walks));
      },
    ),
    { numRuns: runs(600) },
  );
});

test("hafas: platforms, remarks, coupled trains, and with `stops` the stops on the way are the timetable's", () => {
  fc.assert(
    fc.property(
      pair,
      anyDate,
      fc.integer(),
      fc.boolean(),
      fc.boolean(),
      ([origin, destination], day, seed, stops, offsets) => {
        fc.pre(offsets || !hasTwoMeanings(day));
        const query = { carrier: 'hafas', origin, destination, date: day } as const;
        const trains = createTimetable({ seed }).trains(query);
        const pages = [{ body: bytesOf(encodeHafas(trains, { stops, offsets })), receivedAt }];
        const { journeys, places = [] } = hafas.normalise(
          { pages, ask: { kind: 'time', atMs: 0 }, ended: false },
          { ...queryOf(origin, destination, day), stops },
        );
        expect(journeys.map(detailsTold)).toEqual(
          trains.map((train) => detailsTrue(train, { stops })),
        );
        const named = new Set(places.map(({ id }) => id));
        for (const { legs } of journeys) {
          for (const leg of legs) {
            if (leg.kind !== 'ride') continue;
            for (const { station } of leg.stops ?? []) expect(named.has(station)).toBe(true);
          }
        }
      },
    ),
    { numRuns: runs(400) },
  );
});

test('hafas: a change that is shorter than it must be as things are expected is tight', () => {
  fc.assert(
    fc.property(pair, anyDate, fc.integer(), ([origin, destination], day, seed) => {
      const query = { carrier: 'hafas', origin, destination, date: day } as const;
      const trains = createTimetable({ seed }).trains(query);
      const pages = [{ body: bytesOf(encodeHafas(trains)), receivedAt }];
      const { journeys } = hafas.normalise(
        { pages, ask: { kind: 'time', atMs: 0 }, ended: false },
        queryOf(origin, destination, day),
      );
      trains.forEach(({ connection }, index) => {
        if (connection === undefined) return;
        const [before, after] = connection;
        const late = (after.delayMinutes ?? 0) - (before.delayMinutes ?? 0);
        const minutes = (after.departureMs - before.arrivalMs) / 60_000 + late;
        if (minutes < 0 || minutes >= shortestChange(before, after)) return;
        const risks = journeys[index]?.legs.flatMap((leg) =>
          leg.kind === 'transfer' ? [leg.risk] : [],
        );
        expect(risks).toContain('tight');
      });
    }),
    { numRuns: runs(400) },
  );
});

test('hafas: trains from a stop near the station are shown as that, with their own times', () => {
  fc.assert(
    fc.property(pair, anyDate, fc.integer(), fc.boolean(), (ends, day, seed, offsets) => {
      const [origin, destination] = ends;
      fc.pre(offsets || !hasTwoMeanings(day));
      const query = { carrier: 'hafas', origin, destination, date: day } as const;
      const trains = createTimetable({ seed }).trains(query);
      const body = bytesOf(encodeHafas(trains, { nearby: true, offsets }));
      const pages = [{ body, receivedAt }];
      const answer = hafas.normalise(
        { pages, ask: { kind: 'time', atMs: 0 }, ended: false },
        queryOf(origin, destination, day),
      );
      expect(answer.filtered).toBeUndefined();
      expect(
        answer.journeys.map(({ legs: [way, ride], durationMinutes, transfers }) => [
          way?.kind === 'transfer' && [way.nearby, way.origin],
          ride?.kind === 'ride' && [ride.number, ride.departure.ms, ride.origin !== way?.origin],
          durationMinutes,
          transfers,
        ]),
      ).toEqual(
        trains.map((train) => [
          [true, `uic:${origin}`],
          [train.number, train.departureMs, true],
          timesTrue(train).durationMinutes,
          timesTrue(train).transfers,
        ]),
      );
    }),
    { numRuns: runs(200) },
  );
});

test('hafas: a server without offsets has the same journeys as one with them', async () => {
  const upstream = await startUpstream();
  const options = { id: 'hafas', name: 'HAFAS', baseUrl: `${upstream.sim.url}/hafas`, now };
  const local = createHafas({ ...options, profile: hafasLocalSimProfile });
  for (const ends of [
    ['7015400', '8727100'],
    ['8101003', '8020347'],
    ['8727100', '7015400'],
  ] as const) {
    const query = { ...queryOf(...ends), time: '15:00' };
    const [plain, other] = [
      await ask(upstream, upstream.carriers.hafas, query),
      await ask(upstream, local, query),
    ];
    expect(other.journeys.length).toBeGreaterThan(0);
    expect(told(other)).toEqual(told(plain));
  }
});

test('hafas: fares whose names the server leaves out are prices without a name', () => {
  const query = { carrier: 'hafas', origin: '8101003', destination: '8020347' } as const;
  const trains = createTimetable({ seed: 1 }).trains({ ...query, date: '2026-12-01' });
  const body = bytesOf(encodeHafas(trains.slice(0, 1), { fault: 'nameless-fares' }));
  const wire = { pages: [{ body, receivedAt }], ask: { kind: 'time', atMs: 0 }, ended: false };
  const { journeys } = hafas.normalise(wire as never, queryFor('hafas'));
  const cents = trains[0]?.fares.filter(({ seller }) => seller === 'hafas').map((f) => f.cents);
  expect(cents?.length).toBeGreaterThan(0);
  expect(journeys[0]?.offers.map(({ total }) => total.amount)).toEqual(cents);
  expect(journeys[0]?.offers.every(({ fareName }) => fareName === undefined)).toBe(true);
});

const zones = [
  'Europe/Madrid',
  'Europe/London',
  'Europe/Vienna',
  'Europe/Helsinki',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Sydney',
];

test('hafas: readTime(writeTime(t)) is t in seven zones, on any second, with and without offset', () => {
  const read = createWireReader('hafas');
  const ms = fc.integer({ min: Date.UTC(2026, 0, 1) / 1000, max: Date.UTC(2027, 0, 1) / 1000 });
  const ahead = fc.integer({ min: 0, max: 3 });
  fc.assert(
    fc.property(ms, fc.constantFrom(...zones), ahead, (seconds, zone, days) => {
      const at = seconds * 1000;
      const { date: local, time } = writeTime(clock, at, zone);
      const iso = clock.fromEpoch(at, zone).iso;
      const naive = Date.parse(`${iso.slice(0, 19)}Z`);
      const day = addDays(iso.slice(0, 10), -days).replaceAll('-', '');
      expect(days > 0 || local === day).toBe(true);
      const text = `${days === 0 ? '' : String(days).padStart(2, '0')}${time}`;
      const offset = (naive - at) / 60_000;
      expect(readTime({ read, clock }, { day, text, offset }, 'Europe/Paris')).toEqual([at]);
      expect(readTime({ read, clock }, { day, text, offset: undefined }, zone)).toContain(at);
    }),
    { numRuns: runs(5000) },
  );
});

const golden = fixture('hafas.json');

test('hafas: any bytes, and any other JSON, are PROTOCOL', () => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => bytesOf(JSON.stringify(value)));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), json), (bytes) => {
      expect(outcome(bytes)).toBe('PROTOCOL');
    }),
    { numRuns: runs(3000) },
  );
});

test('hafas: an answer with other values in it is read, or PROTOCOL', () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom(
      null,
      -1,
      1e300,
      '',
      '__proto__',
      [],
      {},
      { toString: false },
      true,
      '01061000',
      'A=1@L=1@',
    ),
  );
  fc.assert(
    fc.property(fc.nat(), value, fc.boolean(), (at, other, isDropped) => {
      const answer = JSON.parse(new TextDecoder().decode(golden));
      const spots = spotsOf(answer.svcResL[0].res);
      const [holder, name] = spots[at % spots.length] as [Record<string, unknown>, string];
      if (isDropped) delete holder[name];
      else holder[name] = other;
      expect(outcome(bytesOf(JSON.stringify(answer)))).toMatch(/^(PROTOCOL|[0-4] journeys)$/);
    }),
    { numRuns: runs(3000) },
  );
});

test('hafas: an answer of which bytes are cut, dropped, repeated or replaced is read, or PROTOCOL', () => {
  fc.assert(
    fc.property(editsOf(golden), (bytes) => {
      expect(outcome(bytes)).toMatch(/^(PROTOCOL|\d journeys)$/);
    }),
    { numRuns: runs(5000) },
  );
});

test('hafas: pages before and after any time are every train of the days, each once', async () => {
  const upstream = await startUpstream();
  const wholeDays = fc.constantFrom('2026-12-01', '2027-03-27', '2027-03-28', '2027-01-31');
  const minutes = fc.integer({ min: 0, max: 1439 });
  const served = fc.constantFrom<[string, string]>(
    ['8101003', '8020347'],
    ['7015400', '8727100'],
    ['8727100', '7015400'],
    ['8768600', '8301700'],
    ['8503000', '8020347'],
  );
  await fc.assert(
    fc.asyncProperty(
      served,
      wholeDays,
      minutes,
      fc.integer({ min: 1, max: 7 }),
      async (ends, day, minute, size) => {
        upstream.sim.setPlan('hafas', { pageSize: size });
        const query = queryOf(...ends, day);
        const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
        const { hafas: carrier } = upstream.carriers;
        const first = await ask(upstream, carrier, { ...query, time });
        const departures = first.journeys.map(({ departure }) => departure.ms);
        const [fromMs, untilMs] = [0, 1].map((days) =>
          clock.epoch(`${addDays(day, days)}T00:00`, query.origin.zone),
        ) as [number, number];
        for (const direction of ['earlier', 'later'] as const) {
          let token = first.pages?.[direction];
          for (let reach = NaN; token !== undefined; ) {
            const answer = await ask(upstream, carrier, {
              ...query,
              time,
              page: { direction, token },
            });
            departures.push(...answer.journeys.map(({ departure }) => departure.ms));
            reach =
              direction === 'later'
                ? (answer.covers?.untilMs ?? NaN)
                : (answer.covers?.fromMs ?? NaN);
            token = answer.pages?.[direction];
            if (direction === 'later' ? reach >= untilMs : reach < fromMs) break;
          }
        }
        const trains = upstream.sim.trains({
          carrier: 'hafas',
          origin: ends[0],
          destination: ends[1],
          date: day,
        });
        expect(departures.filter((ms) => ms >= fromMs && ms < untilMs).sort()).toEqual(
          trains.map(({ departureMs }) => departureMs),
        );
        expect(new Set(departures).size).toBe(departures.length);
      },
    ),
    { numRuns: runs(60) },
  );
});

/** Every place of a value in it, by the object that holds it and the name there. */
function spotsOf(value: unknown): [Record<string, unknown>, string][] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((name) => [
    [holder, name] as [Record<string, unknown>, string],
    ...spotsOf(holder[name]),
  ]);
}
