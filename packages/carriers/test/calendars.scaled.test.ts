import {
  type Carrier,
  type CarrierAnswer,
  type CarrierContext,
  type CarrierHttpRequest,
  type CarrierQuery,
  lowestTotals,
} from '@ticketing/core';
import { scaled } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createOuigo, createRenfe } from '../src/index.ts';
import {
  ask,
  bytesOf,
  failureOf,
  now,
  queryFor,
  queryOf,
  rail,
  startUpstream,
  type Upstream,
} from './upstream.ts';

const month = { date: '2026-12-01', calendarUntil: '2026-12-31' };
const days = Array.from({ length: 31 }, (_, day) => `2026-12-${`${day + 1}`.padStart(2, '0')}`);
/** Days whose searches are made. */
const compared = days.filter((_, day) => day % scaled({ fast: 8, full: 1 }) === 0);
const credentials = { username: 'test', password: 'test' };

/** Answers each request with the next of these bodies, or the last; keeps the requests. */
function recorded(bodies: readonly unknown[], { status = 200 } = {}) {
  const sent: CarrierHttpRequest[] = [];
  const http: CarrierContext['http'] = {
    async send(request) {
      sent.push(request);
      const body = bodies[Math.min(sent.length, bodies.length) - 1];
      const bytes = bytesOf(typeof body === 'string' ? body : JSON.stringify(body));
      return { status, headers: {}, body: bytes, receivedAt: 1 };
    },
  };
  const context = { signal: new AbortController().signal, deadline: Infinity, http };
  const told = async (carrier: Carrier, query: CarrierQuery): Promise<CarrierAnswer> =>
    carrier.normalise(structuredClone(await carrier.request(query, context)), query);
  return { sent, told, body: (index: number) => JSON.parse(String(sent[index]?.body)) };
}

/** The least price of a search of a day, which the calendar must have. */
async function leastOf(upstream: Upstream, carrier: Carrier, query: CarrierQuery) {
  const { journeys } = await ask(upstream, carrier, query);
  const totals = journeys.flatMap((journey) =>
    lowestTotals({ ...journey, passengers: query.passengers.length }),
  );
  return totals.sort((a, b) => a.amount - b.amount)[0];
}

test.each([
  ['renfe', 1],
  ['renfe', 3],
  ['ouigo', 1],
  ['osdm', 1],
  ['osdm', 2],
] as const)('%s: the calendar of %i has the prices of thirty searches', async (id, count) => {
  const upstream = await startUpstream();
  const carrier =
    id === 'renfe'
      ? createRenfe({
          baseUrl: `${upstream.sim.url}/renfe`,
          calendarUrl: `${upstream.sim.url}/renfe/`,
        })
      : (upstream.carriers[id] as Carrier);
  expect(carrier.capabilities?.asks).toContain('calendar');
  const passengers = Array.from({ length: count }, () => ({}));
  const query = { ...queryFor(id), passengers };
  const { journeys, calendar = [] } = await ask(upstream, carrier, { ...query, ...month });
  expect(journeys).toEqual([]);
  const priced = new Map(calendar.map((day) => [day.date, day.lowest]));
  for (const date of compared) {
    const least = await leastOf(upstream, carrier, { ...query, date });
    expect([date, priced.get(date)]).toEqual([date, least]);
  }
  expect(priced.size).toBeGreaterThan(20);
});

test('Renfe: one request to the service of the calendar, prices per person as numbers', async () => {
  const { sent, told, body } = recorded([
    {
      origin: { name: 'Madrid', extId: '60000' },
      journeysPriceCalendar: [
        { date: '2026-12-01', minPriceAvailable: true, minPrice: 25.5 },
        { date: '2026-12-02', minPriceAvailable: false, minPrice: 0 },
        { date: '2026-12-03', minPriceAvailable: true, minPrice: '32' },
      ],
    },
  ]);
  const renfe = createRenfe({ baseUrl: 'http://shop.test', calendarUrl: 'http://days.test' });
  const query = { ...queryOf('7160000', '7171801', '2026-12-01', 2), ...month };
  expect(await told(renfe, query)).toEqual({
    journeys: [],
    calendar: [
      {
        date: '2026-12-01',
        state: 'priced',
        lowest: { amount: 5100, currency: 'EUR' },
        fetchedAt: 1,
      },
      {
        date: '2026-12-03',
        state: 'priced',
        lowest: { amount: 6400, currency: 'EUR' },
        fetchedAt: 1,
      },
    ],
  });
  expect(sent.map(({ method, url }) => [method, url])).toEqual([
    ['POST', 'http://days.test/api/wsrviajeros/vhi_priceCalendar'],
  ]);
  expect(body(0)).toEqual({
    originId: '60000',
    destinyId: '71801',
    initDate: '2026-12-01',
    endDate: '2026-12-31',
    salesChannel: { codApp: 'VLP' },
  });
});

test('Renfe: a pair that the calendar lacks leaves every day open', async () => {
  const { told } = recorded(['not found'], { status: 404 });
  const renfe = createRenfe({ baseUrl: 'http://shop.test', calendarUrl: 'http://days.test' });
  expect(await told(renfe, { ...queryOf(), ...month })).toEqual({ journeys: [], calendar: [] });
});

test('Renfe: without the service, days are those that the shop shows beside its trains', () => {
  const list = '{viajeIda:true,hayError:false,cdgoError:null,listviajeViewEnlaceBean:[],';
  const strip =
    'resultPriceCalendar:{journeysPriceCalendar:[{date:"2026-12-01",minPrice:28,minPriceAvailable:true},{date:"2026-12-02",minPrice:0,minPriceAvailable:false}]}}';
  const script = (lists: string): string =>
    `throw 'no';(function(){var r=window.dwr._[0];r.handleCallback("1","0",{listadoTrenes:[${lists}]});})();`;
  const renfe = createRenfe({ baseUrl: 'http://shop.test' });
  const normalise = (text: string) =>
    renfe.normalise({ body: bytesOf(text), receivedAt: 1 }, { ...queryOf(), ...month });
  expect(normalise(script(list + strip)).calendar).toEqual([
    {
      date: '2026-12-01',
      state: 'priced',
      lowest: { amount: 2800, currency: 'EUR' },
      fetchedAt: 1,
    },
  ]);
  expect(normalise(script(`${list}resultPriceCalendar:null}`)).calendar).toEqual([]);
});

test('Ouigo: 30 days at a time, for one traveller; for several nothing is asked', async () => {
  const first = [
    { date: '2026-12-01', price: 9, is_best_price: true },
    { date: '2026-12-02', price: null, is_best_price: false },
  ];
  const { sent, told, body } = recorded([
    { token: 'abc' },
    first,
    [{ date: '2026-12-31', price: '19.5' }],
  ]);
  const ouigo = createOuigo({ baseUrl: 'http://ouigo.test/api', credentials, now });
  const { calendar } = await told(ouigo, { ...queryOf(), ...month });
  expect(calendar?.map(({ date, lowest }) => [date, lowest?.amount])).toEqual([
    ['2026-12-01', 900],
    ['2026-12-31', 1950],
  ]);
  expect(sent.slice(1).map(({ url }) => url)).toEqual([
    'http://ouigo.test/api/Calendar/prices',
    'http://ouigo.test/api/Calendar/prices',
  ]);
  expect([1, 2].map((at) => [body(at).begin, body(at).end, body(at).passengers.length])).toEqual([
    ['2026-12-01', '2026-12-30', 1],
    ['2026-12-31', '2026-12-31', 1],
  ]);
  const several = { ...queryOf('7160000', '7171801', '2026-12-01', 2), ...month };
  expect(await told(ouigo, several)).toEqual({ journeys: [], calendar: [] });
  expect(sent).toHaveLength(3);
});

test('OSDM: of several prices of a day the least, in one currency; times are on the clocks of the origin', async () => {
  const price = (amount: number, currency = 'CHF') => ({ amount, currency, scale: 2 });
  const at = (date: string) => `${date}T00:00:00+01:00`;
  const { sent, told, body } = recorded([
    {
      offerOverviews: [
        { price: price(5900), travelClass: 'FIRST', startDateTime: at('2026-12-01') },
        { price: price(2900), travelClass: 'SECOND', startDateTime: at('2026-12-01') },
        { price: price(2900), startDateTime: at('2026-12-02') },
        { price: price(2900, 'EUR'), startDateTime: at('2026-12-02') },
        { price: null, startDateTime: at('2026-12-03') },
      ],
    },
  ]);
  const query = { ...queryFor('osdm'), passengers: [{ age: 12 }, {}], ...month };
  const { calendar } = await told(rail('http://osdm.test'), query);
  expect(calendar).toEqual([
    {
      date: '2026-12-01',
      state: 'priced',
      lowest: { amount: 2900, currency: 'CHF' },
      fetchedAt: expect.any(Number),
    },
    { date: '2026-12-02', state: 'unknown', fetchedAt: expect.any(Number) },
  ]);
  expect(sent[0]?.url).toBe('http://osdm.test/offer-overview-route');
  expect(body(0)).toMatchObject({
    routeSpecification: {
      origin: { objectType: 'StopPlaceRef', stopPlaceRef: 'urn:uic:stn:8503000' },
    },
    startDateTime: '2026-12-01T00:00:00+01:00',
    endDateTime: '2026-12-31T23:59:00+01:00',
    timeFrameSegmentation: 'DAY',
    passengerSpecifications: [
      { externalRef: 'p1', age: 12, type: 'PERSON' },
      { externalRef: 'p2', age: 35, type: 'PERSON' },
    ],
  });
});

test.each([404, 405, 501])(
  'OSDM: a provider without the overview (%i) leaves every day open',
  async (status) => {
    const { told } = recorded([{ code: 'NOT_IMPLEMENTED', status, title: 'No' }], { status });
    const query = { ...queryFor('osdm'), ...month };
    expect(await told(rail('http://osdm.test'), query)).toEqual({ journeys: [], calendar: [] });
  },
);

test('OSDM: the option `overview` decides whether it is asked', () => {
  expect(rail('http://osdm.test').capabilities?.asks).toEqual(['calendar', 'returns']);
  expect(rail('http://osdm.test', { overview: false }).capabilities?.asks).toEqual(['returns']);
});

test.each([
  ['renfe', { journeysPriceCalendar: [{ date: 'soon', minPrice: 1, minPriceAvailable: true }] }],
  [
    'renfe',
    { journeysPriceCalendar: [{ date: '2026-12-01', minPrice: 'cheap', minPriceAvailable: true }] },
  ],
  ['renfe', []],
  ['ouigo', [{ date: '2026-12-01', price: -1 }]],
  ['ouigo', [{ date: '2026-12-01', price: 'cheap' }]],
  ['ouigo', { days: [] }],
  [
    'osdm',
    {
      offerOverviews: [
        { price: { amount: 1.5, currency: 'EUR' }, startDateTime: '2026-12-01T00:00:00Z' },
      ],
    },
  ],
  ['osdm', { offerOverviews: [{ price: { amount: 1, currency: 'EUR' }, startDateTime: 'soon' }] }],
  [
    'osdm',
    {
      offerOverviews: [
        { price: { amount: 1, currency: 'E' }, startDateTime: '2026-12-01T00:00:00Z' },
      ],
    },
  ],
] as const)('%s: a calendar that cannot be read is PROTOCOL: %j', async (id, answer) => {
  const { told } = recorded(id === 'ouigo' ? [{ token: 'abc' }, answer] : [answer]);
  const carrier = {
    renfe: createRenfe({ baseUrl: 'http://shop.test', calendarUrl: 'http://days.test' }),
    ouigo: createOuigo({ baseUrl: 'http://ouigo.test/api', credentials, now }),
    osdm: rail('http://osdm.test'),
  }[id] as Carrier;
  const error = await failureOf(() => told(carrier, { ...queryFor(id), ...month }));
  expect(error.code).toBe('PROTOCOL');
});

test.each([
  ['renfe', 'NOT_SERVED'],
  ['ouigo', 'NOT_SERVED'],
  ['osdm', 'NOT_SERVED'],
] as const)('%s: stations that the carrier does not know are %s', async (id, code) => {
  const { told } = recorded([{}]);
  const carrier = {
    renfe: createRenfe({ baseUrl: 'http://shop.test', calendarUrl: 'http://days.test' }),
    ouigo: createOuigo({ baseUrl: 'http://ouigo.test/api', credentials, now }),
    osdm: rail('http://osdm.test'),
  }[id] as Carrier;
  const query = queryOf();
  const origin = { ...query.origin, codes: {} };
  const error = await failureOf(() => told(carrier, { ...query, origin, ...month }));
  expect(error.code).toBe(code);
});

test('the option `calendarUrl` is an address', () => {
  expect(() => createRenfe({ baseUrl: 'http://shop.test', calendarUrl: 'days' })).toThrow(
    'calendarUrl',
  );
});
