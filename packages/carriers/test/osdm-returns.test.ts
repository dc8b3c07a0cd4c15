import { type CarrierContext, type CarrierHttpRequest, createSearch } from '@ticketing/core';
import { expect, test } from 'vitest';
import { bytesOf, failureOf, now, queryFor, queryOf, rail, startUpstream } from './upstream.ts';

const returns = { date: '2026-12-03', time: '12:00' };
const query = { ...queryFor('osdm'), time: '08:00' };

const call = (uic: string, name: string, time: string) => ({
  stopPlaceRef: { objectType: 'StopPlaceRef', stopPlaceRef: `urn:uic:stn:${uic}` },
  [name]: { timetabledTime: time },
});
const trip = (id: string, [from, to]: readonly [string, string], day: string) => ({
  id,
  legs: [
    {
      id: 'l1',
      timedLeg: {
        start: call(from, 'serviceDeparture', `${day}T13:00:00+01:00`),
        end: call(to, 'serviceArrival', `${day}T16:00:00+01:00`),
        service: { vehicleNumbers: [id.replace(/\D/g, '')] },
      },
    },
  ],
});
const [zurich, milano] = ['8503000', '8301700'];
const out = {
  trips: [trip('t1', [zurich, milano], '2026-12-01'), trip('t2', [zurich, milano], '2026-12-01')],
};
const home = { trips: [trip('t7', [milano, zurich], '2026-12-03')] };
const offerFor = (id: string, amount: number, more: object) => ({
  offerId: id,
  passengerRefs: ['p1'],
  offerSummary: {
    minimalPrice: { currency: 'CHF', amount, scale: 2 },
    overallTravelClass: 'SECOND',
  },
  ...more,
});
const covers = (name: string, coveredTripId: string) => ({ [name]: { coveredTripId } });

/** Answers trips out, trips back and offers; keeps the requests. */
function provider(offers: unknown, ways: readonly unknown[] = [out, home]) {
  const sent: (CarrierHttpRequest & { readonly json: Record<string, never> })[] = [];
  const http: CarrierContext['http'] = {
    async send(request) {
      const json = JSON.parse(String(request.body));
      sent.push({ ...request, json });
      const isBack = json.origin?.stopPlaceRef === `urn:uic:stn:${milano}`;
      const body = request.url.endsWith('/offers') ? { offers } : ways[isBack ? 1 : 0];
      return { status: 200, headers: {}, body: bytesOf(JSON.stringify(body)), receivedAt: 1 };
    },
  };
  const context = { signal: new AbortController().signal, deadline: Infinity, http };
  const carrier = rail('http://osdm.test');
  const asked = { ...query, returns };
  const ask = async () =>
    carrier.normalise(structuredClone(await carrier.request(asked, context)), asked);
  return { sent, ask };
}

test('OSDM: offers with equal return tags are priced together, and so is an offer for both ways', async () => {
  const { ask, sent } = provider([
    offerFor('single', 1000, covers('tripCoverage', 't1')),
    offerFor('a1', 5000, { ...covers('tripCoverage', 't1'), returnTags: ['x', 'y'] }),
    offerFor('b1', 4000, { ...covers('inboundTripCoverage', 't7'), returnTags: ['y', 'x'] }),
    offerFor('b2', 100, { ...covers('inboundTripCoverage', 't7'), returnTags: ['x'] }),
    offerFor('c', 7000, {
      ...covers('tripCoverage', 't2'),
      ...covers('inboundTripCoverage', 't7'),
    }),
    offerFor('a2', 6000, { ...covers('tripCoverage', 't2'), returnTags: ['z'] }),
    offerFor('b3', 6000, { ...covers('tripCoverage', 't7'), returnTags: ['z'] }),
  ]);
  const { journeys, returns: found } = await ask();
  expect([journeys.length, found?.journeys.length]).toEqual([2, 1]);
  expect(
    found?.pairs.map(({ outbound, inbound, offer }) => [outbound, inbound, offer.id, offer.total]),
  ).toEqual([
    [1, 0, 'c', { amount: 7000, currency: 'CHF' }],
    [0, 0, 'a1+b1', { amount: 9000, currency: 'CHF' }],
  ]);
  expect(sent.map(({ url, json }) => [url.slice(16), json['departureTime'] ?? json])).toMatchObject(
    [
      ['/trips-collections', '2026-12-01T08:00:00+01:00'],
      ['/trips-collections', '2026-12-03T12:00:00+01:00'],
      ['/offers', { tripIds: ['t1', 't2'], inboundTripIds: ['t7'] }],
    ],
  );
});

test('OSDM: without trips of one way, offers are not asked for', async () => {
  const { ask, sent } = provider([], [out, { trips: [] }]);
  expect(await ask()).toMatchObject({ returns: { journeys: [], pairs: [] } });
  expect(sent).toHaveLength(2);
});

test('OSDM: a price of both ways that cannot be read is PROTOCOL', async () => {
  const { ask } = provider([
    offerFor('c', 70.5, {
      ...covers('tripCoverage', 't2'),
      ...covers('inboundTripCoverage', 't7'),
    }),
  ]);
  expect((await failureOf(ask)).code).toBe('PROTOCOL');
});

test('OSDM: a round trip at the simulator costs 15 % less where the same fare is bought both ways', async () => {
  const { carriers, http, sim } = await startUpstream();
  await using search = createSearch({ carriers: [carriers.osdm], http: http.clientOf, now });
  const { origin, destination, passengers, date } = queryFor('osdm');
  const ways = { origin, destination, passengers, date, returnDate: '2026-12-03' };
  const { outbound, inbound, pairs = [], complete } = await search.roundTrip(ways);
  expect(complete).toBe(true);
  expect(pairs.length).toBeGreaterThan(10);
  const trainsOf = (from: string, to: string, day: string) =>
    sim.trains({ origin: from, destination: to, date: day });
  const [from, to] = [String(origin.codes['uic']), String(destination.codes['uic'])];
  const days = [trainsOf(from, to, date), trainsOf(to, from, '2026-12-03')];
  const faresOf = (way: number, ms: number) =>
    (days[way] ?? [])
      .filter(({ departureMs }) => departureMs === ms)
      .flatMap(({ fares }) => fares.filter(({ seller }) => seller === 'osdm'));
  const reduced = (cents: number) => Math.ceil((cents * 0.85) / 10) * 10;
  let priced = 0;
  for (const there of outbound.journeys) {
    for (const back of inbound.journeys) {
      const sums = faresOf(0, there.departure.ms).flatMap((fare) =>
        faresOf(1, back.departure.ms)
          .filter(({ code }) => code === fare.code)
          .map(({ cents }) => reduced(fare.cents) + reduced(cents)),
      );
      const pair = pairs.find((one) => one.outbound === there.id && one.inbound === back.id);
      // Those of the first page of each way are priced.
      if (pair === undefined) continue;
      priced += 1;
      expect(pair.offer.total.amount).toBe(Math.min(...sums));
    }
  }
  expect(priced).toBe(pairs.length);
});

test('OSDM: a pair that the provider does not serve is NOT_SERVED', async () => {
  const { carriers, http } = await startUpstream();
  await using search = createSearch({ carriers: [carriers.osdm], http: http.clientOf, now });
  const { origin, destination } = queryOf();
  const { pairing } = await search.roundTrip({
    ...{ origin, destination, date: '2026-12-01', returnDate: '2026-12-02' },
  });
  expect(pairing).toMatchObject([{ state: 'empty', found: 0 }]);
});
