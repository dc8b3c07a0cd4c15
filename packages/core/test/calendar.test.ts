import {
  type CalendarEvent,
  type Carrier,
  type CarrierDay,
  CarrierError,
  createSearch,
  type SearchOptions,
} from '@ticketing/core';
import { expect, test } from 'vitest';
import { barcelona, madrid, NOW, offer, train } from './trains.ts';

const query = { origin: madrid, destination: barcelona, month: '2026-12' };

function searchOf(carriers: readonly Carrier[], options: Partial<SearchOptions> = {}) {
  return createSearch({ carriers, now: () => NOW, ...options });
}

/** A carrier with trains on every day, which counts its runs. */
function dailyCarrier(id: string, answer: (date: string) => unknown = () => undefined) {
  const asked: string[] = [];
  let running = 0;
  const seen = { most: 0 };
  const carrier: Carrier = {
    id,
    name: id,
    async request({ date }) {
      asked.push(date);
      running += 1;
      seen.most = Math.max(seen.most, running);
      try {
        return await answer(date);
      } finally {
        running -= 1;
      }
    },
    normalise: (_wire, { date }) => ({
      journeys: [
        train({
          source: id,
          number: '1',
          at: `${date}T08:00`,
          until: `${date}T10:00`,
          offers: [offer(id, 100 + Number(date.slice(8)))],
        }),
      ],
    }),
  };
  return { carrier, asked, seen };
}

/** A carrier with a calendar of its own, which answers nothing else. */
function calendarCarrier(
  id: string,
  tell: (query: Parameters<Carrier['request']>[0]) => readonly CarrierDay[],
): Carrier {
  return {
    id,
    name: id,
    capabilities: { asks: ['calendar'] },
    request: async () => undefined,
    normalise(_wire, asked) {
      if (asked.calendarUntil === undefined) throw new CarrierError('UPSTREAM', 'no search');
      return { journeys: [], calendar: tell(asked) };
    },
  };
}

const priced = (date: string, amount: number): CarrierDay => ({
  date,
  state: 'priced',
  lowest: { amount, currency: 'EUR' },
  fetchedAt: NOW,
});

test('calendar() searches the days of a carrier in `byDay` two at a time, and those of no other', async () => {
  const [a, b] = [dailyCarrier('a', () => Promise.resolve()), dailyCarrier('b')];
  await using search = searchOf([a.carrier, b.carrier]);
  const { days, carriers, complete } = await search.calendar(query, { byDay: ['a'] });
  expect([a.asked.length, a.seen.most, b.asked.length]).toEqual([31, 2, 0]);
  expect(days[4]).toEqual({
    date: '2026-12-05',
    state: 'priced',
    lowest: { amount: 105, currency: 'EUR' },
    carrier: 'a',
    basis: 'offer',
    fetchedAt: NOW,
    totals: [{ amount: 105, currency: 'EUR' }],
    unknown: ['b'],
  });
  expect(carriers.map(({ carrier, state, found }) => [carrier, state, found])).toEqual([
    ['a', 'ok', 31],
    ['b', 'ok', 0],
  ]);
  expect(complete).toBe(false);
});

test('calendar() asks a carrier once for its own calendar, from the first day of the month that is left', async () => {
  const asked: unknown[] = [];
  const own = calendarCarrier('own', ({ date, calendarUntil, passengers }) => {
    asked.push([date, calendarUntil, passengers.length]);
    return [priced('2026-11-30', 900), priced('2026-12-24', 1)];
  });
  await using search = searchOf([own]);
  const { days, complete } = await search.calendar({ ...query, month: '2026-11', passengers: 2 });
  expect(asked).toEqual([['2026-11-30', '2026-11-30', 2]]);
  expect(days).toMatchObject([{ date: '2026-11-30', state: 'priced', basis: 'calendar' }]);
  expect(complete).toBe(true);
});

test('a day that the carrier’s own calendar leaves open is known by a kept answer, else by a search', async () => {
  const told = calendarCarrier('a', () => [
    priced('2026-12-01', 7),
    { date: '2026-12-02', state: 'unknown', fetchedAt: NOW },
  ]);
  const { carrier: daily, asked } = dailyCarrier('a');
  const both: Carrier = {
    ...daily,
    capabilities: { asks: ['calendar'] },
    normalise: (wire, own) =>
      own.calendarUntil === undefined ? daily.normalise(wire, own) : told.normalise(wire, own),
    request: async (own, context) =>
      own.calendarUntil === undefined ? daily.request(own, context) : undefined,
  };
  await using search = searchOf([both], {
    known: (_carrier, { date }) => (date === '2026-12-02' ? { journeys: [] } : undefined),
  });
  const { days, complete } = await search.calendar(query, { byDay: ['a'] });
  expect(days.slice(0, 3).map(({ state, basis }) => [state, basis])).toEqual([
    ['priced', 'calendar'],
    ['no-trains', undefined],
    ['priced', 'offer'],
  ]);
  expect(asked).toEqual(days.slice(2).map(({ date }) => date));
  expect(complete).toBe(true);
});

test('at the deadline the days that are known stay, and later ones are in no event', async () => {
  const late = dailyCarrier('a', (date) =>
    date === '2026-12-01' ? undefined : new Promise(() => {}),
  );
  await using search = searchOf([late.carrier], { deadlineMs: 20 });
  const events: CalendarEvent[] = [];
  for await (const event of search.calendarStream(query, { byDay: ['a'] })) events.push(event);
  expect(events.map(({ type }) => type)).toEqual([
    'calendar-started',
    'calendar-days',
    'carrier-status',
    'calendar-done',
  ]);
  expect(events[1]).toMatchObject({ days: [{ date: '2026-12-01', state: 'priced' }] });
  expect(events[2]).toMatchObject({ status: { state: 'timeout', found: 1 } });
  expect(events[3]).toMatchObject({ complete: false, carriers: [{ state: 'timeout', found: 1 }] });
});

test('a failure ends the searches of its carrier; an answer that cannot be read does not', async () => {
  const throttled = dailyCarrier('a', (date) => {
    if (date === '2026-12-03') throw new CarrierError('RATE_LIMITED', 'slower');
  });
  const garbled = dailyCarrier('b', (date) => {
    if (date === '2026-12-03') throw new CarrierError('PROTOCOL', 'what?');
  });
  await using search = searchOf([throttled.carrier, garbled.carrier]);
  const { days, carriers } = await search.calendar(query, { byDay: ['a', 'b'] });
  expect(throttled.asked.length).toBeLessThan(6);
  expect(garbled.asked.length).toBe(31);
  expect(carriers.map(({ state, found, error }) => [state, found, error?.code])).toEqual([
    ['rate-limited', throttled.asked.length - 1, 'RATE_LIMITED'],
    ['error', 30, 'PROTOCOL'],
  ]);
  expect(days[2]).toEqual({ date: '2026-12-03', state: 'unknown', unknown: ['a', 'b'] });
});

test('a pair that a carrier does not serve has no trains of it, and costs one question', async () => {
  const none = dailyCarrier('a', () => {
    throw new CarrierError('NOT_SERVED', 'elsewhere');
  });
  await using search = searchOf([none.carrier]);
  const { days, carriers, complete } = await search.calendar(query, { byDay: ['a'] });
  expect(none.asked.length).toBeLessThanOrEqual(2);
  expect(new Set(days.map(({ state }) => state))).toEqual(new Set(['no-trains']));
  expect(carriers).toMatchObject([{ state: 'empty', found: 31, error: { code: 'NOT_SERVED' } }]);
  expect(complete).toBe(true);
});

test('a group has the least price of its pairs of stations', async () => {
  const chamartin = { ...madrid, id: 'uic:7117000', codes: { own: '2' } };
  const city = {
    ...madrid,
    id: 'city:es:madrid',
    members: [{ ...madrid, codes: { own: '1' } }, chamartin],
  };
  const own = calendarCarrier('own', ({ origin }) => {
    const isFirst = origin.codes['own'] === '1';
    return [
      priced('2026-12-01', isFirst ? 20 : 10),
      ...(isFirst ? [priced('2026-12-02', 30)] : []),
      { date: '2026-12-03', state: isFirst ? 'sold-out' : 'no-trains', fetchedAt: NOW },
      { date: '2026-12-04', state: isFirst ? 'no-trains' : 'unknown', fetchedAt: NOW },
    ];
  });
  await using search = searchOf([own]);
  const asked = { ...query, origin: city, destination: { ...barcelona, codes: { own: '3' } } };
  const { days } = await search.calendar(asked);
  expect(days.slice(0, 5).map(({ state, lowest }) => [state, lowest?.amount])).toEqual([
    ['priced', 10],
    ['priced', 30],
    ['sold-out', undefined],
    ['unknown', undefined],
    ['unknown', undefined],
  ]);
});

test('amounts of two currencies are not compared', async () => {
  const a = calendarCarrier('a', () => [priced('2026-12-01', 10)]);
  const b = calendarCarrier('b', ({ date }) => [
    { ...priced(date, 9), lowest: { amount: 9, currency: 'CHF' } },
  ]);
  await using search = searchOf([a, b]);
  const { days } = await search.calendar(query);
  expect(days[0]).toEqual({
    date: '2026-12-01',
    state: 'priced',
    totals: [
      { amount: 9, currency: 'CHF' },
      { amount: 10, currency: 'EUR' },
    ],
  });
});

test.each([
  [{ date: '2026-12-01', state: 'priced', fetchedAt: NOW }, '`calendar[0].lowest`'],
  [{ ...priced('2026-12-01', 1), state: 'sold-out' }, '`calendar[0].lowest`'],
  [{ ...priced('2026-12-1', 1) }, '`calendar[0].date`'],
  [{ ...priced('2026-12-01', 1), state: 'full' }, '`calendar[0].state`'],
])('a wrong day in a carrier’s calendar fails the carrier: %j', async (day, path) => {
  await using search = searchOf([calendarCarrier('a', () => [day as CarrierDay])]);
  const { carriers, days } = await search.calendar(query);
  expect(carriers[0]?.error?.message).toContain(path);
  expect(days[0]?.state).toBe('unknown');
});

test.each([
  ['2026-10', '2026-10'],
  ['2028-01', '2028-01'],
  ['2026-13', '2026-13'],
  ['December', 'December'],
  [undefined, 'undefined'],
])('month %s is refused', async (month, shown) => {
  await using search = searchOf([dailyCarrier('a').carrier]);
  await expect(search.calendar({ ...query, month: month as string })).rejects.toMatchObject({
    code: 'ERR_BAD_QUERY',
    data: { parameter: 'month' },
    message: expect.stringContaining(shown),
  });
});

test('wrong ends, options and a closed search are refused', async () => {
  const search = searchOf([dailyCarrier('a').carrier]);
  await expect(search.calendar({ ...query, destination: madrid })).rejects.toMatchObject({
    data: { parameter: 'destination' },
  });
  const wrong = { byDays: ['a'] } as object;
  await expect(search.calendar(query, wrong)).rejects.toThrow(
    'Cannot make calendar: unknown option `byDays`; did you mean `byDay`?',
  );
  await expect(search.calendar(query, { byDay: ['b'] })).rejects.toThrow('`byDay[0]`');
  const left = AbortSignal.abort(new Error('left'));
  await expect(search.calendar(query, { signal: left })).rejects.toThrow('left');
  await search.close();
  expect(() => search.calendarStream(query)).toThrow('Cannot make calendar: the search is closed');
});

test('leaving the events aborts the carriers', async () => {
  let ask = (_signal: AbortSignal): void => {};
  const asked = new Promise<AbortSignal>((resolve) => {
    ask = resolve;
  });
  const held: Carrier = {
    id: 'a',
    name: 'a',
    request: (_query, { signal }) => {
      ask(signal);
      return new Promise(() => {});
    },
    normalise: () => ({ journeys: [] }),
  };
  await using search = searchOf([held]);
  let signal: AbortSignal | undefined;
  for await (const event of search.calendarStream(query, { byDay: ['a'] })) {
    expect(event.type).toBe('calendar-started');
    signal = await asked;
    break;
  }
  expect(signal?.aborted).toBe(true);
});

test('with rates, days are compared in one currency, and what is sold stays beside it', async () => {
  const a = calendarCarrier('a', () => [priced('2026-12-01', 1000)]);
  const b = calendarCarrier('b', ({ date }) => [
    { ...priced(date, 940), lowest: { amount: 940, currency: 'CHF' } },
  ]);
  const rates = { asOf: '2026-11-29', source: 'a bank', base: 'EUR', perBase: { CHF: '0.95' } };
  await using search = searchOf([a, b], { rates });
  const { days, rates: applied } = await search.calendar({ ...query, currency: 'CHF' });
  expect(days[0]).toEqual({
    date: '2026-12-01',
    state: 'priced',
    lowest: { amount: 940, currency: 'CHF' },
    converted: { amount: 940, currency: 'CHF' },
    carrier: 'b',
    basis: 'calendar',
    fetchedAt: NOW,
    totals: [{ amount: 940, currency: 'CHF' }],
  });
  const inEuros = await search.calendar(query);
  expect(inEuros.days[0]).toMatchObject({
    lowest: { amount: 940, currency: 'CHF' },
    converted: { amount: 989, currency: 'EUR' },
  });
  expect(applied).toMatchObject({ source: 'a bank', currency: 'CHF' });
});
