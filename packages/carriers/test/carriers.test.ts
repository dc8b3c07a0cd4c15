import { expect, test } from 'vitest';
import {
  ask,
  carrierIds,
  createCarriers,
  failureOf,
  queryFor,
  queryOf,
  startUpstream,
} from './upstream.ts';

test.each(carrierIds)('%s finds the trains of the timetable over real HTTP', async (id) => {
  const upstream = await startUpstream();
  const query = queryFor(id);
  const { journeys } = await ask(upstream, upstream.carriers[id], query);
  const trains = upstream.sim.trains({
    carrier: id,
    origin: query.origin.codes['uic'] as string,
    destination: query.destination.codes['uic'] as string,
    date: query.date,
  });
  expect(journeys.map(({ departure }) => departure.ms)).toEqual(
    trains.map(({ departureMs }) => departureMs),
  );
  expect(journeys.length).toBeGreaterThan(4);
});

test.each(carrierIds)('%s: a deadline that has passed is TIMEOUT without a request', async (id) => {
  const upstream = await startUpstream();
  const error = await failureOf(() =>
    ask(upstream, upstream.carriers[id], queryFor(id), { deadline: 0 }),
  );
  expect(error.code).toBe('TIMEOUT');
  expect(upstream.sim.requests()[id].arrived).toBe(0);
});

test.each(carrierIds)('%s: a closed port is NETWORK', async (id) => {
  const upstream = await startUpstream();
  await upstream.sim.close();
  expect(await failureOf(() => ask(upstream, upstream.carriers[id], queryFor(id)))).toMatchObject({
    code: 'NETWORK',
  });
});

test('renfe connects two lines by a change of trains', async () => {
  const upstream = await startUpstream();
  const { journeys } = await ask(upstream, upstream.carriers.renfe, queryOf('7171801', '7151003'));
  expect(journeys.length).toBeGreaterThan(0);
  for (const journey of journeys) expect(journey).toMatchObject({ transfers: 1 });
});

test.each(carrierIds)('%s: a pair without any line is NOT_SERVED', async (id) => {
  const upstream = await startUpstream();
  const query = queryOf('7115211', '7143019');
  const error = await failureOf(() => ask(upstream, upstream.carriers[id], query));
  expect(error.code).toBe('NOT_SERVED');
});

test.each(carrierIds)('%s: a day beyond the sale is DATE_OUT_OF_RANGE', async (id) => {
  const upstream = await startUpstream();
  const query = queryFor(id, '2027-10-01');
  const error = await failureOf(() => ask(upstream, upstream.carriers[id], query));
  expect(error.code).toBe('DATE_OUT_OF_RANGE');
});

test('renfe makes four calls, in one session', async () => {
  const upstream = await startUpstream();
  await ask(upstream, upstream.carriers.renfe);
  expect(upstream.sim.requests().renfe).toMatchObject({
    arrived: 4,
    answered: 4,
    aborted: 0,
    open: 0,
    mostOpen: 1,
  });
});

test('ouigo logs in once for many searches, and again when its token is refused', async () => {
  const upstream = await startUpstream();
  const { ouigo } = upstream.carriers;
  await ask(upstream, ouigo);
  await ask(upstream, ouigo);
  expect(upstream.sim.requests().ouigo.arrived).toBe(3);

  const other = await startUpstream();
  const moved = {
    send: (request: Parameters<ReturnType<typeof other.http.clientOf>['send']>[0]) =>
      other.http
        .clientOf('ouigo')
        .send({ ...request, url: request.url.replace(upstream.sim.url, other.sim.url) }),
  };
  const { journeys } = await ask(other, ouigo, queryOf(), { http: moved });
  expect(journeys.length).toBeGreaterThan(4);
  expect(other.sim.requests().ouigo.arrived).toBe(3);
});

test('ouigo: credentials that are refused are AUTH', async () => {
  const upstream = await startUpstream({ credentials: { username: 'someone', password: 'else' } });
  const error = await failureOf(() => ask(upstream, upstream.carriers.ouigo));
  expect(error).toMatchObject({ code: 'AUTH', httpStatus: 401, retryable: false });
});

test('avlo reads one UTC day, or the two that a local day touches', async () => {
  const upstream = await startUpstream();
  await ask(upstream, upstream.carriers.avlo);
  expect(upstream.sim.requests().avlo.arrived).toBe(2);
});

test('createX() serves any base URL with a path', async () => {
  const carriers = createCarriers('http://127.0.0.1:9/deep/path');
  const urls: string[] = [];
  const http = {
    send: (request: { url: string }) => {
      urls.push(request.url);
      return Promise.reject(new Error('stop'));
    },
  };
  const context = { http, signal: new AbortController().signal, deadline: Infinity };
  for (const id of carrierIds) await carriers[id].request(queryFor(id), context).catch(() => {});
  expect(new Set(urls.map((url) => url.split('/').slice(0, 6).join('/')))).toEqual(
    new Set(carrierIds.map((id) => `http://127.0.0.1:9/deep/path/${id}`)),
  );
});
