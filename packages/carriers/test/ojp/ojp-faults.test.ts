import type { FaultKind, FaultPatch } from '@ticketing/carrier-sim';
import type { CarrierAnswer, CarrierHttp, CarrierHttpRequest, Journey } from '@ticketing/core';
import { expect, test } from 'vitest';
import { createCarrierHttp, createOjp } from '../../src/index.ts';
import { USER_AGENT } from '../../src/wire/endpoint.ts';
import { ask, bytesOf, failureOf, now, queryFor, startUpstream } from '../upstream.ts';
import { delivery, options } from './ojp-answers.ts';

const ids = ({ journeys }: CarrierAnswer) => journeys.map(({ id }) => id);

test.each<FaultPatch>([
  { kind: 'early-trip' },
  { kind: 'prefixes-1.0' },
  { kind: 'wrong-content-type' },
  { kind: 'padding', megabytes: 0.3 },
])('ojp: fault %j changes no journey', async (fault) => {
  const upstream = await startUpstream();
  const query = { ...queryFor('ojp'), time: '12:00' };
  const before = await ask(upstream, upstream.carriers.ojp, query);
  expect(ids(before)).toHaveLength(12);
  upstream.sim.setPlan('ojp', { fault });
  const after = await ask(upstream, upstream.carriers.ojp, query);
  expect(ids(after)).toEqual(ids(before));
  expect(after.covers).toEqual(before.covers);
});

test.each<[kind: FaultKind, code: string]>([
  ['doctype', 'PROTOCOL'],
  ['reset', 'NETWORK'],
])('ojp: fault %s is %s', async (kind, code) => {
  const upstream = await startUpstream();
  upstream.sim.setPlan('ojp', { fault: { kind } });
  const error = await failureOf(() => ask(upstream, upstream.carriers.ojp, queryFor('ojp')));
  expect(error.code).toBe(code);
});

test('ojp: an answer above `maxBodyBytes` is PROTOCOL; with more it is read', async () => {
  const upstream = await startUpstream();
  upstream.sim.setPlan('ojp', { fault: { kind: 'padding' } });
  const query = { ...queryFor('ojp'), time: '12:00' };
  const error = await failureOf(() => ask(upstream, upstream.carriers.ojp, query));
  expect(error.message).toBe('Cannot read answer of `ojp`: it exceeds `maxBodyBytes` (2097152)');
  await using http = createCarrierHttp({ now, maxBodyBytes: 4_000_000 });
  expect((await ask({ http }, upstream.carriers.ojp, query)).journeys).toHaveLength(12);
});

test('ojp reads a day page by page, and reports what it covers', async () => {
  const upstream = await startUpstream();
  const create = (maxPages: number, results: number) =>
    createOjp({
      ...options,
      baseUrl: `${upstream.sim.url}/ojp`,
      headers: () => ({ authorization: 'Bearer x' }),
      now,
      maxPages,
      results,
    });
  const query = queryFor('ojp');
  const trains = upstream.sim.trains({
    carrier: 'ojp',
    origin: '8503000',
    destination: '8507000',
    date: query.date,
  });
  const whole = await ask(upstream, create(4, 12), query);
  expect(whole.journeys.map(({ departure }) => departure.ms)).toEqual(
    trains.map(({ departureMs }) => departureMs),
  );
  const midnight = Date.UTC(2026, 10, 30, 23);
  expect(whole.covers).toEqual({ fromMs: midnight, untilMs: midnight + 86_400_000 });
  const some = await ask(upstream, create(2, 5), query);
  const until = some.covers?.untilMs ?? 0;
  expect(until).toBeLessThan(midnight + 86_400_000);
  expect(some.journeys.map(({ departure }) => departure.ms)).toEqual(
    trains.filter(({ departureMs }) => departureMs <= until).map((train) => train.departureMs),
  );
  expect(some.pages).toEqual({
    earlier: `departure ${midnight - 1}`,
    later: `departure ${until}~${some.journeys.at(-1)?.id}`,
  });
});

test('ojp: a later page that fails or hangs costs the pages before nothing', async () => {
  const upstream = await startUpstream();
  const { ojp } = upstream.carriers;
  const http = upstream.http.clientOf('ojp');
  for (const kind of ['error', 'hang'] as const) {
    upstream.sim.setPlan('ojp', { fault: null });
    let sent = 0;
    const failing: CarrierHttp = {
      send(request) {
        sent += 1;
        if (sent === 2) upstream.sim.setPlan('ojp', { fault: { kind } });
        return http.send(request);
      },
    };
    const deadline = now() + 1500;
    const answer = await ask(upstream, ojp, queryFor('ojp'), { http: failing, deadline });
    expect(answer.journeys).toHaveLength(12);
    const { id, departure } = answer.journeys.at(-1) as Journey;
    expect(answer.covers?.untilMs).toBe(departure.ms);
    expect(answer.pages?.later).toBe(`departure ${departure.ms}~${id}`);
    expect(now()).toBeLessThan(deadline);
  }
});

/** What the adapter sends, and one answer to it all. */
function recorded(body: string): { sent: CarrierHttpRequest[]; http: CarrierHttp } {
  const sent: CarrierHttpRequest[] = [];
  const send = async (request: CarrierHttpRequest) => {
    sent.push(request);
    return { status: 200, headers: {}, body: bytesOf(body), receivedAt: 1 };
  };
  return { sent, http: { send } };
}

test('ojp asks by the schema: order, names escaped, its own user agent', async () => {
  const { sent, http } = recorded(delivery('<OJPTripDelivery/>'));
  const carrier = createOjp({ ...options, now: () => 0, requestor: 'a & b' });
  const query = { ...queryFor('ojp'), time: '08:00', maxTransfers: 2 };
  const odd = { ...query, via: { ...query.origin, name: 'A<\u0001"B"\ud800' } };
  const context = { http, signal: new AbortController().signal, deadline: 1000 };
  await carrier.request(odd, context);
  expect(sent).toMatchObject([
    {
      method: 'POST',
      url: 'http://127.0.0.1:1',
      headers: { 'content-type': 'application/xml', 'user-agent': USER_AGENT },
      alsoResolve: [400],
    },
  ]);
  expect(sent[0]?.body).toBe(
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<OJP xmlns="http://www.vdv.de/ojp" xmlns:siri="http://www.siri.org.uk/siri" version="2.0"><OJPRequest><siri:ServiceRequest>',
      '<siri:RequestTimestamp>1970-01-01T00:00:00Z</siri:RequestTimestamp><siri:RequestorRef>a &amp; b</siri:RequestorRef>',
      '<OJPTripRequest><siri:RequestTimestamp>1970-01-01T00:00:00Z</siri:RequestTimestamp>',
      '<Origin><PlaceRef><StopPlaceRef>8503000</StopPlaceRef><Name><Text>Zürich HB</Text></Name></PlaceRef><DepArrTime>2026-12-01T07:00:00Z</DepArrTime></Origin>',
      '<Destination><PlaceRef><StopPlaceRef>8507000</StopPlaceRef><Name><Text>Bern</Text></Name></PlaceRef></Destination>',
      '<Via><ViaPoint><StopPlaceRef>8503000</StopPlaceRef><Name><Text>A&lt; &quot;B&quot; </Text></Name></ViaPoint></Via>',
      '<Params><NumberOfResultsAfter>12</NumberOfResultsAfter><UseRealtimeData>explanatory</UseRealtimeData><TransferLimit>2</TransferLimit>',
      '<IncludeTrackSections>true</IncludeTrackSections><IncludeLegProjection>false</IncludeLegProjection>',
      '<IncludeIntermediateStops>false</IncludeIntermediateStops></Params>',
      '</OJPTripRequest></siri:ServiceRequest></OJPRequest></OJP>',
    ].join(''),
  );
});

test('ojp begins today now, and asks for arrivals and earlier trips as such', async () => {
  const { sent, http } = recorded(delivery('<OJPTripDelivery/>'));
  const today = Date.UTC(2026, 11, 1, 9, 30, 15);
  const carrier = createOjp({ ...options, now: () => today });
  const context = { http, signal: new AbortController().signal, deadline: today + 1000 };
  const query = queryFor('ojp');
  const page = { direction: 'earlier', token: `departure ${Date.UTC(2026, 11, 1, 8)}` } as const;
  await carrier.request(query, context);
  await carrier.request({ ...query, time: '12:30', arriveBy: true }, context);
  await carrier.request({ ...query, page }, context);
  const asked = sent.map(({ body }) => String(body));
  expect(asked[0]).toContain('</PlaceRef><DepArrTime>2026-12-01T09:30:00Z</DepArrTime></Origin>');
  expect(asked[1]).toContain('<DepArrTime>2026-12-01T11:30:00Z</DepArrTime></Destination>');
  expect(asked[1]).toContain('<NumberOfResultsBefore>12</NumberOfResultsBefore>');
  expect(asked[2]).toContain('<DepArrTime>2026-12-01T08:01:00Z</DepArrTime></Origin>');
  const forged = { direction: 'later', token: 'x' } as const;
  const error = await failureOf(() => carrier.request({ ...query, page: forged }, context));
  expect(error).toMatchObject({
    code: 'BAD_REQUEST',
    message: 'Cannot ask `ojp`: `page.token` is not one of its own',
  });
});

test('ojp: headers that cannot be made are AUTH', async () => {
  const { http } = recorded('');
  const carrier = createOjp({ ...options, headers: () => Promise.reject(new Error('no token')) });
  const context = { http, signal: new AbortController().signal, deadline: now() + 1000 };
  const error = await failureOf(() => carrier.request(queryFor('ojp'), context));
  expect(error).toMatchObject({ code: 'AUTH', message: 'Cannot ask `ojp`: `headers` failed' });
});

test('ojp: via, changes and authorisation are up to the server', async () => {
  const upstream = await startUpstream();
  const { ojp } = upstream.carriers;
  const query = queryFor('ojp');
  const via = { ...query.origin, codes: { uic: '8501609' } };
  const error = await failureOf(() => ask(upstream, ojp, { ...query, via }));
  expect(error.code).toBe('NO_RESULTS');
  const stranger = createOjp({ ...options, baseUrl: `${upstream.sim.url}/ojp`, now });
  expect((await failureOf(() => ask(upstream, stranger, query))).code).toBe('AUTH');
});
