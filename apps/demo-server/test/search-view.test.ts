import type { Journey, SearchEvent } from '@ticketing/core';
import { expect, test } from 'vitest';
import { readSearchView, viewDocument, viewEvents } from '../src/search/search-view.ts';

const journey = (id: string) =>
  ({
    id,
    sources: [id],
    legs: [],
    offers: [],
    transfers: 0,
    departure: { iso: '2026-12-01T08:00' },
  }) as unknown as Journey;

async function* upserts() {
  const upsert = { type: 'journeys-upsert', removed: [] as string[] } as const;
  yield { ...upsert, journeys: [journey('renfe'), journey('avlo')] } as unknown as SearchEvent;
  yield { ...upsert, journeys: [], removed: ['avlo'] } as unknown as SearchEvent;
  yield { type: 'search-done', found: 1 } as unknown as SearchEvent;
}

test('the facets of a stream leave out a journey that has been removed', async () => {
  const seen: unknown[] = [];
  for await (const event of viewEvents(upserts(), { facets: true }, { sealAll: () => ({}) })) {
    seen.push(event);
  }
  expect(seen).toHaveLength(3);
  expect(seen[2]).toMatchObject({ facets: { carrier: [{ value: 'renfe', count: 1 }] } });
});

const rates = { asOf: '2026-11-20', source: 'A bank', base: 'EUR', perBase: { CHF: '0.94' } };
const priced = (id: string, amount: number, currency: string) => ({
  ...journey(id),
  offers: [{ id, seller: id, total: { amount, currency } }],
});

test.each([
  // 50 CHF are 53.19 EUR.
  ['50 CHF', undefined, {}, ['a', 'c']],
  ['50', 'chf', {}, ['a', 'c']],
  ['53.20', undefined, {}, ['a', 'c']],
  ['50', undefined, {}, ['c']],
  // What the search did not convert is not compared here either.
  ['50 CHF', undefined, { unused: 'too-old' }, ['c']],
  ['50 CHF', undefined, undefined, ['c']],
] as const)(
  'maxPrice %j with currency %j and rates %j keeps %j',
  (maxPrice, currency, applied, kept) => {
    const { asOf, source } = rates;
    const journeys = [priced('a', 5319, 'EUR'), priced('b', 5321, 'EUR'), priced('c', 4700, 'CHF')];
    const used = applied && { rates: { asOf, source, currency: 'EUR', ...applied } };
    const body = Buffer.from(JSON.stringify({ journeys, ...used }));
    const view = readSearchView({ maxPrice, ...(currency && { currency }) }, rates);
    const document = { body, carriers: [], complete: true, ms: 1 };
    const shown = JSON.parse(String(viewDocument(document, view, { sealAll: () => ({}) })));
    expect(shown.journeys.map(({ id }: Journey) => id)).toEqual(kept);
  },
);
