import {
  createTimetable,
  encodeOsdm,
  fareTermsOf,
  type Train,
  type Walks,
} from '@ticketing/carrier-sim';
import { type CarrierAnswer, CarrierError, type CarrierHttp, type Journey } from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
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
import { ask, bytesOf, createCarriers, fixture, queryOf, rail, startUpstream } from './upstream.ts';

const { osdm } = createCarriers('http://127.0.0.1:1');
const at = { atMs: 0, by: 'departure', direction: 'later' } as const;
const wireOf = (offers: Uint8Array) => ({
  pages: [{ ask: at, offers }],
  whole: true,
  receivedAt: 1,
});

// Stations of the second network.
const pair = fc.oneof(
  pairsWith('ibnr'),
  fc.constantFrom<[string, string]>(
    // Trains that go on under another number, and a late one that is caught.
    ['8768600', '8503000'],
    ['8503000', '8768600'],
    ['8768600', '8507000'],
    ['8500010', '8501120'],
  ),
);

/** What an answer says, in the words of the timetable. */
function told(journey: Journey): unknown {
  const { legs, offers, unpriced } = journey;
  return {
    ...timesTold(journey),
    details: detailsTold(journey),
    rides: legs.flatMap((leg) => {
      if (leg.kind !== 'ride') return [];
      const { number, brand, origin, destination, departure, arrival, cancelled } = leg;
      const late = leg.expectedDeparture && leg.expectedDeparture.ms - departure.ms;
      return [[number, brand, origin, destination, departure.ms, arrival.ms, late, cancelled]];
    }),
    offers: offers.map(({ total, travelClass, fareName, flexibility, seatsLeft, conditions }) => [
      total,
      travelClass,
      fareName,
      flexibility,
      seatsLeft,
      [conditions?.refund, conditions?.exchange, conditions?.text !== undefined],
    ]),
    unpriced,
  };
}

/** Of disruptions the wire has references alone, and of a whole journey nothing. */
function facilitiesOnly({ rides }: ReturnType<typeof detailsTrue>): unknown {
  return {
    remarks: undefined,
    rides: rides.map(({ remarks, ...ride }) => ({
      ...ride,
      remarks: remarks.filter(({ kind }) => kind === 'info'),
    })),
  };
}

interface Asked {
  readonly people: number;
  readonly anyPriced: boolean;
  readonly stops: boolean;
  readonly walks?: Walks | undefined;
}

function truth(train: Train, { people, anyPriced, stops, walks }: Asked): unknown {
  return {
    ...timesTrue(train, walks),
    details: facilitiesOnly(detailsTrue(train, { stops, emissions: people === 1 })),
    rides: (train.connection ?? [train]).map((run) => [
      run.number,
      run.line ?? run.brand,
      `uic:${run.origin}`,
      `uic:${run.destination}`,
      run.departureMs,
      run.arrivalMs,
      run.delayMinutes && run.delayMinutes * 60_000,
      run.cancelled,
    ]),
    offers: train.fares.map((fare) => {
      const { refund, exchange } = fareTermsOf(fare);
      return [
        { amount: fare.cents * people, currency: fare.currency ?? 'EUR' },
        fare.travelClass,
        fare.name,
        fare.flexibility,
        train.seatsLeft,
        [refund, exchange, refund === 'fee'],
      ];
    }),
    unpriced: anyPriced ? undefined : ['osdm'],
  };
}

const style = fc.record({ offsets: fc.boolean(), walks: anyWalks, stops: fc.boolean() });

test('osdm: decode(encode(timetable)) is the timetable', () => {
  fc.assert(
    fc.property(pair, anyDate, fc.integer(), anyPeople, style, (ends, day, seed, people, as) => {
      const [origin, destination] = ends;
      fc.pre(as.offsets || !hasTwoMeanings(day));
      const query = { carrier: 'osdm', origin, destination, date: day } as const;
      const trains = createTimetable({ seed }).trains(query);
      const passengers = Array.from({ length: people }, (_, index) => `p${index + 1}`);
      const body = bytesOf(encodeOsdm(trains, { passengers, ...as }));
      const asked = { ...queryOf(origin, destination, day, people), stops: as.stops };
      const anyPriced = trains.some(({ fares }) => fares.length > 0);
      const { journeys, filtered } = osdm.normalise(wireOf(body), asked);
      expect(journeys.map(told)).toEqual(
        trains.map((train) => truth(train, { people, anyPriced, ...as })),
      );
      expect(filtered).toBeUndefined();
    }),
    { numRuns: runs(1000) },
  );
});

test('osdm: the pages of a search, both ways, are the day; in one call or two, by departure or arrival', async () => {
  const upstream = await startUpstream();
  const variant = fc.record({
    mode: fc.constantFrom('one-call', 'two-calls'),
    pageSize: fc.integer({ min: 1, max: 7 }),
    time: fc.constantFrom('00:00', '06:28', '12:30', '23:59'),
    arriveBy: fc.boolean(),
    linked: fc.boolean(),
    day: fc.constantFrom('2026-12-01', '2027-03-28'),
    ends: fc.constantFrom(['8503000', '8507000'], ['8101003', '8020347'], ['7015400', '8727100']),
  });
  await fc.assert(
    fc.asyncProperty(variant, async ({ mode, pageSize, time, arriveBy, linked, day, ends }) => {
      const [origin, destination] = ends as [string, string];
      upstream.sim.setPlan('osdm', { pageSize });
      const carrier = rail(`${upstream.sim.url}/osdm`, { mode: mode as 'one-call' });
      const query = { ...queryOf(origin, destination, day), time, ...(arriveBy && { arriveBy }) };
      const client = upstream.http.clientOf('osdm');
      const http = linked ? client : withoutLinks(client);
      const first = await ask(upstream, carrier, query, { http });
      const found = new Map(first.journeys.map((journey) => [journey.departure.ms, journey]));
      for (const direction of ['earlier', 'later'] as const) {
        let { pages } = first;
        for (let turn = 0; pages?.[direction] !== undefined && turn < 200; turn++) {
          const token: string = pages[direction];
          const answer: CarrierAnswer = await ask(
            upstream,
            carrier,
            { ...query, page: { direction, token } },
            { http },
          );
          ({ pages } = answer);
          for (const journey of answer.journeys) found.set(journey.departure.ms, journey);
          const days = answer.journeys.map(({ departure }) => departure.iso.slice(0, 10));
          if (
            days.length > 0 &&
            days.every((one) => (direction === 'later' ? one > day : one < day))
          )
            break;
        }
      }
      const onDay = [...found.values()].filter(({ departure }) => departure.iso.startsWith(day));
      const trains = upstream.sim.trains({ carrier: 'osdm', origin, destination, date: day });
      expect(onDay.map(({ departure }) => departure.ms).sort()).toEqual(
        trains.map(({ departureMs }) => departureMs).sort(),
      );
    }),
    { numRuns: runs(100) },
  );
});

const { problems: _, ...sound } = JSON.parse(new TextDecoder().decode(fixture('osdm.json')));
const golden = bytesOf(JSON.stringify(sound));
const asked = { ...queryOf('8500010', '8301700'), stops: true };
const many = osdm.normalise(wireOf(golden), asked).journeys.length;

/** The journeys that are read, or the code of the error. Errors of another kind pass through. */
function outcome(read: () => CarrierAnswer): number | string {
  try {
    return read().journeys.length;
  } catch (error) {
    if (!CarrierError.is(error)) throw error;
    return error.code;
  }
}
const outcomes = (bytes: Uint8Array): readonly (number | string)[] => {
  const body = new Uint8Array(bytes);
  return [
    outcome(() => osdm.normalise(wireOf(body), asked)),
    outcome(() =>
      osdm.normalise({ pages: [{ ask: at, trips: body }], whole: false, receivedAt: 1 }, asked),
    ),
    outcome(() =>
      osdm.normalise(
        { pages: [{ ask: at, trips: golden, offers: body }], whole: true, receivedAt: 1 },
        asked,
      ),
    ),
  ];
};
const isSound = (one: number | string): boolean =>
  one === 'PROTOCOL' || (typeof one === 'number' && one <= many);

test('osdm: any bytes, and any other JSON, are PROTOCOL', () => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => bytesOf(JSON.stringify(value)));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), json), (bytes) => {
      expect(new Set(outcomes(bytes))).toEqual(new Set(['PROTOCOL']));
    }),
    { numRuns: runs(5000) },
  );
});

test('osdm: an answer with other bytes in places is PROTOCOL, or has no more journeys', () => {
  fc.assert(
    fc.property(editsOf(golden), (bytes) => {
      expect(outcomes(bytes).filter((one) => !isSound(one))).toEqual([]);
    }),
    { numRuns: runs(5000) },
  );
});

test('osdm: an answer with another value anywhere is PROTOCOL, or has no more journeys', () => {
  const paths = pathsOf(sound);
  const value = fc.oneof(
    fc.constantFrom<unknown[]>(null, '', 'x', -1, 0, 1e300, true, [], {}, [null], {
      toString: 1,
    }),
    fc.jsonValue({ maxDepth: 2 }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...paths), value, (path, other) => {
      const answer = structuredClone(sound);
      let parent = answer;
      for (const key of path.slice(0, -1)) parent = parent[key];
      parent[path.at(-1) as string] = other;
      const bytes = bytesOf(JSON.stringify(answer));
      expect(outcomes(bytes).filter((one) => !isSound(one))).toEqual([]);
    }),
    { numRuns: runs(5000) },
  );
});

test('osdm: any bytes on the way to an answer are PROTOCOL', async () => {
  const carriers = [osdm, rail('http://127.0.0.1:1', { mode: 'two-calls' })];
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), async (bytes) => {
      const body = new Uint8Array(bytes);
      const http = { send: async () => ({ status: 200, headers: {}, body, receivedAt: 1 }) };
      for (const carrier of carriers) {
        const context = { signal: new AbortController().signal, deadline: Infinity, http };
        await expect(carrier.request(asked, context)).rejects.toMatchObject({ code: 'PROTOCOL' });
      }
    }),
    { numRuns: runs(1000) },
  );
});

/** Providers need not give links. */
function withoutLinks(http: CarrierHttp): CarrierHttp {
  return {
    async send(request) {
      const answer = await http.send(request);
      const { _links, ...rest } = JSON.parse(new TextDecoder().decode(answer.body));
      return { ...answer, body: bytesOf(JSON.stringify(rest)) };
    },
  };
}

/** Returns the way to every value within a value. */
function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inside = Object.entries(value).flatMap(([key, one]) => pathsOf(one, [...path, key]));
  return path.length === 0 ? inside : [path, ...inside];
}
