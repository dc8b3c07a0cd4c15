import {
  type Carrier,
  type CarrierAnswer,
  CarrierError,
  createSearch,
  type Journey,
  type SearchPage,
  type SearchQuery,
  type SearchResult,
} from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from './scale.ts';
import { barcelona, madrid, NOW, query, train, withoutCo2 } from './trains.ts';

const DAY = '2026-12-03';
const now = () => NOW;

/** A train that leaves `minute` minutes after midnight of 30 November, the day of today. */
function trainAt(source: string, minute: number): Journey {
  const local = (minutes: number) =>
    new Date(Date.UTC(2026, 10, 30) + minutes * 60_000).toISOString().slice(0, 16);
  return train({ source, number: `${minute}`, at: local(minute), until: local(minute + 150) });
}

/** Answers whole days. */
function dayCarrier(id: string, minutes: readonly number[]): Carrier {
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
function pageCarrier(id: string, minutes: readonly number[], size: number): Carrier {
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

const timed: SearchQuery = { ...query, date: DAY, time: '12:00' };

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
        journeys.flatMap(({ sources, departure }) => sources.map((id) => `${id} ${departure.ms}`)),
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

test('from an earlier page of whole days later leads back', async () => {
  const carriers = [dayCarrier('a', [3 * 1440 + 600, 3 * 1440 + 900])];
  const search = createSearch({ carriers, now });
  const first = await search.search(timed);
  const before = await search.search({ ...timed, page: first.pages?.earlier });
  const back = await search.search({ ...timed, page: before.pages?.later });
  expect(before.journeys).toHaveLength(1);
  expect(back.journeys).toEqual(first.journeys);
  expect(back.pages).toEqual(first.pages);
});

test('whole days end today and at the last day; a stream has the same pages', async () => {
  const carriers = [dayCarrier('a', [])];
  const search = createSearch({ carriers, now });
  const today = await search.search({ ...query, date: '2026-11-30' });
  expect(today.pages).toMatchObject({ later: { byCarrier: { a: ['2026-12-01'] } } });
  expect(today.pages).not.toHaveProperty('earlier');
  expect((await search.search({ ...query, date: '2027-12-01' })).pages).not.toHaveProperty('later');
  const events = [];
  for await (const event of search.stream({ ...query, date: '2026-11-30' })) events.push(event);
  expect(events.at(-1)).toMatchObject({ type: 'search-done', pages: today.pages });
});

test('a carrier that has no more is not asked, and is empty', async () => {
  const requests: string[] = [];
  const used = pageCarrier('used', [3 * 1440 + 800], 5);
  const counted: Carrier = {
    ...used,
    request: async ({ date }) => {
      requests.push(date);
    },
  };
  const search = createSearch({ carriers: [counted, dayCarrier('day', [])], now });
  const first = await search.search(timed);
  expect(Object.keys(first.pages?.later?.byCarrier ?? {})).toEqual(['day']);
  const { carriers, complete } = await search.search({ ...timed, page: first.pages?.later });
  expect(requests).toEqual([DAY]);
  expect(carriers[0]).toEqual({ carrier: 'used', state: 'empty', ms: 0, found: 0 });
  expect(complete).toBe(true);
});

test('a carrier with pages that failed is asked the same again on the next page', async () => {
  const all = pageCarrier('a', [3 * 1440 + 800, 3 * 1440 + 810, 3 * 1440 + 820], 1);
  let fails = true;
  const flaky: Carrier = {
    ...all,
    async request() {
      if (fails) throw new CarrierError('NETWORK', 'gone');
    },
  };
  const search = createSearch({ carriers: [flaky], now });
  const failed = await search.search(timed);
  expect(failed.pages).toMatchObject({ later: { byCarrier: { a: [] } } });
  fails = false;
  const first = await search.search({ ...timed, page: failed.pages?.later });
  fails = true;
  const again = await search.search({ ...timed, page: first.pages?.later });
  expect([again.complete, again.pages]).toEqual([false, { later: first.pages?.later }]);
  fails = false;
  const second = await search.search({ ...timed, page: again.pages?.later });
  expect(first.journeys.map(withoutCo2)).toEqual([trainAt('a', 3 * 1440 + 800)]);
  expect(second.journeys.map(withoutCo2)).toEqual([trainAt('a', 3 * 1440 + 810)]);
});

test('each pair of stations of a group has its own token, and ends by itself', async () => {
  const other = { ...madrid, id: 'x:other' };
  const city = { ...madrid, id: 'city:es:madrid', members: [madrid, other] };
  const questions: string[] = [];
  const pages: Carrier = {
    id: 'renfe',
    name: 'R',
    capabilities: { window: 'page', native: ['time'] },
    request: async ({ origin, page }) => {
      questions.push(`${origin.id} ${page?.token}`);
      return origin.id === 'x:other' && !page ? { later: 'more' } : {};
    },
    normalise: (wire) => ({ journeys: [], pages: wire as object }),
  };
  const search = createSearch({ carriers: [pages], now });
  const asked = { ...timed, origin: city };
  const members = [madrid, { ...other, codes: { renfe: '2' } }];
  const first = await search.search({ ...asked, origin: { ...city, members } });
  expect(first.pages).toMatchObject({ later: { byCarrier: { renfe: [null, 'more'] } } });
  await search.search({ ...asked, origin: { ...city, members }, page: first.pages?.later });
  expect(questions).toEqual([`${madrid.id} undefined`, 'x:other undefined', 'x:other more']);
});

const search = createSearch({ carriers: [dayCarrier('day', []), pageCarrier('page', [], 1)], now });
const { pages } = await search.search(timed);
const page = pages?.later as SearchPage;

test.each<[what: string, page: unknown]>([
  ['text', 'later'],
  ['an empty object', {}],
  ['another version', { ...page, v: 2 }],
  ['another direction', { ...page, direction: 'up' }],
  ['no carriers', { ...page, byCarrier: null, query: undefined }],
  ['a carrier without a list', { ...page, byCarrier: { day: '2026-12-04' } }],
  ['a token that is a number', { ...page, byCarrier: { page: [5] } }],
  ['a token that is too long', { ...page, byCarrier: { page: ['x'.repeat(2049)] } }],
  ['too many tokens', { ...page, byCarrier: { page: ['1', '2', '3', '4', '5'] } }],
  ['a day that is none', { ...page, byCarrier: { day: ['2026-02-30'] } }],
  ['text for a day', { ...page, byCarrier: { day: ['tomorrow'] } }],
  ['a part of a day without its time', { ...page, byCarrier: { day: [DAY] } }],
  ['a part of another day', { ...page, byCarrier: { day: ['2026-12-04 late'] } }],
  ['an unknown part', { ...page, byCarrier: { day: [`${DAY} noon`] } }],
])('a page that is %s is ERR_BAD_QUERY', async (_what, forged) => {
  const asked = { ...timed, page: forged as SearchPage };
  const error = {
    code: 'ERR_BAD_QUERY',
    message: 'Cannot search: `page` must be a page of a result',
    data: { parameter: 'page' },
  };
  await expect(search.search(asked)).rejects.toMatchObject(error);
  expect(() => search.stream(asked)).toThrow(error.message);
});

test.each<[what: string, fields: Partial<SearchQuery>]>([
  ['origin', { origin: { ...madrid, id: 'x:1' } }],
  ['destination', { destination: { ...barcelona, id: 'x:1' } }],
  ['date', { date: '2026-12-04' }],
  ['time', { time: '12:01' }],
  ['direction of its time', { arriveBy: true }],
  ['via', { via: { ...madrid, id: 'x:1' } }],
  ['number of changes', { maxTransfers: 1 }],
  ['class', { travelClass: 'first' }],
  ['number of passengers', { passengers: 2 }],
  ['passengers', { passengers: [{ age: 8 }] }],
])('a page of a query with another %s is ERR_BAD_QUERY', async (_what, fields) => {
  const parts = { ...page, byCarrier: { page: ['1'] } };
  await expect(search.search({ ...timed, ...fields, page: parts })).rejects.toMatchObject({
    code: 'ERR_BAD_QUERY',
    message: 'Cannot search: `page` must be a page of the same query',
    data: { parameter: 'page', expected: 'a page of the same query' },
  });
});

test('a page of a query whose city has other stations is ERR_BAD_QUERY', async () => {
  const city = { ...madrid, id: 'city:es:madrid', members: [madrid, { ...madrid, id: 'x:1' }] };
  const other = { ...city, members: [{ ...madrid, id: 'x:1' }, madrid] };
  const first = await search.search({ ...timed, origin: city });
  const asked = { ...timed, page: first.pages?.later };
  await expect(search.search({ ...asked, origin: city })).resolves.toMatchObject({});
  await expect(search.search({ ...asked, origin: other })).rejects.toMatchObject({
    message: 'Cannot search: `page` must be a page of the same query',
  });
});

test('a day that has passed since is empty, an unknown carrier is not asked', async () => {
  const byCarrier = { day: ['2026-11-29'], gone: ['x'] };
  const { carriers } = await search.search({ ...timed, page: { ...page, byCarrier } });
  expect(carriers).toMatchObject([
    { carrier: 'day', state: 'empty', error: { code: 'DATE_OUT_OF_RANGE' } },
    { carrier: 'page', state: 'empty', found: 0 },
  ]);
});
