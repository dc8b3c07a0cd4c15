import { fileURLToPath } from 'node:url';
import type { Journey, SearchResult } from '@ticketing/core';
import { expect, test } from 'vitest';
import { SearchAnswer, SearchStreamEvent } from '../../src/http/api/search-schemas.ts';
import { serveDemo, sharedServer } from '../demo.ts';
import { schemaErrors } from '../schema-errors.ts';

const file = fileURLToPath(new URL('../rates/rates.json', import.meta.url));
const asked = ['--latency', '0', '--carriers', 'osdm,hafas'];
const server = sharedServer(...asked, '--rates', file);
const ROUTE = '/search?origin=Basel&destination=Milano&date=2026-12-01';
const ecb = { asOf: '2026-11-20', source: 'European Central Bank' };

const offersOf = ({ journeys }: SearchResult) => journeys.flatMap(({ offers }) => offers);
const leastOf = ({ offers }: Journey) => offers[0]?.converted?.amount ?? Number.POSITIVE_INFINITY;

test('prices are converted to `currency` beside those of the sellers, by the rates of the file', async () => {
  const { body } = await server().get(`${ROUTE}&currency=chf&order=price`);
  expect(body.query.currency).toBe('CHF');
  expect(body.rates).toEqual({ ...ecb, currency: 'CHF' });
  const offers = offersOf(body);
  expect(new Set(offers.map(({ total }) => total.currency))).toEqual(new Set(['CHF', 'EUR']));
  for (const { total, converted } of offers) {
    const right = total.currency === 'CHF' ? total.amount : (total.amount * 9412) / 10_000;
    expect(converted?.currency).toBe('CHF');
    // Exact arithmetic is tested in the library.
    expect(Math.abs((converted?.amount ?? 0) - right)).toBeLessThanOrEqual(0.5);
  }
  const least = body.journeys.map(leastOf);
  expect(least).toEqual([...least].sort((a, b) => a - b));
  expect([...schemaErrors(SearchAnswer, body)]).toEqual([]);
});

test('a stream has the rates in its first event, and the same prices', async () => {
  const path = `${ROUTE}&currency=GBP`;
  const { body } = await server().get(path, { headers: { accept: 'application/x-ndjson' } });
  const events = (body as string)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events[0].rates).toEqual({ ...ecb, currency: 'GBP' });
  for (const event of events) expect([...schemaErrors(SearchStreamEvent, event)]).toEqual([]);
  const streamed = new Map<string, Journey>();
  for (const event of events) {
    for (const journey of event.journeys ?? []) streamed.set(journey.id, journey);
  }
  const { body: whole } = await server().get(path);
  const pricesOf = (journeys: Iterable<Journey>) =>
    Object.fromEntries([...journeys].map((one) => [one.id, leastOf(one)]));
  expect(pricesOf(streamed.values())).toEqual(pricesOf(whole.journeys));
});

test('without `currency` prices are in the base of the rates, so that orders and facets compare them', async () => {
  const { body } = await server().get(`${ROUTE}&order=price&facets=1`);
  expect(body.rates).toEqual({ ...ecb, currency: 'EUR' });
  const currencies = body.facets.transfers.flatMap(
    ({ lowest }: { lowest: { currency: string }[] }) => lowest.map(({ currency }) => currency),
  );
  expect(new Set(currencies)).toEqual(new Set(['EUR']));
  const least = body.journeys.map(leastOf);
  expect(least).toEqual([...least].sort((a, b) => a - b));
});

test('maxPrice is in `currency`, or in one that it names, whatever the sellers ask', async () => {
  const all: Journey[] = (await server().get(`${ROUTE}&currency=CHF`)).body.journeys;
  const prices = all
    .map(leastOf)
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  const most = prices[Math.floor(prices.length / 2)] ?? 0;
  const right = all.filter((one) => leastOf(one) <= most).map(({ id }) => id);
  expect(right.length).toBeGreaterThan(0);
  expect(right.length).toBeLessThan(all.length);
  const kept = async (more: string) =>
    (await server().get(`${ROUTE}${more}`)).body.journeys.map(({ id }: Journey) => id);
  const amount = (most / 100).toFixed(2);
  expect(await kept(`&currency=CHF&maxPrice=${amount}`)).toEqual(right);
  expect(await kept(`&currency=GBP&maxPrice=${amount}%20CHF`)).toEqual(right);
});

test('a currency without a rate converts nothing, and the answer says so', async () => {
  const { body } = await server().get(`${ROUTE}&currency=SEK`);
  expect(body.rates).toEqual({ ...ecb, currency: 'SEK', unused: 'no-rate' });
  expect(offersOf(body).every(({ converted }) => converted === undefined)).toBe(true);
});

test.each(['francs', 'E1R', ''])('currency %j is refused', async (currency) => {
  const { status, body } = await server().get(`${ROUTE}&currency=${currency}`);
  expect(status).toBe(400);
  expect(body).toMatchObject({ parameter: 'currency', expected: 'an ISO 4217 code such as CHF' });
});

test('order=co2 has the least emissions first, from carriers and estimated', async () => {
  const { body } = await server().get(`${ROUTE}&order=co2`);
  const journeys: Journey[] = body.journeys;
  const grams = journeys.map(({ co2 }) => co2?.grams ?? Number.POSITIVE_INFINITY);
  expect(grams).toEqual([...grams].sort((a, b) => a - b));
  expect(journeys.every(({ co2 }) => co2?.estimated === false)).toBe(true);
  // HAFAS has no figures.
  const { body: alone } = await server().get(
    '/search?origin=Wien&destination=Munich&date=2026-12-01&order=co2&carriers=hafas',
  );
  const estimates: Journey[] = alone.journeys;
  expect(estimates.length).toBeGreaterThan(0);
  expect(estimates.every(({ co2 }) => co2?.estimated)).toBe(true);
});

test('a server without rates converts nothing and compares no two currencies', async () => {
  const { get } = await serveDemo(...asked);
  const { body } = await get(`${ROUTE}&currency=CHF&order=price`);
  expect(body.rates).toBeUndefined();
  expect(offersOf(body).some(({ converted }) => converted)).toBe(false);
  const currencies = body.journeys.flatMap(
    ({ offers }: Journey) => offers[0]?.total.currency ?? [],
  );
  const changes = currencies.filter(
    (one: string, at: number) => at > 0 && currencies[at - 1] !== one,
  );
  expect(changes).toHaveLength(1);
});

test.each([
  ['none.json', /^Cannot start: --rates must be a file of exchange rates, got ENOENT/],
  [
    '../rates/bad.json',
    /`rates\.perBase\.CHF` must be decimal text above 0, such as 0\.9412, got 0\.94$/,
  ],
])('a server with the rates %s does not start', async (name, message) => {
  const path = fileURLToPath(new URL(`../rates/${name}`, import.meta.url));
  await expect(serveDemo(...asked, '--rates', path)).rejects.toThrow(message);
});
