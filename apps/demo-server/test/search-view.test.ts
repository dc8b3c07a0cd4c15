import type { Journey, SearchEvent } from '@ticketing/core';
import { expect, test } from 'vitest';
import { viewEvents } from '../src/search/search-view.ts';

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
