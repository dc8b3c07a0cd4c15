import { expect, test } from 'vitest';
import { date, startedSim } from './started-sim.ts';

const zurich = { objectType: 'StopPlaceRef', stopPlaceRef: 'urn:uic:stn:8503000' };
const bern = { objectType: 'StopPlaceRef', stopPlaceRef: 'urn:uic:stn:8507000' };
const criteria = { departureTime: `${date}T08:00:00+01:00`, origin: zurich, destination: bern };
const passenger = { externalRef: 'p1', type: 'PERSON', age: 35 };
const search = { tripSearchCriteria: criteria, anonymousPassengerSpecifications: [passenger] };
const right = { authorization: 'Bearer x', 'content-type': 'application/json' };

async function post(path: string, body: unknown, headers: Record<string, string> = right) {
  const sim = await startedSim();
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${sim.url}/osdm${path}`, init);
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what these tests look at
  const answer = (await response.json()) as any;
  return { sim, status: response.status, headers: response.headers, body: answer };
}

test('osdm answers five trips by default, each with the offers of its train', async () => {
  const { sim, status, body } = await post('/offers', search);
  expect(status).toBe(200);
  const trains = sim
    .trains({ carrier: 'osdm', origin: '8503000', destination: '8507000', date })
    .filter(({ departureMs }) => departureMs >= Date.parse(criteria.departureTime))
    .slice(0, 5);
  expect(body.trips.map((trip: { startTime: string }) => Date.parse(trip.startTime))).toEqual(
    trains.map(({ departureMs }) => departureMs),
  );
  expect(body.offers).toHaveLength(trains.flatMap(({ fares }) => fares).length);
  expect(body.offers[0].offerSummary.minimalPrice).toEqual({
    currency: 'CHF',
    amount: trains[0]?.fares[0]?.cents,
    scale: 2,
  });
});

test('osdm pages collections of trips by links to another host, and sells trips by their ids', async () => {
  const { sim, body } = await post('/trips-collections', criteria);
  const [next, prev] = body._links;
  expect([next.rel, prev.rel]).toEqual(['next', 'prev']);
  const { host, search: page } = new URL(next.href);
  expect(host).not.toBe(new URL(sim.url).host);
  const later = await post(`/trips-collections${page}`, criteria);
  expect(later.body.trips[0].startTime > body.trips.at(-1).startTime).toBe(true);
  const tripIds = body.trips.map(({ id }: { id: string }) => id);
  const sold = await post('/offers', { tripIds, anonymousPassengerSpecifications: [passenger] });
  expect(Object.keys(sold.body)).toEqual(['offers']);
  expect(sold.body.offers.length).toBeGreaterThan(0);
});

test('osdm writes the stops between the ends of a train if they are asked for', async () => {
  const stopBehavior = 'REAL_BOARDING_ALIGHTING';
  const milano = { ...bern, stopPlaceRef: 'urn:uic:stn:8301700' };
  const far = { ...criteria, destination: milano };
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what this test looks at
  const legsOf = ({ body }: { body: any }) =>
    body.trips.flatMap(({ legs }: { legs: object[] }) => legs).filter(isTimed);
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const isTimed = (leg: any) => leg.timedLeg !== undefined;
  const trips = await post(`/trips-collections?stopBehavior=${stopBehavior}`, far);
  const offers = await post('/offers', {
    ...search,
    tripSearchCriteria: far,
    tripResponseParameters: { stopBehavior },
  });
  for (const answer of [trips, offers]) {
    const stops = legsOf(answer).flatMap(({ timedLeg }: never) => timedLeg['intermediates']);
    expect(stops.length).toBeGreaterThan(0);
    expect(stops[0]).toMatchObject({
      stopPlaceRef: { objectType: 'StopPlaceRef' },
      plannedStopPointName: expect.any(String),
      serviceArrival: { timetabledTime: expect.any(String) },
      serviceDeparture: { timetabledTime: expect.any(String) },
    });
  }
  const [without] = legsOf(await post('/offers', { ...search, tripSearchCriteria: far }));
  expect(without.timedLeg).not.toHaveProperty('intermediates');
  expect(without.timedLeg.start).toHaveProperty('plannedStopPointName');
  const wrong = await post('/trips-collections?stopBehavior=ALL', far);
  expect(wrong).toMatchObject({ status: 400 });
});

test('osdm leaves out what a search does not want', async () => {
  const change = { ...criteria, destination: { ...bern, stopPlaceRef: 'urn:uic:stn:8301700' } };
  const found = async (more: object) => {
    const { body } = await post('/trips-collections', { ...change, ...more });
    return body.trips.map(({ transfers }: { transfers: number }) => transfers);
  };
  expect(new Set(await found({ parameters: { transferLimit: 0 } }))).toEqual(new Set([0]));
  const first = { ...search, offerSearchCriteria: { travelClasses: ['FIRST'] } };
  const { body } = await post('/offers', first);
  for (const offer of body.offers) expect(offer.offerSummary.overallTravelClass).toBe('FIRST');
});

const searchWith = (change: object) => ({
  ...search,
  tripSearchCriteria: { ...criteria, ...change },
});
const place = (urn: string) => ({ ...bern, stopPlaceRef: urn });
test.each<[body: unknown, pointer: string]>([
  [null, '#'],
  [[], '#'],
  [{ ...search, other: 1 }, '#/other'],
  [{ ...search, tripIds: ['x'] }, '#'],
  [{ ...search, tripSearchCriteria: undefined }, '#'],
  [{ ...search, anonymousPassengerSpecifications: [] }, '#/anonymousPassengerSpecifications'],
  [
    { ...search, anonymousPassengerSpecifications: [{ externalRef: 'p1', type: 'PERSON' }] },
    '#/anonymousPassengerSpecifications[0]/age',
  ],
  [{ ...search, embed: ['SOME'] }, '#/embed'],
  [{ ...search, offerSearchCriteria: { offerMode: 'BOTH' } }, '#/offerSearchCriteria/offerMode'],
  [searchWith({ arrivalTime: criteria.departureTime }), '#/tripSearchCriteria'],
  [searchWith({ departureTime: undefined }), '#/tripSearchCriteria'],
  [searchWith({ departureTime: `${date}T07:00:00Z` }), '#/tripSearchCriteria/departureTime'],
  [searchWith({ departureTime: `${date}T08:00:00+02:00` }), '#/tripSearchCriteria/departureTime'],
  [
    searchWith({ departureTime: '2027-12-01T08:00:00+01:00' }),
    '#/tripSearchCriteria/departureTime',
  ],
  [searchWith({ destination: place('8507000') }), '#/tripSearchCriteria/destination'],
  [searchWith({ destination: place('urn:uic:stn:1234567') }), '#/tripSearchCriteria/destination'],
  [searchWith({ destination: 'urn:uic:stn:8507000' }), '#/tripSearchCriteria/destination'],
  [
    searchWith({ parameters: { numberOfResults: 5 } }),
    '#/tripSearchCriteria/parameters/numberOfResults',
  ],
  [
    searchWith({ parameters: { transferLimit: -1 } }),
    '#/tripSearchCriteria/parameters/transferLimit',
  ],
])('osdm refuses search %# with a pointer', async (body, pointer) => {
  const { status, headers, body: problem } = await post('/offers', body);
  expect(status).toBe(400);
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(problem).toMatchObject({ status: 400, pointers: [{ requestPointer: pointer }] });
});

test.each([
  [{ ...right, authorization: '' }, 401, 'UNAUTHORIZED'],
  [{ ...right, 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  [{ ...right, accept: 'text/html' }, 406, 'NOT_ACCEPTABLE'],
])('osdm refuses the headers %j with %i', async (headers, status, code) => {
  expect(await post('/offers', search, headers)).toMatchObject({ status, body: { code } });
});

test('osdm has its own words for a page, a trip, a way and a path that it does not know', async () => {
  const unknown = { tripIds: ['t-1'], anonymousPassengerSpecifications: [passenger] };
  expect((await post('/trips-collections?page=2', criteria)).body.code).toBe('PAGE_UNKNOWN');
  expect((await post('/offers', unknown)).body.code).toBe('TRIP_UNKNOWN');
  const madrid = searchWith({ destination: place('urn:uic:stn:7160000') });
  expect((await post('/offers', madrid)).body.code).toBe('PLACE_NOT_SERVED');
  expect(await post('/trips-collection', criteria)).toMatchObject({ status: 404 });
});
