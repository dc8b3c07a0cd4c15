import type { Journey } from '@ticketing/core';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Carriers, createCarriers } from '../src/carriers/carriers.ts';
import { buildServer } from '../src/compose/build-server.ts';
import { compose, type Parts } from '../src/compose/compose.ts';
import { readFlags } from '../src/flags/read-flags.ts';
import { noTelemetry } from '../src/telemetry/telemetry.ts';
import { closedErrors } from './closed-errors.ts';
import { detailedJourney } from './detailed-journey.ts';

const NOW = Date.parse('2026-11-20T12:00Z');
const OPERATORS = { 11: 'Renfe Viajeros', 99: 'Nobody' };
// On a busy machine a request may wait: it is neither late nor refused.
const PATIENT = ['--deadline-ms', '60000', '--max-in-flight', 'off'];
const { flags } = readFlags(
  ['--carriers-url', 'http://127.0.0.1:9', '--worms', '0', '--carriers', 'renfe', ...PATIENT],
  {},
);

/** Asks a carrier that answers with everything that carriers may say. */
function detailedCarriers(): Carriers {
  const carriers = createCarriers(
    { carriersUrl: 'http://127.0.0.1:9', ouigo: flags.ouigo },
    () => NOW,
  );
  const renfe = {
    ...carriers.byName.renfe,
    capabilities: { passengers: 'ages' } as const,
    request: async () => undefined,
    normalise: () => ({
      journeys: [detailedJourney],
      places: [{ id: 'a:house', name: 'Calle Mayor 1' }],
      operators: OPERATORS,
    }),
  };
  return { ...carriers, byName: { ...carriers.byName, renfe } };
}

let app: FastifyInstance;
let parts: Parts;
beforeAll(async () => {
  const worms = { kind: 'none', url: '' } as const;
  const carriers = detailedCarriers();
  parts = await compose(flags, { carriers, worms, now: () => NOW, telemetry: noTelemetry });
  app = await buildServer({
    flags,
    operator: {
      view: async () => ({}) as never,
      next: async () => undefined,
      history: async () => ({ at: [], lines: {} }),
      control: async () => ({ refusal: { status: 409, detail: 'Nothing' } }) as const,
    },
    carriersUrl: '',
    startedAt: 0,
    tls: undefined,
    parts,
    draining: () => false,
    processes: async () => [],
  });
  await app.ready();
});
afterAll(async () => {
  await app?.close();
  await parts?.close();
});

const SEARCH =
  '/search?origin=Atocha&destination=Barcelona%20Sants&date=2026-12-01&passengers=3&ages=,40,8';
const get = (url: string, accept = 'application/json') =>
  app.inject({ url, headers: { host: 'localhost', accept } });

const searchErrors = async () => closedErrors((await get('/openapi.json')).json());

test('a document has everything that a carrier reports, and the OpenAPI document lists each field', async () => {
  const errorsOf = await searchErrors();
  const body = (await get(`${SEARCH}&stops=true`)).json();
  expect(body.query).toMatchObject({ stops: true, passengers: [{}, { age: 40 }, { age: 8 }] });
  const expected: Journey = { ...detailedJourney, passengers: 3 };
  expect(body.journeys).toEqual([expected]);
  expect(body.operators).toEqual({ 11: 'Renfe Viajeros' });
  expect(Object.keys(body.places)).toEqual(
    expect.arrayContaining(['a:house', 'uic:7104007', 'uic:7178400']),
  );
  expect(body.places['a:house'].name).toBe('Calle Mayor 1');
  expect(errorsOf('application/json', body)).toEqual([]);
  const wrong = structuredClone(body);
  wrong.journeys[0].legs[1].remarks[0].tone = 'loud';
  expect(errorsOf('application/json', wrong)).not.toEqual([]);
});

test.each([
  ['application/x-ndjson', (line: string) => line],
  ['text/event-stream', (line: string) => (line.startsWith('data: ') ? line.slice(6) : '')],
])('%s has the same fields', async (type, dataOf) => {
  const errorsOf = await searchErrors();
  const { body } = await get(`${SEARCH}&stops=1`, type);
  const events = body
    .split('\n')
    .map(dataOf)
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  for (const event of events) expect(errorsOf(type, event)).toEqual([]);
  const document = (await get(`${SEARCH}&stops=1`)).json();
  const { journeys, places, operators } = events.find((one) => one.type === 'journeys-upsert');
  expect({ journeys, places, operators }).toEqual({
    journeys: document.journeys,
    places: document.places,
    operators: document.operators,
  });
});

test.each(['', '&stops=false', '&stops=0'])(
  'stops come only where they are asked for: %s',
  async (more) => {
    const { query, journeys, places } = (await get(SEARCH + more)).json();
    expect(query).not.toHaveProperty('stops');
    expect(journeys).toHaveLength(1);
    expect(JSON.stringify(journeys)).not.toContain('"stops"');
    expect(places).not.toHaveProperty('uic:7104007');
  },
);

test('a wrong text of `stops` is 400, and searches with and without stops are two', async () => {
  const wrong = await get(`${SEARCH}&stops=yes`);
  expect([wrong.statusCode, wrong.json().parameter]).toEqual([400, 'stops']);
  const both = await Promise.all([get(SEARCH), get(`${SEARCH}&stops=1`)]);
  const stops = both.map(({ body }) => body.includes('"stops":['));
  expect(stops).toEqual([false, true]);
});

test('the price of all is the sum of an offer for each traveller', async () => {
  const ids = async (more: string) =>
    (await get(SEARCH + more)).json().journeys.map(({ id }: Journey) => id);
  expect(await ids('&maxPrice=75.00')).toEqual([detailedJourney.id]);
  expect(await ids('&maxPrice=74.99')).toEqual([]);
  // With the way after the last train it is 11:52 at the door.
  expect(await ids('&arriveBefore=11:51')).toEqual([]);
  expect(await ids('&arriveBefore=11:52')).toEqual([detailedJourney.id]);
  expect(await ids('&departAfter=07:54')).toEqual([]);
  expect(await ids('&departAfter=07:53')).toEqual([detailedJourney.id]);
});

test('the page without script shows the same, escaped, and stops where they are asked for', async () => {
  const page = async (more: string) =>
    (await get(`${SEARCH.replace('/search', '/')}&plain=1${more}`, 'text/html')).body;
  const [plain, stops] = [await page(''), await page('&stops=1')];
  for (const markup of [plain, stops]) {
    expect(markup).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(markup).not.toContain('<script>alert');
    expect(markup).toContain('Renfe Viajeros');
    expect(markup).toContain('Tue 1 Dec · 2 adults, 1 child');
    expect(markup).toContain('Walk to Madrid Puerta de Atocha-Almudena Grandes, 7 min');
    expect(markup).toContain('<b class="num">€75.00');
  }
  expect(plain).not.toContain('2 stops');
  expect(stops).toContain('<details class="stops"><summary>2 stops<');
  expect(stops).toContain('id="stops" name="stops" value="1" checked>');
});
