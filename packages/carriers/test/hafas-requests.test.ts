import { type FaultKind, hafasSimProfile, startCarrierSim } from '@ticketing/carrier-sim';
import type { CarrierContext, CarrierHttpRequest, CarrierQuery } from '@ticketing/core';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrierHttp, createHafas, type HafasOptions } from '../src/index.ts';
import { USER_AGENT } from '../src/wire/endpoint.ts';
import { ask, bytesOf, failureOf, fixture, queryFor, queryOf, startUpstream } from './upstream.ts';

const [wien, munchen, london, paris] = ['8101003', '8020347', '7015400', '8727100'] as const;

/** Asks a server that answers each request with the next of these bodies, and returns what it was asked. */
async function requestsOf(
  query: CarrierQuery,
  options: Partial<HafasOptions> = {},
  bodies: readonly Uint8Array<ArrayBuffer>[] = [fixture('hafas.json')],
) {
  const sent: CarrierHttpRequest[] = [];
  const context: CarrierContext = {
    signal: new AbortController().signal,
    deadline: 10_000,
    http: {
      async send(request) {
        const body = bodies[sent.length] ?? bodies.at(-1);
        sent.push(request);
        return { status: 200, headers: {}, body: body as Uint8Array<ArrayBuffer>, receivedAt: 1 };
      },
    },
  };
  const hafas = createHafas({
    id: 'hafas',
    name: 'HAFAS',
    baseUrl: 'http://127.0.0.1:1/base/',
    profile: hafasSimProfile,
    now: () => 0,
    ...options,
  });
  const wire = await hafas.request(query, context);
  const requests = sent.map(({ body }) => JSON.parse(String(body)).svcReqL[0].req);
  return { sent, requests, wire, answer: () => hafas.normalise(wire, query) };
}

test('hafas sends one signed call that names us, the profile, and the question', async () => {
  const via = queryOf('8101114', munchen).origin;
  const query = { ...queryOf(wien, munchen), time: '08:05', via, maxTransfers: 2 };
  const { sent } = await requestsOf(query, { profile: { ...hafasSimProfile, ext: 'X.1' } });
  expect(sent).toHaveLength(1);
  const [{ url, method, headers, body }] = sent as [CarrierHttpRequest];
  expect(method).toBe('POST');
  expect(url).toMatch(
    /^http:\/\/127\.0\.0\.1:1\/base\/bin\/mgate\.exe\?mic=[\da-f]{32}&mac=[\da-f]{32}$/,
  );
  expect(headers).toEqual({
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': USER_AGENT,
  });
  const station = (code: string) => ({ type: 'S', lid: `A=1@L=${code}@` });
  expect(JSON.parse(String(body))).toEqual({
    ver: '1.45',
    ext: 'X.1',
    lang: 'de',
    auth: { type: 'AID', aid: 'simulated' },
    client: { type: 'WEB', id: 'SIM', name: 'sim', v: '1' },
    svcReqL: [
      {
        meth: 'TripSearch',
        cfg: { polyEnc: 'GPA' },
        req: {
          depLocL: [station('8103000')],
          arrLocL: [station('8000261')],
          viaLocL: [{ loc: station('8100002') }],
          outDate: '20261201',
          outTime: '080500',
          outFrwd: true,
          numF: 6,
          maxChg: 2,
          getPasslist: false,
          getTariff: true,
          jnyFltrL: [{ type: 'PROD', mode: 'INC', value: '35' }],
        },
      },
    ],
  });
});

test.each<[what: string, query: CarrierQuery, expected: object, now?: number]>([
  [
    'a time at the origin',
    { ...queryOf(london, paris), time: '08:00' },
    { outDate: '20261201', outTime: '090000' },
  ],
  [
    'a time at the destination',
    { ...queryOf(paris, london), time: '23:30', arriveBy: true },
    { outDate: '20261202', outTime: '003000', outFrwd: false },
  ],
  ['midnight at the origin', queryOf(london, paris), { outDate: '20261201', outTime: '010000' }],
  [
    'now, on the day itself',
    queryOf(wien, munchen),
    { outDate: '20261201', outTime: '113000' },
    Date.UTC(2026, 11, 1, 10, 30, 40),
  ],
])("hafas asks for %s on the server's clock", async (_what, query, expected, nowMs = 0) => {
  const { requests } = await requestsOf(query, { now: () => nowMs });
  expect(requests[0]).toMatchObject(expected);
});

const pageAt = (time: string, day = '20261201') =>
  bytesOf(
    new TextDecoder()
      .decode(fixture('hafas.json'))
      .replaceAll('20261201', day)
      .replace('231900', time)
      .replace('MT#2', `MT#${time}`),
  );
const empty = bytesOf('{"svcResL":[{"err":"H890"}]}');
const broken = bytesOf('{"svcResL":[{"err":"S1"}]}');
const midnight = Date.UTC(2026, 11, 1, 23);

test('hafas follows the pages of a day until one leaves after it', async () => {
  const bodies = [pageAt('080000'), pageAt('120000'), pageAt('01000000')];
  const { requests, answer, wire } = await requestsOf(queryFor('hafas'), {}, bodies);
  expect(requests.map(({ ctxScr }) => ctxScr)).toEqual([
    undefined,
    '1|OF|MT#080000',
    '1|OF|MT#120000',
  ]);
  expect(wire.ended).toBe(true);
  expect(answer()).toMatchObject({
    covers: { untilMs: midnight },
    pages: { later: `${midnight}|` },
  });
});

test('hafas follows at most `maxPages`, and says how far it came', async () => {
  const { requests, answer } = await requestsOf(queryFor('hafas'), { maxPages: 2 }, [
    pageAt('080000'),
  ]);
  expect(requests).toHaveLength(2);
  const latest = Date.UTC(2026, 11, 1, 11, 30);
  expect(answer()).toMatchObject({
    covers: { untilMs: latest },
    pages: { later: `${latest}|1|OF|MT#080000` },
  });
});

test('hafas asks for no further page after 60 % of the time until the deadline', async () => {
  let calls = 0;
  // Each look at the clock is 2.5 of 10 seconds later.
  const now = () => 2500 * calls++;
  const { requests, wire } = await requestsOf(queryFor('hafas'), { now }, [pageAt('080000')]);
  expect(requests).toHaveLength(2);
  expect(wire.ended).toBe(false);
});

test.each([
  ['no further journeys', empty, true],
  ['a failure', broken, false],
  ['bytes', bytesOf('?'), false],
])('hafas keeps the pages before %s', async (_what, last, ended) => {
  const { requests, wire, answer } = await requestsOf(queryFor('hafas'), {}, [
    pageAt('080000'),
    last,
  ]);
  expect(requests).toHaveLength(2);
  expect(wire).toMatchObject({ ended, pages: { length: 1 } });
  expect(answer().journeys).toHaveLength(4);
});

test('hafas asks one page for a time, and one for a token of its own', async () => {
  const timed = { ...queryFor('hafas'), time: '08:00' };
  expect((await requestsOf(timed)).requests).toHaveLength(1);
  const of = async (direction: 'earlier' | 'later', token: string) => {
    const { requests } = await requestsOf({ ...timed, page: { direction, token } });
    expect(requests).toHaveLength(1);
    return requests[0];
  };
  expect(await of('later', `${midnight}|1|OF|x`)).toMatchObject({ ctxScr: '1|OF|x' });
  expect(await of('later', `${midnight}|1|OF|x`)).not.toHaveProperty('outDate');
  expect(await of('later', `${midnight}|`)).toMatchObject({
    outDate: '20261202',
    outTime: '000000',
  });
});

test.each(['', 'x', '|1|OB', 'x|1|OB', '1.5|x', '5|1|OB', '9e15|1|OB'])(
  'hafas refuses the token %j',
  async (token) => {
    const error = await failureOf(() =>
      requestsOf({ ...queryFor('hafas'), page: { direction: 'earlier', token } }),
    );
    expect(error).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'Cannot ask `hafas`: `page` is not a page of it',
    });
  },
);

test('hafas has a page without a context only where it gave one', async () => {
  const page = { direction: 'earlier', token: `${midnight}|` } as const;
  const arriveBy = { ...queryFor('hafas'), time: '08:00', arriveBy: true, page };
  expect((await failureOf(() => requestsOf(arriveBy))).code).toBe('BAD_REQUEST');
});

test('hafas: before a time that none follows it asks for all of six hours, then for all of more', async () => {
  const page = { direction: 'earlier', token: `${midnight}|` } as const;
  const query = { ...queryFor('hafas'), time: '23:59', page };
  const bodies = [empty, pageAt('080000'), pageAt('120000'), empty];
  const { requests, answer } = await requestsOf(query, { maxPages: 1 }, bodies);
  expect(requests).toMatchObject([
    { outDate: '20261201', outTime: '180000', outFrwd: true },
    { outDate: '20261201', outTime: '000000', outFrwd: true },
    { ctxScr: '1|OF|MT#080000' },
    { ctxScr: '1|OF|MT#120000' },
  ]);
  const first = midnight - 86_400_000;
  expect(answer()).toMatchObject({
    covers: { fromMs: first, untilMs: midnight },
    pages: { earlier: `${first}|1|OB|MT#1` },
  });
  await expect(requestsOf(query, {}, [pageAt('080000'), broken])).rejects.toThrow('S1');
});

test.each([
  ['a failure', broken, 'HTTP'],
  ['bytes', bytesOf('?'), 'PROTOCOL'],
])('hafas: %s before a time is no empty page, and ends the search', async (_what, first, code) => {
  const page = { direction: 'earlier', token: `${midnight}|` } as const;
  const query = { ...queryFor('hafas'), time: '23:59', page };
  const { requests, answer } = await requestsOf(query, {}, [first, pageAt('080000')]);
  expect(requests).toHaveLength(1);
  expect((await failureOf(answer)).code).toBe(code);
});

test('hafas: a station without a number of the system is NOT_SERVED, and nothing is sent', async () => {
  const error = await failureOf(() => requestsOf(queryOf()));
  expect(error).toMatchObject({
    code: 'NOT_SERVED',
    message: 'Cannot ask `hafas`: it does not serve Madrid Puerta de Atocha-Almudena Grandes',
  });
});

// Each fault of the wire's own, over real HTTP.

async function struckBy(kind?: FaultKind) {
  const upstream = await startUpstream();
  upstream.sim.setPlan('hafas', { fault: kind === undefined ? null : { kind } });
  return ask(upstream, upstream.carriers.hafas, queryFor('hafas'));
}

test.each(['negative-price', 'no-fares'] as const)(
  'hafas: %s is a journey without a price',
  async (kind) => {
    const [whole, struck] = [await struckBy(), await struckBy(kind)];
    expect(whole.journeys[0]?.offers.length).toBeGreaterThan(0);
    expect(struck.journeys[0]).toMatchObject({ offers: [], unpriced: ['hafas'] });
    expect(struck.journeys.slice(1, 6)).toMatchObject(
      whole.journeys.slice(1, 6).map(({ id }) => ({ id })),
    );
  },
);

test('hafas: devi is the train to a station near the destination, and no minute longer', async () => {
  const [whole, struck] = [await struckBy(), await struckBy('devi')];
  expect(struck.filtered).toBeUndefined();
  const [journey] = struck.journeys;
  expect(journey?.legs.at(-1)).toMatchObject({ kind: 'transfer', nearby: true });
  const { id, durationMinutes, legs = [] } = whole.journeys[0] ?? {};
  expect(journey).toMatchObject({ id, durationMinutes });
  expect(journey?.legs.slice(0, -1)).toEqual(legs);
});

test('hafas: unknown-section leaves out its journey, and counts it', async () => {
  const [whole, struck] = [await struckBy(), await struckBy('unknown-section')];
  expect(struck.leftOut).toMatchObject({ 'with a section PARK': struck.filtered });
  expect(struck.journeys.map(({ id }) => id)).not.toContain(whole.journeys[0]?.id);
  expect(struck.journeys.length).toBeGreaterThan(4);
});

test('hafas: tickets of all kinds of people are no prices, their total is', async () => {
  const [whole, struck] = [await struckBy(), await struckBy('tickets')];
  const [cheapest] = whole.journeys[0]?.offers ?? [];
  expect(struck.journeys[0]?.offers).toMatchObject([{ id: 'total', total: cheapest?.total }]);
});

test("hafas: other-method has an error that is not the search's", async () => {
  const [whole, struck] = [await struckBy(), await struckBy('other-method')];
  expect(struck.journeys.map(({ id }) => id)).toEqual(whole.journeys.map(({ id }) => id));
});

test('hafas: zero-offset leaves the walk as long as it is', async () => {
  const { journeys, filtered } = await struckBy('zero-offset');
  expect(filtered).toBeUndefined();
  expect(journeys[0]?.legs[0]).toMatchObject({ kind: 'transfer', minutes: 5 });
  const [whole] = (await struckBy()).journeys;
  expect(journeys[0]?.durationMinutes).toBe((whole?.durationMinutes ?? 0) + 5);
});

test('hafas: html-wall is AUTH', async () => {
  expect(await failureOf(() => struckBy('html-wall'))).toMatchObject({
    code: 'AUTH',
    message: 'Cannot ask `hafas`: it answered a page for people',
  });
});

test('hafas: pages-overlap repeats no journey', async () => {
  const [whole, struck] = [await struckBy(), await struckBy('pages-overlap')];
  expect(struck.journeys.map(({ id }) => id)).toEqual(whole.journeys.map(({ id }) => id));
});

test('hafas: a wrong content type is AUTH, a reset NETWORK', async () => {
  const upstream = await startUpstream();
  for (const [kind, code] of [
    ['wrong-content-type', 'AUTH'],
    ['reset', 'NETWORK'],
  ] as const) {
    upstream.sim.setPlan('hafas', { fault: { kind } });
    const error = await failureOf(() => ask(upstream, upstream.carriers.hafas, queryFor('hafas')));
    expect(error.code).toBe(code);
  }
});

test('hafas: what it asks natively is what the timetable has', async () => {
  const upstream = await startUpstream();
  const { hafas } = upstream.carriers;
  const [origin, destination] = ['7015400', '8301700'] as const;
  const trains = upstream.sim.trains({ carrier: 'hafas', origin, destination, date: '2026-12-01' });
  expect(trains.length).toBeGreaterThan(0);
  const query = queryOf(origin, destination);
  expect((await ask(upstream, hafas, query)).journeys).toHaveLength(trains.length);
  const direct = await failureOf(() => ask(upstream, hafas, { ...query, maxTransfers: 0 }));
  expect(direct.code).toBe('NO_RESULTS');
  const night = { ...queryOf(wien, munchen, '2026-12-02'), time: '07:00', arriveBy: true };
  const { journeys } = await ask(upstream, hafas, night);
  expect(journeys.at(-1)).toMatchObject({
    legs: [{ number: '294' }],
    arrival: { iso: expect.stringContaining('2026-12-02T06:10') },
  });
});

test('hafas: a key or a salt that is refused is AUTH', async () => {
  const now = () => Date.UTC(2026, 10, 20, 12);
  const sim = await startCarrierSim({ now, credentials: { username: 'anna', password: 'secret' } });
  const http = createCarrierHttp({ now });
  onTestFinished(async () => {
    await http.close();
    await sim.close();
  });
  const salt = Buffer.from('secret').toString('hex');
  const askBy = (profile: Partial<typeof hafasSimProfile>) =>
    ask(
      { http },
      createHafas({
        id: 'hafas',
        name: 'HAFAS',
        baseUrl: `${sim.url}/hafas`,
        profile: { ...hafasSimProfile, ...profile },
        now,
      }),
      queryFor('hafas'),
    );
  const auth = { type: 'AID', aid: 'anna' };
  const checksum = { kind: 'mic-mac', salt } as const;
  expect((await askBy({ auth, checksum })).journeys.length).toBeGreaterThan(4);
  expect(await failureOf(() => askBy({ auth }))).toMatchObject({ code: 'AUTH', retryable: false });
  expect(await failureOf(() => askBy({ checksum }))).toMatchObject({ code: 'AUTH' });
});

test('hafas asks for the stops on the way only with `stops`, and a ride on demand is booked as the profile says', async () => {
  const { requests } = await requestsOf({ ...queryOf(wien, munchen), stops: true });
  expect(requests[0]).toMatchObject({ getPasslist: true });
  const upstream = await startUpstream();
  const carrier = createHafas({
    id: 'hafas',
    name: 'HAFAS',
    baseUrl: `${upstream.sim.url}/hafas`,
    profile: hafasSimProfile,
    now: () => 0,
  });
  upstream.sim.setPlan('hafas', { fault: { kind: 'on-demand' } });
  const query = { ...queryOf(wien, munchen), time: '08:00' };
  const [plain, withStops] = [
    await ask(upstream, carrier, query),
    await ask(upstream, carrier, { ...query, stops: true }),
  ];
  expect(plain.journeys[0]?.legs[0]).toMatchObject({
    booking: { text: 'Book by telephone 00 1 234, an hour before' },
  });
  expect(plain.journeys[0]?.legs[0]).not.toHaveProperty('stops');
  expect(plain.journeys[1]?.legs[0]).not.toHaveProperty('booking');
  const [leg] = withStops.journeys[0]?.legs ?? [];
  expect(leg?.kind === 'ride' && leg.stops?.length).toBeGreaterThan(0);
});
