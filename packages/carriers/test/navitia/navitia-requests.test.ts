import type { FaultKind, FaultPatch } from '@ticketing/carrier-sim';
import type {
  CarrierAnswer,
  CarrierErrorCode,
  CarrierHttp,
  CarrierHttpRequest,
  RideLeg,
} from '@ticketing/core';
import { expect, test } from 'vitest';
import { createNavitia } from '../../src/index.ts';
import { USER_AGENT } from '../../src/wire/endpoint.ts';
import {
  ask,
  bytesOf,
  createCarriers,
  failureOf,
  now,
  queryFor,
  queryOf,
  startUpstream,
} from '../upstream.ts';
import { navitia as adapter, golden, options, parisZurich, wireOf } from './navitia-answers.ts';

const ids = ({ journeys }: CarrierAnswer) => journeys.map(({ id }) => id);
const rides = ({ journeys }: CarrierAnswer): readonly RideLeg[] =>
  journeys.flatMap(({ legs }) => legs.filter((leg) => leg.kind === 'ride'));
const context = { signal: new AbortController().signal, deadline: now() + 60_000 };

/** Requests of the adapter, and one answer to them all. */
function recorded(
  body: string,
  answer: { readonly status?: number; readonly headers?: Record<string, string> } = {},
): { readonly sent: CarrierHttpRequest[]; readonly http: CarrierHttp } {
  const sent: CarrierHttpRequest[] = [];
  const send: CarrierHttp['send'] = async (request) => {
    sent.push(request);
    return { status: 200, headers: {}, body: bytesOf(body), receivedAt: 1, ...answer };
  };
  return { sent, http: { send } };
}

const noSolution = JSON.stringify({ error: { id: 'no_solution', message: 'none' }, journeys: [] });
const parametersOf = ({ url }: CarrierHttpRequest) => Object.fromEntries(new URL(url).searchParams);

test('navitia asks by UIC numbers with their check digits, in UTC, without shapes, with your key', async () => {
  const { sent, http } = recorded(noSolution);
  const headers = async () => ({ authorization: 'key' });
  const carrier = createNavitia({ ...options, headers, now: () => 0, results: 7 });
  const query = { ...parisZurich(), time: '08:00', maxTransfers: 2 };
  await carrier.request(query, { ...context, http });
  expect(sent).toMatchObject([
    {
      method: 'GET',
      headers: { accept: 'application/json', 'user-agent': USER_AGENT, authorization: 'key' },
      alsoResolve: [400, 404],
    },
  ]);
  const [request] = sent as [CarrierHttpRequest];
  expect(request.url).toMatch(/^http:\/\/127\.0\.0\.1:1\/v1\/coverage\/simulated\/journeys\?/);
  expect(parametersOf(request)).toEqual({
    from: 'stop_area:SIM:87686006',
    to: 'stop_area:SIM:85030007',
    datetime: '20261201T070000Z',
    datetime_represents: 'departure',
    data_freshness: 'base_schedule',
    min_nb_journeys: '7',
    max_nb_transfers: '2',
    direct_path: 'none',
    disable_geojson: 'true',
  });
});

test('navitia begins today now, asks for all of a day, and for arrivals as such', async () => {
  const { sent, http } = recorded(noSolution);
  const today = Date.UTC(2026, 11, 1, 9, 30, 15);
  const carrier = createNavitia({ ...options, now: () => today, freshness: 'realtime' });
  const query = parisZurich();
  await carrier.request(query, { ...context, http });
  await carrier.request({ ...query, time: '12:30', arriveBy: true }, { ...context, http });
  await carrier.request(parisZurich('2027-10-31'), { ...context, http });
  const [day, arrival, long] = sent.map(parametersOf);
  expect(day).toMatchObject({
    datetime: '20261201T093000Z',
    timeframe_duration: String(13.5 * 3600),
    data_freshness: 'realtime',
  });
  expect(arrival).toMatchObject({ datetime: '20261201T113000Z', datetime_represents: 'arrival' });
  expect(arrival).not.toHaveProperty('timeframe_duration');
  // A day of 25 hours is longer than servers take.
  expect(long).toMatchObject({ datetime: '20271030T220000Z', timeframe_duration: '86400' });
});

test('navitia: stations are yours to name; without an id they are not served, and ids have a limit', async () => {
  const { sent, http } = recorded(noSolution);
  const query = { ...parisZurich(), time: '08:00' };
  const named = createNavitia({ ...options, stopArea: ({ name }) => `x:${name}` });
  await named.request(query, { ...context, http });
  expect(parametersOf(sent[0] as CarrierHttpRequest)).toMatchObject({
    from: 'x:Paris Gare de Lyon',
    to: 'x:Zürich HB',
  });
  const unknown = createNavitia({ ...options, stopArea: () => undefined });
  expect(await failureOf(() => unknown.request(query, { ...context, http }))).toMatchObject({
    code: 'NOT_SERVED',
    message: 'Cannot ask `navitia`: it does not serve Paris Gare de Lyon',
  });
  const long = createNavitia({ ...options, stopArea: () => 'x'.repeat(4096) });
  const error = await failureOf(() => long.request(query, { ...context, http }));
  expect(error.code).toBe('BAD_REQUEST');
  expect(error.message).toMatch(/its address would have \d{4} characters, of ids of `stopArea`$/);
  expect(sent).toHaveLength(1);
});

test('navitia: a token that is none of its own is BAD_REQUEST', async () => {
  const { sent, http } = recorded(noSolution);
  for (const token of [
    '',
    'x',
    'departure',
    'departure 5',
    'departure 9e12',
    'arrival 1796108400000~x',
  ]) {
    const page = { direction: 'later', token } as const;
    const error = await failureOf(() =>
      adapter.request({ ...parisZurich(), page }, { ...context, http }),
    );
    expect(error).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'Cannot ask `navitia`: `page.token` is not one of its own',
    });
  }
  expect(sent).toHaveLength(0);
});

test('navitia: headers that cannot be made are AUTH', async () => {
  const { http } = recorded(noSolution);
  const carrier = createNavitia({ ...options, headers: () => Promise.reject(new Error('no key')) });
  const error = await failureOf(() => carrier.request(parisZurich(), { ...context, http }));
  expect(error).toMatchObject({ code: 'AUTH', message: 'Cannot ask `navitia`: `headers` failed' });
});

test.each<[status: number, id: string | undefined, code: CarrierErrorCode]>([
  [404, 'date_out_of_bounds', 'DATE_OUT_OF_RANGE'],
  [404, 'no_origin', 'NOT_SERVED'],
  [404, 'no_destination', 'NOT_SERVED'],
  [404, 'no_origin_nor_destination', 'NOT_SERVED'],
  [404, 'unknown_object', 'NOT_SERVED'],
  [404, 'bad_filter', 'BAD_REQUEST'],
  [404, 'something_else', 'HTTP'],
  [404, undefined, 'HTTP'],
  [400, 'unable_to_parse', 'BAD_REQUEST'],
  [400, 'bad_format', 'BAD_REQUEST'],
  [400, 'unknown_object', 'BAD_REQUEST'],
  [400, 'something_else', 'BAD_REQUEST'],
  [400, undefined, 'BAD_REQUEST'],
  [200, 'no_solution', 'NO_RESULTS'],
  [200, 'date_out_of_bounds', 'DATE_OUT_OF_RANGE'],
  [200, 'dead_socket', 'OVERLOADED'],
  [200, 'service_unavailable', 'OVERLOADED'],
  [200, 'technical_error', 'HTTP'],
  [200, 'something_else', 'UPSTREAM'],
])('navitia: status %i with the error %s is %s', async (status, id, code) => {
  const body = id === undefined ? '<p>no</p>' : JSON.stringify({ error: { id, message: 'no' } });
  const error = await failureOf(() => adapter.normalise(wireOf(body, {}, status), parisZurich()));
  expect(error.code).toBe(code);
  if (id !== undefined && id !== 'something_else') expect(error.message).toContain(id);
});

test('navitia: beside journeys an error is none', () => {
  const body = JSON.stringify({ ...JSON.parse(golden), error: { id: 'no_solution' } });
  expect(adapter.normalise(wireOf(body), parisZurich()).journeys).toHaveLength(6);
});

test('navitia: another content type is AUTH for a page for people, else PROTOCOL', async () => {
  for (const [type, body, code] of [
    ['text/html', '<!doctype html><p>Welcome', 'AUTH'],
    ['text/plain', 'hello', 'PROTOCOL'],
  ] as const) {
    const { http } = recorded(body, { headers: { 'content-type': type } });
    const error = await failureOf(() => adapter.request(parisZurich(), { ...context, http }));
    expect(error.code).toBe(code);
  }
  const { http } = recorded('', { status: 302, headers: { location: 'https://sso.example/' } });
  expect((await failureOf(() => adapter.request(parisZurich(), { ...context, http }))).code).toBe(
    'AUTH',
  );
});

test('navitia: of a key that asked too often in a second is known when it may ask again', async () => {
  const upstream = await startUpstream();
  upstream.sim.setPlan('navitia', { fault: { kind: 'throttled' } });
  const error = await failureOf(() =>
    ask(upstream, upstream.carriers.navitia, queryFor('navitia')),
  );
  expect(error).toMatchObject({ code: 'RATE_LIMITED', httpStatus: 429, retryAfterMs: 1000 });
});

test('navitia: without a key it is AUTH, and so is an unknown region NOT_SERVED', async () => {
  const upstream = await startUpstream();
  const server = { ...options, baseUrl: `${upstream.sim.url}/navitia/v1`, now };
  const query = queryFor('navitia');
  expect((await failureOf(() => ask(upstream, createNavitia(server), query))).code).toBe('AUTH');
  const headers = () => ({ authorization: 'key' });
  const elsewhere = createNavitia({ ...server, headers, coverage: 'elsewhere' });
  expect((await failureOf(() => ask(upstream, elsewhere, query))).code).toBe('NOT_SERVED');
});

test.each<FaultPatch>([
  { kind: 'older-codes' },
  { kind: 'no-zone' },
  { kind: 'wrong-content-type' },
])('navitia: fault %j changes no journey', async (fault) => {
  const upstream = await startUpstream();
  const { navitia } = upstream.carriers;
  const query = { ...queryFor('navitia'), time: '06:00' };
  const before = await ask(upstream, navitia, query);
  expect(ids(before).length).toBeGreaterThan(4);
  upstream.sim.setPlan('navitia', { fault });
  if (fault.kind === 'wrong-content-type') {
    expect((await failureOf(() => ask(upstream, navitia, query))).code).toBe('PROTOCOL');
    return;
  }
  const after = await ask(upstream, navitia, query);
  expect(ids(after)).toEqual(ids(before));
  expect(after.covers).toEqual(before.covers);
});

test.each<[kind: FaultKind, code: string]>([
  ['no-solution', 'NO_RESULTS'],
  ['reset', 'NETWORK'],
])('navitia: fault %s is %s', async (kind, code) => {
  const upstream = await startUpstream();
  upstream.sim.setPlan('navitia', { fault: { kind } });
  const error = await failureOf(() =>
    ask(upstream, upstream.carriers.navitia, queryFor('navitia')),
  );
  expect(error.code).toBe(code);
});

/** What one carrier was asked, and its client. */
async function observed(upstream: Awaited<ReturnType<typeof startUpstream>>) {
  const sent: Record<string, string>[] = [];
  const client = upstream.http.clientOf('navitia');
  const http: CarrierHttp = {
    send(request) {
      sent.push(parametersOf(request));
      return client.send(request);
    },
  };
  return { sent, http };
}

test('navitia: an answer that is too large is asked for once more, with half the time and half the journeys', async () => {
  const upstream = await startUpstream({ now: () => Date.UTC(2026, 11, 1, 9) });
  const { navitia } = createCarriers(upstream.sim.url, { now: () => Date.UTC(2026, 11, 1, 11) });
  const query = queryFor('navitia', '2026-12-01');
  const whole = await ask(upstream, navitia, query);
  upstream.sim.setPlan('navitia', { fault: { kind: 'too-large' } });
  const { sent, http } = await observed(upstream);
  const halved = await ask(upstream, navitia, query, { http });
  expect(ids(halved)).toEqual(ids(whole));
  expect(halved.covers).toEqual(whole.covers);
  const [large, half] = sent as [Record<string, string>, Record<string, string>];
  expect(Number(half['timeframe_duration'])).toBe(Number(large['timeframe_duration']) / 2);
  expect(Number(half['min_nb_journeys'])).toBe(Number(large['min_nb_journeys']) / 2);
  // Once: half of a whole day is still too much for this server.
  const tomorrow = queryFor('navitia', '2026-12-02');
  sent.length = 0;
  const error = await failureOf(() => ask(upstream, navitia, tomorrow, { http }));
  expect(error).toMatchObject({ code: 'HTTP', httpStatus: 413 });
  expect(sent).toHaveLength(2);
});

test('navitia reads a day in two requests, and reports what it covers', async () => {
  const upstream = await startUpstream();
  const { sent, http } = await observed(upstream);
  const query = queryOf('7015400', '8727100');
  const trains = upstream.sim.trains({
    carrier: 'navitia',
    origin: '7015400',
    destination: '8727100',
    date: query.date,
  });
  const { journeys, covers, pages } = await ask(upstream, upstream.carriers.navitia, query, {
    http,
  });
  expect(journeys.map(({ departure }) => departure.ms)).toEqual(
    trains.map(({ departureMs }) => departureMs),
  );
  expect(sent.length).toBeLessThanOrEqual(2);
  const midnight = Date.UTC(2026, 11, 1);
  expect(covers).toEqual({ fromMs: midnight, untilMs: midnight + 86_400_000 });
  expect(pages).toEqual({
    earlier: `departure ${midnight - 1}`,
    later: `departure ${midnight + 86_400_000}`,
  });
});

test('navitia: with real times late trains have both, and cancelled ones are not there', async () => {
  const upstream = await startUpstream({ seed: 6 });
  const planned = { ...options, baseUrl: `${upstream.sim.url}/navitia/v1`, now };
  const headers = () => ({ authorization: 'key' });
  const base = createNavitia({ ...planned, headers });
  const real = createNavitia({ ...planned, headers, freshness: 'realtime' });
  let [lates, cancelled] = [0, 0];
  for (let day = 1; day < 15; day++) {
    const query = queryOf('7015400', '8727100', `2026-12-${String(day).padStart(2, '0')}`);
    const [listed, running] = [await ask(upstream, base, query), await ask(upstream, real, query)];
    expect(rides(listed).every(({ expectedDeparture }) => expectedDeparture === undefined)).toBe(
      true,
    );
    expect(rides(running).some((ride) => ride.cancelled)).toBe(false);
    lates += rides(running).filter(({ expectedDeparture }) => expectedDeparture).length;
    cancelled += rides(listed).filter((ride) => ride.cancelled).length;
    expect(ids(running)).toEqual(
      listed.journeys
        .filter(({ legs }) => legs.every((leg) => leg.kind !== 'ride' || !leg.cancelled))
        .map(({ id }) => id),
    );
  }
  expect(lates).toBeGreaterThan(0);
  expect(cancelled).toBeGreaterThan(0);
});

test('navitia: departures before a time are asked for forward, by windows, until there is one', async () => {
  const upstream = await startUpstream();
  const { sent, http } = await observed(upstream);
  const query = queryFor('navitia', '2026-12-02');
  const atMs = Date.UTC(2026, 11, 2, 2);
  const page = { direction: 'earlier', token: `departure ${atMs}` } as const;
  const { navitia } = upstream.carriers;
  const { journeys, covers, pages } = await ask(upstream, navitia, { ...query, page }, { http });
  const trains = upstream.sim.trains({
    ...{ carrier: 'navitia', origin: '8768600', destination: '8503000', date: '2026-12-01' },
  });
  expect(journeys.at(-1)?.departure.ms).toBe(trains.at(-1)?.departureMs);
  expect(covers?.untilMs).toBe(atMs + 1);
  expect(journeys.every(({ departure }) => departure.ms >= (covers?.fromMs ?? 0))).toBe(true);
  expect(pages).toEqual({
    earlier: `departure ${(covers?.fromMs ?? 0) - 1}`,
    later: `departure ${atMs + 1}`,
  });
  expect(new Set(sent.map((one) => one['datetime_represents']))).toEqual(new Set(['departure']));
  expect(sent.length).toBeLessThanOrEqual(4);
});
