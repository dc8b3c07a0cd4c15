import {
  type Carrier,
  CarrierError,
  createSearch,
  type SearchPage,
  type SearchQuery,
} from '@ticketing/core';
import { expect, test } from 'vitest';
import { dayCarrier, pageCarrier, pageTests, trainAt } from './pages-tests.ts';
import { FAST } from './scale.ts';
import { barcelona, madrid, NOW, query } from './trains.ts';

const DAY = '2026-12-03';
const now = () => NOW;
const timed: SearchQuery = { ...query, date: DAY, time: '12:00' };

pageTests(FAST);

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
  expect(first.journeys).toEqual([trainAt('a', 3 * 1440 + 800)]);
  expect(second.journeys).toEqual([trainAt('a', 3 * 1440 + 810)]);
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
