import { addDays, type Journey } from '@ticketing/core';
import { expect, test } from 'vitest';
import { SearchAnswer } from '../src/http/api/search-schemas.ts';
import {
  ASKED,
  eventually,
  MADRID_BARCELONA,
  requestsAt,
  serveDemo,
  setPlan,
  sharedServer,
  TODAY,
} from './demo.ts';
import { schemaErrors } from './schema-errors.ts';

const carriers = ASKED;
/** Calls that each carrier has open when all hang: Avlo's timetable has two documents. */
const hanging = carriers.map((carrier) => (carrier === 'avlo' ? 2 : 1));

const shared = sharedServer('--latency', '0');

test('GET /search without a date searches tomorrow, and takes as long as the slowest carrier', async () => {
  const { get } = await serveDemo();
  const { body, headers } = await get(MADRID_BARCELONA);
  expect(body.query.date).toBe(addDays(TODAY, 1));
  const times: number[] = body.carriers.map(({ ms }: { ms: number }) => ms);
  expect(body.carriers).toMatchObject(carriers.map((carrier) => ({ carrier, state: 'ok' })));
  expect(body.ms).toBeLessThan(times.reduce((sum, ms) => sum + ms));
  const own = carriers.map((name) => `${name};dur=\\d+;desc="[A-Z][\\w ,]+", `).join('');
  const timings = `${own}search;dur=\\d+, `;
  expect(headers.get('server-timing')).toMatch(new RegExp(`^${timings}total;dur=[\\d.]+$`));
  expect(headers.get('server-timing')).toContain('Renfe makes four calls, one after the other');
  expect(headers.get('x-worker')).toBe(String(process.pid));
});

test('GET /search answers by its schema', async () => {
  const { get } = shared();
  for (const path of [MADRID_BARCELONA, '/search?origin=Barcelona&destination=Sevilla']) {
    const { body } = await get(path);
    expect(schemaErrors(SearchAnswer, body)).toEqual([]);
  }
});

test('GET /search understands ids, codes and names, and sorts by its parameter', async () => {
  const { get } = shared();
  const expected = await get(MADRID_BARCELONA);
  for (const [origin, destination] of [
    ['uic:7160000', '7171801'],
    ['renfe:60000', 'BARCELONA SANTS'],
    ['madrid puerta de atocha', 'avlo:13'],
  ]) {
    const { body } = await get(`/search?origin=${origin}&destination=${destination}`);
    const ids = ({ id }: Journey) => id;
    expect(body.journeys.map(ids)).toEqual(expected.body.journeys.map(ids));
  }
  const { body } = await get(`${MADRID_BARCELONA}&order=price&passengers=2`);
  const prices = body.journeys.map(
    ({ offers }: Journey) => offers[0]?.total.amount ?? Number.POSITIVE_INFINITY,
  );
  expect(prices).toEqual([...prices].sort((a: number, b: number) => a - b));
  expect(body.query.passengers).toEqual([{}, {}]);
});

test('one carrier hangs: 200 with the others at the deadline, and its request is aborted', async () => {
  const { get, carriersUrl } = await serveDemo('--deadline-ms', '1500', '--latency', '0');
  await setPlan(carriersUrl, 'renfe', { fault: { kind: 'hang', share: 1 } });
  const { status, body } = await get(MADRID_BARCELONA);
  expect(status).toBe(200);
  expect(body.complete).toBe(false);
  expect(body.carriers).toMatchObject([
    { carrier: 'renfe', state: 'timeout', error: { code: 'TIMEOUT' } },
    ...carriers.slice(1).map((carrier) => ({ carrier, state: 'ok' })),
  ]);
  expect(body.journeys.length).toBeGreaterThan(10);
  await eventually(async () => {
    expect((await requestsAt(carriersUrl))['renfe']).toMatchObject({ aborted: 1, open: 0 });
  });
});

test('all carriers hang: 504 problem+json with the status of each', async () => {
  // Without an admission: on a busy machine the request could wait there for its deadline, and be refused as that.
  const argv = ['--deadline-ms', '500', '--latency', '0', '--max-in-flight', 'off'];
  const { get, carriersUrl } = await serveDemo(...argv);
  for (const carrier of carriers)
    await setPlan(carriersUrl, carrier, { fault: { kind: 'hang', share: 1 } });
  const { status, type, body } = await get(MADRID_BARCELONA);
  expect({ status, type }).toEqual({ status: 504, type: 'application/problem+json' });
  expect(body).toMatchObject({
    type: 'urn:ticketing:problem:no-carrier-answered-in-time',
    title: 'No carrier answered in time',
    status: 504,
    instance: '/search',
    carriers: carriers.map((carrier) => ({ carrier, state: 'timeout' })),
  });
});

test('every carrier busy: 503 problem+json with Retry-After', async () => {
  const argv = ['--carriers', 'avlo', '--latency', '0', '--deadline-ms', '60000'];
  const { get, carriersUrl } = await serveDemo(...argv);
  await setPlan(carriersUrl, 'avlo', { fault: { kind: 'throttled', share: 1 } });
  const { status, type, headers } = await get(MADRID_BARCELONA);
  expect({ status, type }).toEqual({ status: 503, type: 'application/problem+json' });
  expect(headers.get('retry-after')).toBe('1');
});

test('a route that no carrier serves is an empty list, and complete', async () => {
  const { get } = shared();
  const { status, body } = await get('/search?origin=Oviedo&destination=Huelva');
  expect(status).toBe(200);
  expect(body).toMatchObject({ journeys: [], complete: true });
  expect(body.carriers[0]).toMatchObject({ state: 'empty', error: { code: 'NOT_SERVED' } });
});

test.each([
  ['hang', 504, 'timeout'],
  ['throttled', 503, 'rate-limited'],
  ['error', 502, 'error'],
] as const)(
  'the only carrier that goes there fails (%s): no list, though carriers that do not go there have answered',
  async (kind, status, state) => {
    // Only a carrier that hangs has the search wait for its deadline.
    const deadlineMs = kind === 'hang' ? '500' : '60000';
    const argv = ['--latency', '0', '--deadline-ms', deadlineMs, '--max-in-flight', 'off'];
    const { get, carriersUrl } = await serveDemo(...argv);
    await setPlan(carriersUrl, 'renfe', { fault: { kind, share: 1 } });
    expect(await get('/search?origin=Madrid&destination=Toledo')).toMatchObject({
      status,
      body: {
        carriers: [
          { carrier: 'renfe', state },
          { carrier: 'ouigo', state: 'empty', error: { code: 'NOT_SERVED' } },
          { carrier: 'avlo', state: 'empty', error: { code: 'NOT_SERVED' } },
        ],
      },
    });
  },
);

test('--carriers asks only those', async () => {
  const { get, carriersUrl } = await serveDemo('--carriers', 'ouigo', '--latency', '0');
  const { body } = await get(MADRID_BARCELONA);
  expect(body.carriers).toMatchObject([{ carrier: 'ouigo', state: 'ok' }]);
  expect(await requestsAt(carriersUrl)).toMatchObject({
    renfe: { arrived: 0 },
    avlo: { arrived: 0 },
  });
});

test('carriers= asks only those, as a document, a stream and a page; others are a key of their own', async () => {
  const { get, carriersUrl } = await serveDemo('--carriers', 'renfe,ouigo', '--latency', '0');
  const path = `${MADRID_BARCELONA}&carriers=ouigo`;
  const { body } = await get(path);
  expect(body).toMatchObject({ complete: true, carriers: [{ carrier: 'ouigo', state: 'ok' }] });
  const stream = await get(path, { headers: { accept: 'application/x-ndjson' } });
  const started = JSON.parse((stream.body as string).split('\n')[0] ?? '');
  expect(started.carriers).toMatchObject([{ carrier: 'ouigo', state: 'running' }]);
  const page = await get(`/?${path.split('?')[1]}&plain=1`);
  expect(page.body).toContain('data-carrier="ouigo"');
  expect(page.body).not.toContain('data-carrier="renfe"');
  expect(await requestsAt(carriersUrl)).toMatchObject({ renfe: { arrived: 0 } });
  const refused = await get(`${MADRID_BARCELONA}&carriers=avlo`);
  expect(refused).toMatchObject({ status: 400, body: { expected: 'some of renfe, ouigo' } });
  const misspelt = await get(`${MADRID_BARCELONA}&carriers=ouigo,refne`);
  expect(misspelt.body.nearest).toEqual([{ id: 'renfe', name: 'Renfe' }]);
  const onPage = await get(`/?${MADRID_BARCELONA.split('?')[1]}&carriers=avlo&plain=1`);
  expect([onPage.status, /class="card empty lone".*renfe, ouigo/s.test(onPage.body)]).toEqual([
    400,
    true,
  ]);
});

test('the client leaves: every upstream request is aborted', async () => {
  const { url, carriersUrl } = await serveDemo('--deadline-ms', '60000', '--latency', '0');
  for (const carrier of carriers)
    await setPlan(carriersUrl, carrier, { fault: { kind: 'hang', share: 1 } });
  for (const accept of ['application/json', 'application/x-ndjson', 'text/event-stream']) {
    const controller = new AbortController();
    const { signal } = controller;
    const left = fetch(url + MADRID_BARCELONA, { signal, headers: { accept } }).catch(() => {});
    const open = async () =>
      Object.values(await requestsAt(carriersUrl)).map((counts) => counts.open);
    await eventually(async () => expect(await open(), accept).toEqual(hanging));
    controller.abort();
    await left;
    await eventually(async () => expect(await open(), accept).toEqual(carriers.map(() => 0)));
  }
});
