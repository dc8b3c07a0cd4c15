import {
  type Carrier,
  type CarrierAnswer,
  createSearch,
  type Journey,
  type SearchPage,
  type SearchQuery,
  type SearchResult,
} from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Scale } from './scale.ts';
import { NOW, query, train } from './trains.ts';

const DAY = '2026-12-03';
const now = () => NOW;

/** A train that leaves `minute` minutes after midnight of 30 November, the day of today. */
export function trainAt(source: string, minute: number): Journey {
  const local = (minutes: number) =>
    new Date(Date.UTC(2026, 10, 30) + minutes * 60_000).toISOString().slice(0, 16);
  return train({ source, number: `${minute}`, at: local(minute), until: local(minute + 150) });
}

/** Answers whole days. */
export function dayCarrier(id: string, minutes: readonly number[]): Carrier {
  const all = minutes.map((minute) => trainAt(id, minute));
  return {
    id,
    name: id,
    request: async () => undefined,
    normalise: (_wire, { date }) => ({
      journeys: all.filter(({ departure }) => departure.iso.startsWith(date)),
    }),
  };
}

/** Answers `size` journeys around a time, and tokens: places in its list of trains. */
export function pageCarrier(id: string, minutes: readonly number[], size: number): Carrier {
  const all = [...minutes].sort((a, b) => a - b).map((minute) => trainAt(id, minute));
  return {
    id,
    name: id,
    capabilities: { window: 'page', native: ['time', 'arriveBy'] },
    request: async () => undefined,
    normalise(_wire, { date, time, arriveBy, page }): CarrierAnswer {
      const at = `${date}T${time ?? '00:00'}`;
      const isBefore = ({ departure, arrival }: Journey) =>
        arriveBy ? arrival.iso.slice(0, 16) <= at : departure.iso.slice(0, 16) < at;
      const middle = page ? Number(page.token) : all.filter(isBefore).length;
      const backwards = page ? page.direction === 'earlier' : arriveBy;
      const from = backwards ? Math.max(0, middle - size) : middle;
      const until = backwards ? middle : Math.min(all.length, middle + size);
      return {
        journeys: all.slice(from, until),
        pages: {
          ...(from > 0 && { earlier: `${from}` }),
          ...(until < all.length && { later: `${until}` }),
        },
      };
    },
  };
}

/** Follows the pages of a result in one direction. */
async function follow(
  carriers: readonly Carrier[],
  asked: SearchQuery,
  first: SearchResult,
  direction: 'earlier' | 'later',
): Promise<SearchResult[]> {
  const search = createSearch({ carriers, now });
  const results: SearchResult[] = [];
  for (let { pages } = first; pages?.[direction] && results.length < 12; ) {
    const page: SearchPage = JSON.parse(JSON.stringify(pages[direction]));
    const result = await search.search({ ...asked, page });
    results.push(result);
    pages = result.pages;
  }
  return results;
}

export function pageTests({ runs }: Scale): void {
  test('pages in both directions give every train once, whatever the mix of carriers', async () => {
    const minutes = fc.uniqueArray(fc.integer({ min: 0, max: 6 * 1440 }), { maxLength: 10 });
    const carriers = fc.array(
      fc.record({ size: fc.option(fc.integer({ min: 1, max: 4 })), minutes }),
      { minLength: 1, maxLength: 4 },
    );
    const fields = fc.constantFrom<Partial<SearchQuery>>(
      {},
      { time: '12:00' },
      { time: '00:00' },
      { time: '23:59', arriveBy: true },
      { time: '12:00', arriveBy: true },
    );
    await fc.assert(
      fc.asyncProperty(carriers, fields, async (kinds, given) => {
        const list = kinds.map(({ size, minutes: own }, index) =>
          size === null ? dayCarrier(`c${index}`, own) : pageCarrier(`c${index}`, own, size),
        );
        const asked = { ...query, date: DAY, ...given };
        const first = await createSearch({ carriers: list, now }).search(asked);
        const results = [
          first,
          ...(await follow(list, asked, first, 'earlier')),
          ...(await follow(list, asked, first, 'later')),
        ];
        const seen = results.flatMap(({ journeys }) =>
          journeys.flatMap(({ sources, departure }) =>
            sources.map((id) => `${id} ${departure.ms}`),
          ),
        );
        const every = kinds.flatMap(({ minutes: own }, index) =>
          own.map((minute) => `c${index} ${trainAt('x', minute).departure.ms}`),
        );
        expect(seen.sort()).toEqual(every.sort());
        expect(results.every(({ complete }) => complete)).toBe(true);
      }),
      { numRuns: runs(1500) },
    );
  });
}
