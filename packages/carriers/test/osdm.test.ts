import {
  type CarrierContext,
  CarrierError,
  type CarrierHttpRequest,
  createSearch,
  type Journey,
} from '@ticketing/core';
import { expect, test } from 'vitest';
import { createOsdm } from '../src/index.ts';
import {
  ask,
  bytesOf,
  failureOf,
  fixture,
  now,
  queryFor,
  queryOf,
  rail,
  startUpstream,
} from './upstream.ts';

const baseUrl = 'http://127.0.0.1:1';
const query = queryFor('osdm');
const golden = fixture('osdm.json');

/** Answers each request with the next of these bodies, or the last; keeps the requests. */
function recorded(bodies: readonly unknown[], answer: object = {}) {
  const sent: CarrierHttpRequest[] = [];
  const http: CarrierContext['http'] = {
    async send(request) {
      sent.push(request);
      const body = bodies[Math.min(sent.length, bodies.length) - 1];
      if (CarrierError.is(body)) throw body;
      const bytes = body instanceof Uint8Array ? body : bytesOf(JSON.stringify(body));
      return { status: 200, headers: {}, body: new Uint8Array(bytes), receivedAt: 1, ...answer };
    },
  };
  const context = { signal: new AbortController().signal, deadline: Infinity, http };
  return { sent, context, body: (index: number) => JSON.parse(String(sent[index]?.body)) };
}

test('one call: the request has every field of the query, with the local offset of the stop', async () => {
  const { sent, context, body } = recorded([golden]);
  const carrier = rail(`${baseUrl}/v3/`, { requestor: 'shop', results: 6 });
  const passengers = [{ age: 12, cards: ['HALBTAX'] }, {}];
  const via = queryOf('8507000').origin;
  const wishes = { time: '08:00', maxTransfers: 2, travelClass: 'second', via } as const;
  await carrier.request({ ...query, ...wishes, passengers }, context);
  expect(sent).toMatchObject([
    {
      method: 'POST',
      url: `${baseUrl}/v3/offers`,
      headers: {
        accept: 'application/json, application/problem+json',
        'accept-language': 'en',
        authorization: 'Bearer test',
        'content-type': 'application/json',
        requestor: 'shop',
        'user-agent': expect.stringMatching(/^ticketing-carriers\/\d/),
        'x-accept-namespace': 'uic',
      },
    },
  ]);
  const place = (uic: string) => ({
    objectType: 'StopPlaceRef',
    stopPlaceRef: `urn:uic:stn:${uic}`,
  });
  expect(body(0)).toEqual({
    tripSearchCriteria: {
      departureTime: '2026-12-01T08:00:00+01:00',
      origin: place('8503000'),
      destination: place('8301700'),
      vias: [{ viaPlace: place('8507000') }],
      parameters: { numberOfResultsBefore: 0, numberOfResultsAfter: 6, transferLimit: 2 },
    },
    anonymousPassengerSpecifications: [
      {
        externalRef: 'p1',
        type: 'PERSON',
        age: 12,
        cards: [{ code: 'HALBTAX', type: 'REDUCTION_CARD' }],
      },
      { externalRef: 'p2', type: 'PERSON', age: 35 },
    ],
    offerSearchCriteria: { offerMode: 'COLLECTIVE', travelClasses: ['SECOND'] },
    embed: ['ALL'],
  });
});

test('arriveBy asks for arrivals until a time at the destination', async () => {
  const { context, body } = recorded([golden]);
  const london = { ...queryOf('7015400', '8727100'), time: '10:00', arriveBy: true };
  await rail(baseUrl).request(london, context);
  expect(body(0).tripSearchCriteria).toMatchObject({
    arrivalTime: '2026-12-01T10:00:00+01:00',
    parameters: { numberOfResultsBefore: 20, numberOfResultsAfter: 0 },
  });
});

test('two calls: trips, then offers for them by their ids', async () => {
  const { trips, offers } = JSON.parse(new TextDecoder().decode(golden));
  const { sent, context, body } = recorded([{ id: 'c', trips }, { offers }]);
  const carrier = rail(baseUrl, { mode: 'two-calls' });
  const asked = { ...queryOf('8500010', '8301700'), time: '08:00' };
  const answer = carrier.normalise(await carrier.request(asked, context), asked);
  expect(sent.map(({ url }) => url)).toEqual([`${baseUrl}/trips-collections`, `${baseUrl}/offers`]);
  expect(body(1)).toMatchObject({ tripIds: ['direct', 'change', 'night'], embed: ['OFFERS'] });
  expect(answer.journeys).toMatchObject([
    { offers: [{}, {}] },
    { offers: [{}, {}] },
    { offers: [] },
  ]);
});

test('stops are asked for if they are wanted, by a body, a link or an address', async () => {
  const stopBehavior = 'REAL_BOARDING_ALIGHTING';
  const { trips, offers } = JSON.parse(new TextDecoder().decode(golden));
  const one = recorded([golden]);
  await rail(baseUrl).request({ ...query, stops: true }, one.context);
  expect(one.body(0)).toMatchObject({ tripResponseParameters: { stopBehavior } });
  const links = [{ rel: 'next', href: 'https://rail.example/trips-collections?page=2' }];
  const pages = [{ id: 'c', trips, _links: links }, { offers }];
  const linked = recorded([...pages, ...pages]);
  const two = rail(baseUrl, { mode: 'two-calls', maxPages: 2 });
  await two.request({ ...queryOf('8500010', '8301700'), stops: true }, linked.context);
  expect(linked.sent.map(({ url }) => url.slice(baseUrl.length))).toEqual([
    `/trips-collections?stopBehavior=${stopBehavior}`,
    '/offers',
    `/trips-collections?page=2&stopBehavior=${stopBehavior}`,
    '/offers',
  ]);
  expect(linked.body(1)).not.toHaveProperty('tripResponseParameters');
});

test('one call or two, a day of the simulator is the same', async () => {
  const upstream = await startUpstream();
  const both = (['one-call', 'two-calls'] as const).map((mode) =>
    ask(upstream, rail(`${upstream.sim.url}/osdm`, { mode, results: 3 }), query),
  );
  const [one, two] = await Promise.all(both);
  const fields = ({ journeys }: NonNullable<typeof one>) =>
    journeys.map(({ id, offers }) => [id, offers.map(({ total }) => total)]);
  expect(fields(two as never)).toEqual(fields(one as never));
  expect(one?.journeys.length).toBeGreaterThan(6);
  const done = await startUpstream();
  await ask(done, rail(`${done.sim.url}/osdm`, { results: 100 }), query);
  // A page that reaches the next day is the last.
  expect(done.sim.requests().osdm.arrived).toBe(1);
});

test('a day ends after `maxPages`, and says how far it came', async () => {
  const upstream = await startUpstream();
  const carrier = rail(`${upstream.sim.url}/osdm`, { results: 4, maxPages: 2 });
  const { journeys, covers, pages } = await ask(upstream, carrier, query);
  const { id, departure } = journeys.at(-1) as Journey;
  expect(upstream.sim.requests().osdm.arrived).toBe(2);
  expect(covers?.untilMs).toBe(departure.ms);
  expect(pages?.later).toBe(`d${departure.ms}~${id}`);
});

test('a day that a later page fails keeps what it has', async () => {
  const { context } = recorded([golden, new CarrierError('RATE_LIMITED', 'slow down')]);
  const carrier = rail(baseUrl);
  const asked = queryOf('8500010', '8301700');
  const { journeys, covers } = carrier.normalise(await carrier.request(asked, context), asked);
  expect(journeys).toHaveLength(3);
  expect(covers?.untilMs).toBe(journeys[2]?.departure.ms);
});

test('a day whose caller leaves during a later page is ABORTED', async () => {
  const { context } = recorded([golden, new CarrierError('ABORTED', 'left')]);
  const left = { ...context, signal: AbortSignal.abort() };
  const asked = queryOf('8500010', '8301700');
  expect((await failureOf(() => rail(baseUrl).request(asked, left))).code).toBe('ABORTED');
});

test('a day of today begins now', async () => {
  const { context, body } = recorded([golden]);
  const at = Date.UTC(2026, 11, 1, 9, 30, 20);
  await rail(baseUrl, { now: () => at, maxPages: 1 }).request(query, context);
  expect(body(0).tripSearchCriteria.departureTime).toBe('2026-12-01T10:30:00+01:00');
});

test('a time after the last train has no journeys, and a page before it', async () => {
  const upstream = await startUpstream();
  upstream.sim.setPlan('osdm', { journeys: 0 });
  const { journeys, pages } = await ask(upstream, upstream.carriers.osdm, {
    ...query,
    time: '23:00',
  });
  expect(journeys).toEqual([]);
  expect(pages).toEqual({ earlier: expect.stringMatching(/^d\d+$/) });
  const early = { ...query, time: '00:10', arriveBy: true };
  const none = await ask(upstream, upstream.carriers.osdm, early);
  expect(none.pages).toEqual({ later: expect.stringMatching(/^a\d+$/) });
  const error = await failureOf(() => ask(upstream, upstream.carriers.osdm, query));
  expect(error.code).toBe('NO_RESULTS');
});

test.each([
  ['problem-in-200', 'OVERLOADED'],
  ['wrong-content-type', 'PROTOCOL'],
  ['reset', 'NETWORK'],
] as const)('the fault %s is %s, in one call and in two', async (kind, code) => {
  const upstream = await startUpstream();
  upstream.sim.setPlan('osdm', { fault: { kind } });
  for (const mode of ['one-call', 'two-calls'] as const) {
    const carrier = rail(`${upstream.sim.url}/osdm`, { mode });
    expect((await failureOf(() => ask(upstream, carrier, query))).code).toBe(code);
  }
});

test('the fault trips-without-offers leaves journeys without a price', async () => {
  const upstream = await startUpstream();
  upstream.sim.setPlan('osdm', { fault: { kind: 'trips-without-offers' } });
  const { journeys } = await ask(upstream, upstream.carriers.osdm, query);
  expect(journeys.length).toBeGreaterThan(4);
  for (const journey of journeys) expect(journey).toMatchObject({ offers: [], unpriced: ['osdm'] });
});

test('the fault unknown-enum leaves journeys whose offers have fewer details', async () => {
  const upstream = await startUpstream();
  upstream.sim.setPlan('osdm', { fault: { kind: 'unknown-enum' } });
  const { journeys } = await ask(upstream, upstream.carriers.osdm, query);
  const offers = journeys.flatMap((journey) => journey.offers);
  expect(new Set(offers.map(({ travelClass }) => travelClass))).toContain('any');
  expect(new Set(offers.map(({ flexibility }) => flexibility))).toContain('unknown');
  for (const { legs } of journeys) expect(legs[0]).toMatchObject({ mode: 'other' });
});

test('a search over the simulator has what travellers ask for, and the places of stops', async () => {
  const upstream = await startUpstream();
  const search = createSearch({
    carriers: [rail(`${upstream.sim.url}/osdm`)],
    http: upstream.http.clientOf,
    deadlineMs: 60_000,
    now,
  });
  const asked = { ...queryOf('8500010', '8301700'), stops: true, time: '08:00' };
  const { journeys, places, carriers } = await search.search(asked);
  expect(carriers).toMatchObject([{ carrier: 'osdm', state: 'ok' }]);
  const rides = journeys.flatMap(({ legs }) => legs).filter((leg) => leg.kind === 'ride');
  for (const ride of rides) {
    expect(ride.departurePlatform).toMatchObject({ planned: expect.any(String) });
    expect(ride.remarks?.map(({ kind }) => kind)).toContain('info');
    for (const { station } of ride.stops ?? []) expect(places).toHaveProperty([station]);
  }
  expect(rides.flatMap(({ stops = [] }) => stops).length).toBeGreaterThan(0);
  expect(journeys.flatMap(({ offers }) => offers)[0]).toHaveProperty('conditions');
});

test('the fault on-demand makes trains vehicles that are ordered', async () => {
  const upstream = await startUpstream();
  upstream.sim.setPlan('osdm', { fault: { kind: 'on-demand' } });
  const { journeys } = await ask(upstream, rail(`${upstream.sim.url}/osdm`), query);
  expect(journeys[0]?.legs[0]).toMatchObject({ mode: 'other', booking: {} });
});

test('another table of stations may take the place of the small one', async () => {
  const { context } = recorded([golden]);
  const asked = { ...queryOf('8500010', '8301700'), time: '08:00' };
  const byCode = (system: string, code: string) =>
    code === '42' ? { ...asked.origin, id: 'uic:1', name: `${system} ${code}` } : undefined;
  const carrier = rail(baseUrl, { stations: { byCode } });
  const { journeys, places } = carrier.normalise(await carrier.request(asked, context), asked);
  expect(journeys[1]?.legs[1]).toMatchObject({ origin: 'uic:1' });
  expect(places).toMatchObject([{ id: 'uic:8500010' }, { id: 'uic:8301700' }, { name: 'x_ch 42' }]);
});

test('a missing authorisation is AUTH', async () => {
  const upstream = await startUpstream();
  const carrier = rail(`${upstream.sim.url}/osdm`, { headers: () => ({}) });
  expect((await failureOf(() => ask(upstream, carrier, query))).code).toBe('AUTH');
});

const fine = { id: 'rail', name: 'Rail', baseUrl };
test.each<[options: object, message: string]>([
  [{}, '`baseUrl` must be an http or https URL, got undefined'],
  [{ baseUrl }, '`id` must be a name of letters, digits, `.`, `_` and `-`, got undefined'],
  [{ baseUrl, id: 'rail' }, '`name` must be a text, got undefined'],
  [{ ...fine, id: 'a b' }, '`id` must be a name of letters, digits, `.`, `_` and `-`, got a b'],
  [{ ...fine, mode: 'three-calls' }, '`mode` must be one of one-call, two-calls, got three-calls'],
  [{ ...fine, headers: {} }, '`headers` must be a function, got [object Object]'],
  [{ ...fine, requestor: 'a\nb' }, '`requestor` must be visible ASCII text, got a\nb'],
  [{ ...fine, namespace: 'a:b' }, '`namespace` must be a namespace such as uic or x_swe, got a:b'],
  [
    { ...fine, stationCodes: [] },
    '`stationCodes` must be a list of at least one system of codes, got []',
  ],
  [{ ...fine, stations: {} }, '`stations` must be an object with byCode, got [object Object]'],
  [{ ...fine, header: {} }, 'unknown option `header`; did you mean `headers`?'],
])('createOsdm(%j) is refused', (options, message) => {
  expect(() => createOsdm(options as never)).toThrow(
    new TypeError(`Cannot create osdm: ${message}`),
  );
});

test.each([
  [{ results: 0 }, '`results` must be an integer of 1 to 100, got 0'],
  [{ maxPages: 21 }, '`maxPages` must be an integer of 1 to 20, got 21'],
])('createOsdm(%j) is out of range', (options, message) => {
  expect(() => createOsdm({ ...fine, ...options })).toThrow(
    new RangeError(`Cannot create osdm: ${message}`),
  );
});

test.each(['', 'x', 'd', 'd1', 'd1e12', 'x1796079600000', 'd1796079600000~', '?page=1'])(
  'the page token `%s` is BAD_REQUEST',
  async (token) => {
    const { context } = recorded([golden]);
    const page = { direction: 'later', token } as const;
    expect(await failureOf(() => rail(baseUrl).request({ ...query, page }, context))).toMatchObject(
      {
        code: 'BAD_REQUEST',
        message: 'Cannot ask `osdm`: `page.token` is not one of its own',
      },
    );
  },
);

test('messages of requests that fail', async () => {
  const { context } = recorded([golden]);
  const failed = rail(baseUrl, { headers: () => Promise.reject(new Error('no token')) });
  expect(await failureOf(() => failed.request(query, context))).toMatchObject({
    code: 'AUTH',
    message: 'Cannot ask `osdm`: `headers` failed',
  });
  const wrong = rail(baseUrl, { headers: () => ({ authorization: 5 }) as never });
  await expect(wrong.request(query, context)).rejects.toThrow(
    'Cannot ask `osdm`: `headers` must return texts, got 5 for authorization',
  );
  const refused = recorded([{ code: 'NOT_TODAY', status: 400 }], { status: 400 });
  expect(await failureOf(() => rail(baseUrl).request(query, refused.context))).toMatchObject({
    code: 'BAD_REQUEST',
    httpStatus: 400,
    message: 'Cannot ask `osdm`: it answered NOT_TODAY',
  });
  const draft = recorded([bytesOf('<html>')], { status: 404 });
  const timed = { ...query, time: '10:00' };
  expect(await rail(baseUrl).request(timed, draft.context)).toMatchObject({ pages: [{}] });
  const elsewhere = { ...query, origin: queryOf('7160000').origin };
  const own = rail(baseUrl, { stationCodes: ['ibnr'] });
  expect(await failureOf(() => own.request(elsewhere, context))).toMatchObject({
    code: 'NOT_SERVED',
    message: 'Cannot ask `osdm`: it does not serve Madrid Puerta de Atocha-Almudena Grandes',
  });
});
