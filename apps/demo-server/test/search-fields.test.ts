import { filterJourneys, type Journey, type JourneyFilter } from '@ticketing/core';
import { expect, test } from 'vitest';
import { SearchAnswer, SearchStreamEvent } from '../src/http/api/search-schemas.ts';
import { carriersBehindGate } from './carriers-behind-gate.ts';
import {
  type Demo,
  eventually,
  MADRID_BARCELONA,
  serveDemo,
  serveDemoBy,
  setPlan,
  sharedServer,
  statsOf,
} from './demo.ts';
import { schemaErrors } from './schema-errors.ts';

const shared = sharedServer('--latency', '0');
const DAY = '2026-12-01';
const ROUTE = `${MADRID_BARCELONA}&date=${DAY}`;

const localTime = ({ iso }: Journey['departure']) => iso.slice(11, 16);
const idsOf = (journeys: readonly Journey[]) => journeys.map(({ id }) => id);

async function streamed({ get }: Demo, path: string) {
  const { body } = await get(path, { headers: { accept: 'application/x-ndjson' } });
  const events = (body as string)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const view = new Map<string, Journey>();
  for (const event of events) {
    for (const id of event.removed ?? []) expect(view.delete(id)).toBe(true);
    for (const journey of event.journeys ?? []) view.set(journey.id, journey);
  }
  return { events, journeys: [...view.values()], done: events.at(-1) };
}

test('time, arriveBy, class and maxTransfers narrow what the carriers are asked', async () => {
  const { get } = shared();
  const all: Journey[] = (await get(ROUTE)).body.journeys;
  const after = (await get(`${ROUTE}&time=12:00`)).body;
  expect(after.query).toMatchObject({ time: '12:00' });
  expect(idsOf(after.journeys)).toEqual(
    idsOf(all.filter(({ departure }) => localTime(departure) >= '12:00')),
  );
  const until: Journey[] = (await get(`${ROUTE}&time=12:00&arriveBy=1`)).body.journeys;
  expect(idsOf(until)).toEqual(
    idsOf(all.filter(({ arrival }) => arrival.iso.slice(0, 16) <= `${DAY}T12:00`)),
  );
  const first: Journey[] = (await get(`${ROUTE}&class=first`)).body.journeys;
  const classes = new Set(first.flatMap(({ offers }) => offers.map((one) => one.travelClass)));
  expect([...classes]).toEqual(['first']);
  const changes = `/search?origin=Barcelona&destination=Sevilla&date=${DAY}`;
  const some: Journey[] = (await get(`${changes}`)).body.journeys;
  const none: Journey[] = (await get(`${changes}&maxTransfers=0`)).body.journeys;
  expect(idsOf(none)).toEqual(idsOf(some.filter(({ transfers }) => transfers === 0)));
});

test('ages and cards are in the query; a field that no carrier heeds is reported', async () => {
  const { body } = await shared().get(`${ROUTE}&ages=35,8,&cards=BC50+YC,,`);
  expect(body.query.passengers).toEqual([{ age: 35, cards: ['BC50', 'YC'] }, { age: 8 }, {}]);
  for (const { ignored } of body.carriers) expect(ignored).toEqual(['ages', 'cards']);
  expect(schemaErrors(SearchAnswer, body)).toEqual([]);
  const cards = await shared().get(`${ROUTE}&cards=BC50&passengers=1`);
  expect(cards.body.query.passengers).toEqual([{ cards: ['BC50'] }]);
});

test('every station of an answer has a name, in a document and in a stream', async () => {
  const { body } = await shared().get(`/search?origin=Barcelona&destination=Sevilla&date=${DAY}`);
  const used = new Set<string>(
    body.journeys.flatMap(({ legs }: Journey) =>
      legs.flatMap((leg) => [leg.origin, leg.destination]),
    ),
  );
  expect(new Set(Object.keys(body.places))).toEqual(used);
  expect(used.size).toBeGreaterThan(2);
  for (const [id, { name }] of Object.entries<{ name: string }>(body.places)) {
    expect(name).not.toBe(id);
  }
  const { events } = await streamed(
    shared(),
    `/search?origin=Barcelona&destination=Sevilla&date=${DAY}`,
  );
  expect(Object.assign({}, ...events.map(({ places }) => places))).toEqual(body.places);
});

const filters: readonly [parameters: string, filter: JourneyFilter][] = [
  ['maxPrice=50', { maxPrice: { amount: 5000, currency: 'EUR' } }],
  ['maxPrice=50.00%20CHF', { maxPrice: { amount: 5000, currency: 'CHF' } }],
  ['departAfter=10:00&departBefore=15:00', { departAfter: '10:00', departBefore: '15:00' }],
  ['arriveBefore=12:00', { arriveBefore: '12:00' }],
  ['direct=1', { direct: true }],
  ['direct=0', {}],
  ['flexible=true', { flexible: true }],
];

test.each(filters)(
  '%s is applied after the search, in a document and in a stream',
  async (parameters, filter) => {
    const { get } = shared();
    const all = (await get(`${ROUTE}&order=price`)).body;
    const { status, body } = await get(`${ROUTE}&order=price&${parameters}`);
    expect(status).toBe(200);
    const kept = filterJourneys(all.journeys, filter);
    expect(idsOf(body.journeys)).toEqual(idsOf(kept));
    expect(body.carriers.map(({ found }: { found: number }) => found)).toEqual(
      all.carriers.map(({ found }: { found: number }) => found),
    );
    expect(schemaErrors(SearchAnswer, body)).toEqual([]);
    const { journeys, done } = await streamed(shared(), `${ROUTE}&${parameters}`);
    expect(idsOf(journeys).sort()).toEqual(idsOf(kept).sort());
    expect(done).toMatchObject({ type: 'search-done', found: kept.length });
  },
);

test('facets count the journeys before the filters', async () => {
  const { get } = shared();
  const all = (await get(ROUTE)).body;
  const { body } = await get(`${ROUTE}&facets=1&maxPrice=1`);
  expect(all).not.toHaveProperty('facets');
  expect(body.journeys).toEqual([]);
  const { carrier, hour, transfers } = body.facets;
  expect(carrier.map(({ value }: { value: string }) => value)).toEqual(['avlo', 'ouigo', 'renfe']);
  const sum = (facets: { count: number }[]) =>
    facets.reduce((total, { count }) => total + count, 0);
  expect([sum(hour), sum(transfers)]).toEqual([all.journeys.length, all.journeys.length]);
  expect(schemaErrors(SearchAnswer, body)).toEqual([]);
  const { done } = await streamed(shared(), `${ROUTE}&facets=1&maxPrice=1`);
  expect(done.facets).toEqual(body.facets);
  expect(schemaErrors(SearchStreamEvent, done)).toEqual([]);
});

test('one coalesced search serves every filter', async () => {
  const { url, open, sim } = await carriersBehindGate();
  const flags = ['--carriers-url', url, '--deadline-ms', '60000'];
  const server = await serveDemoBy(Date.now, ...flags);
  const paths = ['', '&maxPrice=50', '&direct=1&facets=1', '&departAfter=12:00', '&flexible=1'];
  const asked = paths.map((more) => server.get(MADRID_BARCELONA + more));
  await eventually(async () =>
    expect((await statsOf(server))[0].coalesce).toMatchObject({ joined: paths.length - 1 }),
  );
  open();
  const [all, cheap] = await Promise.all(asked);
  expect(cheap?.body.journeys.length).toBeLessThan(all?.body.journeys.length);
  expect(cheap?.body.pages).toEqual(all?.body.pages);
  expect(sim.requests()).toMatchObject({ renfe: { arrived: 4 }, avlo: { arrived: 2 } });
});

test('pages lead to earlier and later journeys, and back to all of them', async () => {
  const { get } = shared();
  const whole: Journey[] = (await get(ROUTE)).body.journeys;
  const late = (await get(`${ROUTE}&time=12:00`)).body;
  const pageOf = (text: string) => get(`${ROUTE}&time=12:00&page=${text}`);
  const early = (await pageOf(late.pages.earlier)).body;
  expect([...idsOf(early.journeys), ...idsOf(late.journeys)]).toEqual(idsOf(whole));
  expect(early.query.page).toMatchObject({ direction: 'earlier' });
  const next = (await pageOf(late.pages.later)).body;
  const tomorrow = (await get(ROUTE.replace(DAY, '2026-12-02'))).body;
  expect(idsOf(next.journeys)).toEqual(idsOf(tomorrow.journeys));
  expect(idsOf((await pageOf(early.pages.later)).body.journeys)).toEqual(idsOf(late.journeys));
  for (const body of [early, late, next]) expect(schemaErrors(SearchAnswer, body)).toEqual([]);
  const { done } = await streamed(shared(), `${ROUTE}&time=12:00`);
  expect(done.pages).toEqual(late.pages);
});

test('a page that was changed, or is of another search or server, is 400', async () => {
  const { get } = shared();
  const { later } = (await get(`${ROUTE}&time=12:00`)).body.pages;
  const [payload, proof] = later.split('.');
  const json = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const forged = Buffer.from(JSON.stringify({ ...json, byCarrier: { renfe: ['2030-01-01'] } }));
  const cases: [parameters: string, expected: RegExp][] = [
    [`time=12:00&page=${forged.toString('base64url')}.${proof}`, /one of the pages of an answer/],
    [`time=12:00&page=${payload}`, /one of the pages of an answer/],
    [`time=12:00&page=${later}x`, /one of the pages of an answer/],
    [`time=12:01&page=${later}`, /a page of the same query/],
    [`page=${later}`, /a page of the same query/],
    [`time=12:00&passengers=2&page=${later}`, /a page of the same query/],
  ];
  for (const [parameters, expected] of cases) {
    for (const accept of ['application/json', 'application/x-ndjson']) {
      const answer = await get(`${ROUTE}&${parameters}`, { headers: { accept } });
      expect(answer, parameters).toMatchObject({ status: 400, body: { parameter: 'page' } });
      expect(answer.body.expected).toMatch(expected);
    }
  }
  const other = await serveDemo('--latency', '0');
  expect(await other.get(`${ROUTE}&time=12:00&page=${later}`)).toMatchObject({ status: 400 });
  const page = await get(`/?${ROUTE.split('?')[1]}&time=12:01&page=${later}&plain=1`);
  expect([page.status, page.body.includes('class="card empty lone"')]).toEqual([400, true]);
});

test('servers with one --page-key open the pages of each other', async () => {
  const key = ['--latency', '0', '--page-key', 'the key of both servers'];
  const [one, other] = [await serveDemo(...key), await serveDemo(...key)];
  const { pages } = (await one.get(ROUTE)).body;
  expect(await other.get(`${ROUTE}&page=${pages.later}`)).toMatchObject({ status: 200 });
});

test('a carrier that is asked too often is rate-limited; when all are, 503 with Retry-After', async () => {
  const { get, carriersUrl } = await serveDemo('--latency', '0', '--deadline-ms', '5000');
  await setPlan(carriersUrl, 'renfe', { fault: { kind: 'throttled', share: 1 } });
  const { body } = await get(ROUTE);
  expect(body.carriers[0]).toMatchObject({ carrier: 'renfe', state: 'rate-limited' });
  expect(schemaErrors(SearchAnswer, body)).toEqual([]);
  const page = await get(`/?${ROUTE.split('?')[1]}&plain=1`);
  expect(page.body).toContain('data-state="rate-limited"');
  for (const carrier of ['ouigo', 'avlo']) {
    await setPlan(carriersUrl, carrier, { fault: { kind: 'throttled', share: 1 } });
  }
  const refused = await get(ROUTE);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
});

test('the page has fields for the time, changes and class, and links to earlier and later journeys', async () => {
  const { get } = shared();
  const query = `${ROUTE.split('?')[1]}&time=12:00&maxTransfers=0&class=second&plain=1`;
  const { body } = await get(`/?${query}`);
  expect(body).toContain('<input id="time" name="time" type="time" value="12:00">');
  expect(body).toContain('name="maxTransfers" value="0" checked');
  expect(body).toContain('name="class" value="second" checked');
  const [, earlier = ''] = /href="([^"]+)" data-more="earlier"/.exec(body) ?? [];
  const before = await get(earlier.replaceAll('&amp;', '&'));
  const rows = (markup: string) => [...markup.matchAll(/<time datetime="([^"]+)">/g)].length;
  expect([before.status, rows(before.body) > 0]).toEqual([200, true]);
  const [, later = ''] = /href="([^"]+)" data-more="later"/.exec(body) ?? [];
  const next = await get(later.replaceAll('&amp;', '&'));
  expect(next.body).toContain('id="day-2026-12-02"');
  const empty = await get(`/?${ROUTE.split('?')[1]}&time=&arriveBy=&maxTransfers=&class=&plain=1`);
  expect(empty.status).toBe(200);
  const wrong = await get(`/?${ROUTE.split('?')[1]}&time=noon&plain=1`);
  expect([wrong.status, wrong.body.includes('id="time-note"')]).toEqual([400, true]);
});
