import { cheapestTotal, type Journey } from '@ticketing/core';
import { expect, test } from 'vitest';
import { createOsdm, type OsdmWire } from '../src/index.ts';
import { bytesOf, createCarriers, failureOf, fixture, queryOf } from './upstream.ts';

const { osdm } = createCarriers('http://127.0.0.1:1');
const receivedAt = Date.UTC(2026, 10, 30, 9);
const query = queryOf('8500010', '8301700');
const midnight = Date.UTC(2026, 10, 30, 23);
const ask = { atMs: midnight, by: 'departure', direction: 'later' } as const;
const golden = JSON.parse(new TextDecoder().decode(fixture('osdm.json')));

const wireOf = (offers: unknown, more: Partial<OsdmWire> = {}): OsdmWire => ({
  pages: [{ ask, offers: bytesOf(JSON.stringify(offers)) }],
  whole: true,
  receivedAt,
  ...more,
});
const read = (offers: unknown, asked = query) => osdm.normalise(wireOf(offers), asked);
/** The golden answer with one value changed. */
function changed(change: (answer: typeof golden) => void): unknown {
  const answer = structuredClone(golden);
  change(answer);
  return answer;
}
const [first, second, third] = read(golden).journeys as [Journey, Journey, Journey];

test('a direct train: expected times, coupled numbers, scales, classes, problems beside offers', () => {
  expect(first).toMatchObject({
    departure: { iso: '2026-12-01T08:28:00+01:00[Europe/Zurich]' },
    arrival: { iso: '2026-12-01T12:32:00+01:00[Europe/Rome]' },
    // As expected: it leaves three minutes late.
    durationMinutes: 241,
    sources: ['osdm'],
    legs: [
      {
        origin: 'uic:8500010',
        destination: 'uic:8301700',
        expectedDeparture: { iso: '2026-12-01T08:31:00+01:00[Europe/Zurich]' },
        brand: 'EC',
        number: '57',
        otherNumbers: ['1057'],
        operator: 'SBB',
        departurePlatform: { planned: '7', expected: '8' },
        remarks: [{ kind: 'info', text: 'Restaurant car & family coach', code: 'WR' }],
      },
    ],
    offers: [
      {
        id: 'o-saver',
        seller: 'osdm',
        total: { amount: 5900, currency: 'CHF' },
        travelClass: 'second',
        fareName: 'Sparbillett',
        flexibility: 'semi',
        seatsLeft: 9,
        conditions: { refund: 'no', exchange: 'fee', text: 'Umtausch bis zum Vortag' },
        validUntil: Date.UTC(2026, 10, 30, 9, 20),
        fetchedAt: receivedAt,
      },
      { id: 'o-first', total: { amount: 9850, currency: 'CHF' }, flexibility: 'full' },
    ],
  });
  expect(first.legs[0]).not.toHaveProperty('expectedArrival');
  expect(first.legs[0]).not.toHaveProperty('mode');
  expect(first.legs[0]).not.toHaveProperty('stops');
  const withStops = read(golden, { ...query, stops: true }).journeys[0]?.legs[0];
  expect(withStops).toMatchObject({ stops: [{ station: 'uic:8507000' }] });
  expect(first).not.toHaveProperty('unpriced');
});

test('a change: two partial offers, sums of parts and fees, a line, a bus, a place of another namespace', () => {
  expect(second).toMatchObject({
    transfers: 1,
    legs: [
      { brand: 'S8', destination: 'x_ch:42', operator: 'SBB' },
      { kind: 'transfer', origin: 'x_ch:42', destination: 'x_ch:42', minutes: 10 },
      { brand: 'Bus 7', mode: 'bus', cancelled: true },
    ],
    offers: [
      { id: 'o-part-1', rides: [0], total: { amount: 1700, currency: 'EUR' }, seatsLeft: 3 },
      {
        id: 'o-part-2',
        rides: [1],
        total: { amount: 2100 },
        travelClass: 'any',
        flexibility: 'unknown',
      },
    ],
  });
  expect(second.legs[0]).not.toHaveProperty('number');
  expect(cheapestTotal(second)).toMatchObject({ amount: 3800, currency: 'EUR' });
  expect(read(golden).places).toContainEqual({
    id: 'x_ch:42',
    name: 'Somewhere',
    zone: 'Europe/Zurich',
  });
});

test('a night train that is cancelled, and sold out since others have offers', () => {
  expect(third).toMatchObject({
    arrival: { iso: '2026-12-02T08:10:00+01:00[Europe/Rome]' },
    legs: [{ brand: 'NJ', number: '401', cancelled: true, operatingDay: '2026-12-01' }],
    offers: [],
  });
  expect(third).not.toHaveProperty('unpriced');
});

test('trips without any offer are unpriced', () => {
  const { journeys } = read({ trips: golden.trips, offers: [] });
  expect(journeys.map(({ unpriced }) => unpriced)).toEqual([['osdm'], ['osdm'], ['osdm']]);
});

test('offers for some of the passengers name these, and are none for all', () => {
  const two = queryOf('8500010', '8301700', '2026-12-01', 2);
  const { offers } = read(golden, two).journeys[0] as Journey;
  expect(offers).not.toEqual([]);
  for (const { passengers } of offers) expect(passengers).toEqual([0]);
  const forBoth = changed(({ offers }) => {
    offers[1].passengerRefs = ['p2', 'p1'];
  });
  const [saver, ...others] = (read(forBoth, two).journeys[0] as Journey).offers;
  expect(saver).toMatchObject({ id: 'o-saver' });
  expect(saver).not.toHaveProperty('passengers');
  for (const { passengers } of others) expect(passengers).toEqual([0]);
});

test('offers of another class are left out', () => {
  const { journeys } = read(golden, { ...query, travelClass: 'first' });
  expect(journeys[0]?.offers.map(({ id }) => id)).toEqual(['o-first']);
});

test.each([
  ['JPY', 590_000, 2, 5900],
  ['JPY', 5900, 0, 5900],
  ['CHF', 59, 0, 5900],
  ['TND', 5900, 2, 59_000],
  ['CHF', 590_000, 4, 5900],
  ['CHF', 0, 2, 0],
])('%s %i with scale %i is %i minor units', (currency, amount, scale, minor) => {
  const answer = changed(({ offers }) => {
    offers[1].offerSummary.minimalPrice = { currency, amount, scale };
  });
  expect(read(answer).journeys[0]?.offers.find(({ id }) => id === 'o-saver')?.total).toEqual({
    amount: minor,
    currency,
  });
});

test.each([
  { currency: 'JPY', amount: 590_050, scale: 2 },
  { currency: 'CHF', amount: 59.5 },
  { currency: 'CHF', amount: '5900 cents' },
  { currency: 'CHF', amount: -1 },
  { currency: 'CHF', amount: 5900, scale: 1.5 },
  { currency: 'CHF', amount: 5900, scale: -1 },
  { currency: 'CHF', amount: 2 ** 53, scale: 0 },
  { currency: 'francs', amount: 5900 },
  {},
])('the price %j is PROTOCOL', async (price) => {
  const answer = changed(({ offers }) => {
    offers[1].offerSummary.minimalPrice = price;
  });
  expect((await failureOf(() => read(answer))).code).toBe('PROTOCOL');
});

test.each(['2026-02-30T08:28:00+01:00', '2026-02-30T08:28:00', '08:28', 5])(
  'the time %j is PROTOCOL',
  async (time) => {
    const answer = changed(({ trips }) => {
      trips[0].legs[0].timedLeg.start.serviceDeparture.timetabledTime = time;
    });
    expect((await failureOf(() => read(answer))).code).toBe('PROTOCOL');
  },
);

test.each([
  ['a taxi', { id: 't', continuousLeg: { service: { continuousMode: 'DEMAND_RESPONSIVE' } } }],
  ['two legs of one id', golden.trips[0].legs[0]],
])('a trip with %s is left out and counted', (_what, leg) => {
  const answer = changed(({ trips }) => trips[0].legs.push(leg));
  expect(read(answer)).toMatchObject({ journeys: [{}, {}], filtered: 1 });
});

test('a way of which neither ends nor minutes are known is no leg', () => {
  const walk = { id: 'w', continuousLeg: { service: { individualMode: 'WALK' } } };
  const answer = changed(({ trips }) => {
    trips[0].legs.unshift({ id: 'v', transferLeg: {} });
    trips[0].legs.push(walk);
  });
  expect(read(answer).journeys[0]?.legs).toHaveLength(1);
});

test.each([
  ['urn:uic:stn:8509999', 'uic:8509999'],
  ['ch:1:sloid:3000', 'sloid:ch:1:sloid:3000'],
  ['urn:x_db:stn:8000261', 'x_db:8000261'],
  ['8301700', 'osdm:8301700'],
])('the station %s that no table has is the place %s', (ref, id) => {
  const answer = changed(({ trips }) => {
    trips[0].legs[0].timedLeg.end.stopPlaceRef = ref;
  });
  expect(read(answer).journeys[0]?.legs[0]?.destination).toBe(id);
});

test('a station abroad that no table has keeps the clock that the provider writes', () => {
  const answer = changed(({ trips }) => {
    const { end } = trips[0].legs[0].timedLeg;
    end.stopPlaceRef = 'urn:x_tr:stn:1';
    end.serviceArrival = { timetabledTime: '2026-12-01T15:32:00+03:00' };
  });
  expect(read(answer).journeys[0]?.arrival.iso).toBe('2026-12-01T15:32:00+03:00[Etc/GMT-3]');
});

test('codes of a namespace are of the first of its systems that has them', () => {
  const own = createOsdm({
    id: 'osdm',
    name: 'Rail',
    baseUrl: 'http://127.0.0.1:1',
    namespace: 'x_db',
    stationCodes: ['ibnr', 'uic'],
  });
  const answer = changed(({ trips }) => {
    trips[0].legs[0].timedLeg.start.stopPlaceRef = 'urn:x_db:stn:8000261';
  });
  expect(own.normalise(wireOf(answer), query).journeys[0]?.legs[0]?.origin).toBe('uic:8020347');
  expect(own.capabilities?.stationSystem).toBe('ibnr');
});

test.each([
  [{ code: 'NO_TRIP_FOUND', status: 404 }, 'NO_RESULTS'],
  [{ code: 'X', pointers: [{ requestPointer: '#/tripSearchCriteria/origin' }] }, 'NOT_SERVED'],
  [{ pointers: [{ requestPointer: '#/tripSearchCriteria/vias[0]/viaPlace' }] }, 'NOT_SERVED'],
  [{ pointers: [{ requestPointer: '#/tripSearchCriteria/departureTime' }] }, 'DATE_OUT_OF_RANGE'],
  [{ code: 'RESOURCE_NOT_FOUND' }, 'NO_RESULTS'],
  [{ status: 404 }, 'NO_RESULTS'],
  [{ status: 400 }, 'BAD_REQUEST'],
  [{ status: 401 }, 'AUTH'],
  [{ status: 403 }, 'AUTH'],
  [{ status: 406 }, 'BAD_REQUEST'],
  [{ status: 415 }, 'BAD_REQUEST'],
  [{ status: 429 }, 'RATE_LIMITED'],
  [{ status: 500 }, 'HTTP'],
  [{ status: 501 }, 'BAD_REQUEST'],
  [{ status: 503 }, 'OVERLOADED'],
  [{ title: 'something', pointers: [null, 5, { requestPointer: {} }] }, 'UPSTREAM'],
  ['text', 'UPSTREAM'],
])('the problem %j without offers is %s', async (problem, code) => {
  const error = await failureOf(() => read({ problems: [problem], trips: [], offers: [] }));
  expect(error.code).toBe(code);
  expect((await failureOf(() => read({ problems: [problem], trips: golden.trips }))).code).toBe(
    code,
  );
});

const bare = 'with a problem without code and status';
test.each([
  [399, bare],
  [400, 'with status 400'],
  [599, 'with status 599'],
  [600, bare],
  ['404', bare],
])('the status %j of a problem counts only as one of errors', async (status, what) => {
  const error = await failureOf(() => read({ problems: [{ status }], trips: [], offers: [] }));
  expect(error.message).toBe(`Cannot ask \`osdm\`: it answered ${what}`);
});

test('page 2 by a link: its query is the token, its host is not asked', () => {
  const trips = {
    id: 'c1',
    trips: golden.trips,
    _links: [
      { rel: 'next', href: 'https://elsewhere.example/other?page=3&x=1' },
      { rel: 'prev', href: '?page=1' },
    ],
  };
  const offers = bytesOf(JSON.stringify({ offers: golden.offers }));
  const page = { ask: { ...ask, link: '?page=2' }, trips: bytesOf(JSON.stringify(trips)), offers };
  const token = `d${midnight}`;
  const answer = osdm.normalise(
    { pages: [page], whole: false, receivedAt },
    { ...query, page: { direction: 'later', token: `${token}?page=2` } },
  );
  expect(answer.pages).toEqual({ later: `${token}?page=3&x=1`, earlier: `${token}?page=1` });
  expect(answer.journeys).toEqual(read(golden).journeys);
});

test('a day begins at midnight, and its answer has what it covers', () => {
  const endMs = midnight + 86_400_000;
  expect(read(golden)).toMatchObject({
    covers: { fromMs: midnight, untilMs: endMs },
    pages: { earlier: `d${midnight - 1}`, later: `d${endMs}` },
  });
  const part = osdm.normalise(wireOf(golden, { whole: false }), query);
  expect(part).toMatchObject({
    covers: { untilMs: third.departure.ms },
    pages: { later: `d${third.departure.ms}~${third.id}` },
  });
});
