import {
  type CarrierStatus,
  createJourney,
  createLocalClock,
  type Journey,
  type Offer,
} from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDayPrices } from '../src/pages/browser/traveller/day-prices.ts';
import { carrierList } from '../src/pages/results/carrier-line.ts';
import { dayStrip, daysAround } from '../src/pages/results/days/day-strip.ts';
import { emptyNote } from '../src/pages/results/empty-note.ts';
import { filterPanel } from '../src/pages/results/filter-panel.ts';
import { joinJourneys } from '../src/pages/results/join-journeys.ts';
import {
  carrierChoices,
  choicesOf,
  chosenCount,
  type Filter,
  NO_FILTER,
  passes,
} from '../src/pages/results/journey-filter.ts';
import {
  leadersOf,
  listItems,
  lowestPrice,
  sortForPage,
} from '../src/pages/results/listed-journeys.ts';
import { noticeOf } from '../src/pages/results/notice.ts';
import { orderOf, orderSelect, orderTabs } from '../src/pages/results/order-tabs.ts';
import { addressOnDay, addressWith, searchKey } from '../src/pages/results/search-address.ts';
import {
  type FeedEvent,
  idle,
  reduce,
  type SearchState,
} from '../src/pages/results/search-state.ts';

const clock = createLocalClock();
const DAY = '2026-12-01';

function offerOf(amount: number, more: Partial<Offer> = {}): Offer {
  return {
    id: `${amount}`,
    seller: 'renfe',
    total: { amount, currency: 'EUR' },
    travelClass: 'second',
    flexibility: 'none',
    fetchedAt: 0,
    ...more,
  };
}

/** A train of one hundred minutes, or more. */
function train(
  number: string,
  {
    at = `${DAY}T10:00`,
    minutes = 100,
    offers = [],
    source = 'renfe',
    cancelled,
  }: {
    readonly at?: string;
    readonly minutes?: number;
    readonly offers?: readonly Offer[];
    readonly source?: string;
    readonly cancelled?: true;
  } = {},
): Journey {
  const departure = clock.fromLocal(at, 'Europe/Madrid');
  const arrival = clock.fromEpoch(departure.ms + minutes * 60_000, 'Europe/Madrid');
  return createJourney({
    source,
    legs: [
      {
        kind: 'ride',
        number,
        origin: 'a',
        destination: 'b',
        departure,
        arrival,
        ...(cancelled && { cancelled }),
      },
    ],
    offers: [...offers],
  });
}

const numbersOf = (journeys: readonly (Journey | undefined)[]) =>
  journeys.map((journey) => journey?.legs[0]?.kind === 'ride' && journey.legs[0].number);

const cheap = train('1', { offers: [offerOf(1600)], minutes: 178 });
const fast = train('2', { offers: [offerOf(4385)], minutes: 150 });
const good = train('3', { offers: [offerOf(1700)], minutes: 155 });
const soldOut = train('4', { minutes: 90 });
const cancelled = train('5', { minutes: 80, offers: [offerOf(100)], cancelled: true });
const all = [cheap, fast, good, soldOut, cancelled];

test('Best weighs price and time together; a journey that cannot be booked leads nothing, and comes last', () => {
  const { best, cheapest, fastest } = leadersOf(all, DAY);
  expect(numbersOf([best, cheapest, fastest])).toEqual(['3', '1', '2']);
  expect(numbersOf(sortForPage(all, 'best')).slice(0, 3)).toEqual(['3', '1', '2']);
  for (const order of ['best', 'price', 'duration'] as const) {
    const last = numbersOf(sortForPage(all, order).slice(-2));
    expect(last.toSorted(), order).toEqual(['4', '5']);
  }
  expect(leadersOf([soldOut, cancelled], DAY)).toEqual({});
  expect(lowestPrice(all)).toEqual({ amount: 1600, currency: 'EUR' });
  expect(lowestPrice([soldOut])).toBeUndefined();
});

test('leading journeys are of the day that was asked for', () => {
  const tomorrow = train('6', { at: '2026-12-02T10:00', minutes: 60, offers: [offerOf(900)] });
  expect(numbersOf([leadersOf([...all, tomorrow], DAY).cheapest])).toEqual(['1']);
  expect(numbersOf([leadersOf([tomorrow], DAY).cheapest])).toEqual(['6']);
});

test('sortForPage() gives the same list for journeys in any order, and loses none', () => {
  const journey = fc
    .record({
      number: fc.integer({ min: 1, max: 99 }),
      minutes: fc.integer({ min: 30, max: 300 }),
      amounts: fc.array(fc.integer({ min: 100, max: 9000 }), { maxLength: 2 }),
      currency: fc.constantFrom('EUR', 'CHF'),
    })
    .map(({ number, minutes, amounts, currency }) =>
      train(`${number}`, {
        minutes,
        offers: amounts.map((amount) => offerOf(amount, { total: { amount, currency } })),
      }),
    );
  const journeys = fc.uniqueArray(journey, { selector: ({ id }) => id, maxLength: 12 });
  fc.assert(
    fc.property(
      journeys.chain((list) =>
        fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
      ),
      ([list, shuffled]) => {
        for (const order of ['best', 'price', 'duration', 'departure'] as const) {
          const ids = sortForPage(list, order).map(({ id }) => id);
          expect(sortForPage(shuffled, order).map(({ id }) => id)).toEqual(ids);
          expect(ids.toSorted()).toEqual(list.map(({ id }) => id).toSorted());
        }
      },
    ),
  );
});

test('listItems() puts other days below their headings, later ones first, and leaves what was read where it is', () => {
  const of = (day: string) => train(day, { at: `${day}T10:00`, offers: [offerOf(1000)] });
  const [before, after, next] = ['2026-11-30', '2026-12-02', '2026-12-03'].map(of) as [
    Journey,
    Journey,
    Journey,
  ];
  const ids = (journeys: readonly Journey[]) =>
    listItems(journeys, { order: 'best', day: DAY }).map((item) =>
      item.kind === 'day' ? item.day : item.id,
    );
  expect(ids([good])).toEqual([good.id]);
  expect(ids([before, next, good, after])).toEqual([
    ...[good.id, '2026-12-02', after.id, '2026-12-03', next.id, '2026-11-30', before.id],
  ]);
});

test('a tab has the price and the time of what leads, and keeps its place while that is not known', () => {
  const tabs = (isAsking: boolean, journeys: readonly Journey[]) =>
    String(
      orderTabs({
        leading: leadersOf(journeys, DAY),
        order: 'price',
        isAsking,
        addressOf: (order) => `/?order=${order}`,
      }),
    );
  expect(tabs(false, all)).toContain('€16.00<small>2 h 58</small>');
  expect(tabs(false, all)).toMatch(/href="\/\?order=price" data-order="price" aria-current="true"/);
  expect(tabs(false, all).match(/aria-current/g)).toHaveLength(1);
  expect(tabs(false, all)).toContain('title="Best weighs price, time and changes together"');
  expect(tabs(true, []).match(/class="skeleton"/g)).toHaveLength(3);
  expect(tabs(false, [])).not.toContain('skeleton');
  const select = String(orderSelect('arrival', [['origin', '"Madrid"']]));
  expect(select).toContain('<option value="arrival" selected>Arrival');
  expect(select).toContain('name="origin" value="&quot;Madrid&quot;"');
  expect([orderOf('price', 'best'), orderOf('cost', 'best'), orderOf(null, 'best')]).toEqual([
    ...['price', 'best', 'best'],
  ]);
});

const bounds = { first: '2026-11-26', last: '2027-11-27' };

test('daysAround() has seven days with the one that was asked for, none outside what can be asked', () => {
  expect(daysAround('2026-11-27', bounds)[0]).toBe('2026-11-26');
  expect(daysAround('2026-12-05', bounds)[0]).toBe('2026-12-03');
  expect(daysAround('2027-11-27', bounds).at(-1)).toBe('2027-11-27');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 366 }), (ahead) => {
      const day = new Date(Date.parse(bounds.first) + ahead * 86_400_000)
        .toISOString()
        .slice(0, 10);
      const days = daysAround(day, bounds);
      expect(days).toHaveLength(7);
      expect(days).toContain(day);
      expect([days[0] ?? '', bounds.last].toSorted()[0]).toBe(days[0]);
      expect((days[0] ?? '') >= bounds.first && (days[6] ?? '') <= bounds.last).toBe(true);
    }),
  );
});

test('a day has its lowest price if that is known, the lowest of all is marked, and the day asked for is current', () => {
  const strip = (isAsking: boolean, prices: readonly (readonly [string, number, string])[]) =>
    String(
      dayStrip({
        day: '2026-11-27',
        bounds,
        isAsking,
        prices: new Map(prices.map(([day, amount, currency]) => [day, { amount, currency }])),
        addressOf: (day) => `/?date=${day}`,
      }),
    );
  const known = strip(false, [
    ['2026-11-27', 1600, 'EUR'],
    ['2026-11-30', 1200, 'EUR'],
  ]);
  expect(known).toContain('aria-current="date">Fri 27 <b>€16.00</b>');
  expect(known).toContain('Mon 30 <b class="low">€12.00</b>');
  expect(known).toContain('Today, 26');
  expect(known).toContain('Tue 1 Dec');
  expect(known).toMatch(/href="\/\?date=2026-11-26" data-day="2026-11-26" aria-label="Day before"/);
  expect(strip(true, []).match(/skeleton/g)).toHaveLength(1);
  expect(strip(false, [])).not.toContain('skeleton');
  const mixed = strip(false, [
    ['2026-11-27', 1600, 'EUR'],
    ['2026-11-30', 1200, 'CHF'],
  ]);
  expect(mixed).not.toContain('class="low"');
  const today = String(
    dayStrip({ day: bounds.first, bounds, isAsking: false, prices: new Map(), addressOf: String }),
  );
  expect(today).not.toContain('Day before');
});

const filterOf = (some: Partial<Record<keyof Filter, readonly string[]>>): Filter => ({
  ...NO_FILTER,
  ...Object.fromEntries(Object.entries(some).map(([name, values]) => [name, new Set(values)])),
});

test('filters: within a group any, between groups all; a ticket must allow everything that is asked of it', () => {
  const early = train('1', {
    at: `${DAY}T07:59`,
    offers: [offerOf(1000, { flexibility: 'full' })],
  });
  const late = train('2', {
    at: `${DAY}T18:00`,
    source: 'avlo',
    offers: [offerOf(2000, { seller: 'avlo' })],
  });
  const some = (filter: Filter) => numbersOf([early, late].filter((one) => passes(one, filter)));
  expect(some(NO_FILTER)).toEqual(['1', '2']);
  expect(some(filterOf({ bands: ['0'] }))).toEqual(['1']);
  expect(some(filterOf({ bands: ['0', '18'] }))).toEqual(['1', '2']);
  expect(some(filterOf({ bands: ['8'] }))).toEqual([]);
  expect(some(filterOf({ carriers: ['avlo'] }))).toEqual(['2']);
  expect(some(filterOf({ carriers: ['avlo'], bands: ['0'] }))).toEqual([]);
  expect(some(filterOf({ changes: ['0'] }))).toEqual(['1', '2']);
  expect(some(filterOf({ changes: ['1', '2'] }))).toEqual([]);
  expect(some(filterOf({ conditions: ['change'] }))).toEqual(['1']);
  const conditions = (refund: 'no' | 'fee', exchange: 'no' | 'yes') => ({ refund, exchange });
  const split = train('3', {
    offers: [
      offerOf(1, { conditions: conditions('no', 'yes') }),
      offerOf(2, { conditions: conditions('fee', 'no') }),
    ],
  });
  expect(passes(split, filterOf({ conditions: ['change'] }))).toBe(true);
  expect(passes(split, filterOf({ conditions: ['refund'] }))).toBe(true);
  expect(passes(split, filterOf({ conditions: ['change', 'refund'] }))).toBe(false);
  expect(chosenCount(filterOf({ bands: ['0', '8'], carriers: ['avlo'] }))).toBe(3);
});

test('each choice has as many journeys as it would show, and carriers their lowest price or why there is none', () => {
  const journeys = [
    ...all,
    train('9', { source: 'avlo', offers: [offerOf(700, { seller: 'avlo' })] }),
  ];
  const choices = choicesOf(journeys);
  for (const [group, value] of [
    ['changes', '0'],
    ['bands', '8'],
    ['carriers', 'renfe'],
    ['carriers', 'avlo'],
    ['conditions', 'change'],
  ] as const) {
    const shown = journeys.filter((one) => passes(one, filterOf({ [group]: [value] }))).length;
    expect(choices.get(`${group}:${value}`)?.count ?? 0, `${group} ${value}`).toBe(shown);
  }
  expect(choices.get('carriers:avlo')?.lowest?.amount).toBe(700);
  const of = (carrier: string, state: 'ok' | 'running' | 'timeout' | 'empty') =>
    ({ carrier, state, ms: 1, found: 0 }) as const;
  const carriers = [
    of('renfe', 'ok'),
    of('avlo', 'ok'),
    of('ouigo', 'timeout'),
    of('osdm', 'empty'),
    of('ojp', 'running'),
  ];
  expect(carrierChoices(carriers, choices)).toEqual([
    { id: 'renfe', says: undefined },
    { id: 'avlo', says: undefined },
    { id: 'ouigo', says: 'no answer' },
    { id: 'ojp', says: 'asking' },
  ]);
  const names = { stations: new Map(), carriers: new Map([['avlo', 'Avlo']]), calls: new Map() };
  const shownPanel = (isAsking: boolean, filter = filterOf({ carriers: ['avlo'] })): string =>
    String(filterPanel({ choices, filter, carriers, names, isAsking }));
  const panel = shownPanel(false);
  expect(panel).not.toContain('2 or more');
  expect(shownPanel(true)).toContain('2 or more');
  expect(shownPanel(false, filterOf({ changes: ['2'] }))).toContain('2 or more');
  expect(panel).toMatch(/value="avlo" checked>.*Avlo<\/span><span class="check-n num">€7.00/);
  expect(panel).toContain('<span class="check-n num">no answer</span>');
});

test('an address keeps what it has; another day begins at its first page, and its prices have one key', () => {
  const search = new URLSearchParams(
    'origin=A&destination=B&time=&date=2026-12-01&page=x&order=price',
  );
  expect(addressWith(search, { order: 'best' })).toBe(
    '/?origin=A&destination=B&date=2026-12-01&page=x&order=best',
  );
  expect(addressOnDay(search, '2026-12-02')).toBe(
    '/?origin=A&destination=B&date=2026-12-02&order=price',
  );
  expect(searchKey(search)).toBe('destination=B&origin=A');
  expect(searchKey(new URLSearchParams('destination=B&origin=A&plain=1'))).toBe(searchKey(search));
  expect(searchKey(new URLSearchParams('destination=B&origin=A&class=first'))).not.toBe(
    searchKey(search),
  );
});

test('prices of days are remembered by search, and a storage that refuses is none', () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  } as Storage;
  const prices = createDayPrices(() => storage);
  const price = { amount: 1600, currency: 'EUR' };
  prices.remember('a', DAY, price);
  prices.remember('a', '2026-12-02', { ...price, amount: 1700 });
  expect([...prices.of('a')]).toEqual([
    [DAY, price],
    ['2026-12-02', { ...price, amount: 1700 }],
  ]);
  expect(prices.of('b').size).toBe(0);
  const none = createDayPrices(() => {
    throw new Error('forbidden');
  });
  none.remember('a', DAY, price);
  expect(none.of('a').size).toBe(0);
});

const names = {
  stations: new Map(),
  calls: new Map(),
  carriers: new Map([
    ['renfe', 'Renfe'],
    ['avlo', 'Avlo'],
  ]),
};
const ways = {
  bounds,
  prices: new Map([['2026-12-02', { amount: 1450, currency: 'EUR' }]]),
  examples: [{ origin: 'Zürich', destination: 'Milano' }],
  addressOf: (day?: string) => `/?date=${day}`,
  freshAddress: '/?fresh=1',
};
const started = {
  type: 'search-started',
  query: {
    date: DAY,
    passengers: [{}],
    origin: { name: 'Madrid' },
    destination: { name: 'London' },
  },
  carriers: [],
  deadline: 0,
} as unknown as FeedEvent;
type State = 'ok' | 'empty' | 'timeout' | 'error' | 'rejected-busy' | 'circuit-open';
const ended = (...states: readonly (State | 'not-served')[]): FeedEvent => ({
  type: 'search-done',
  complete: true,
  found: 0,
  ms: 1,
  carriers: states.map((state, at) => ({
    carrier: ['renfe', 'avlo'][at] ?? '',
    state: state === 'not-served' ? 'empty' : state,
    ms: 1,
    found: 0,
    ...(state === 'not-served' && { error: { code: 'NOT_SERVED', retryable: false, message: '' } }),
  })),
});
/** Answers that Renfe and Avlo gave a while ago. */
const kept = (...statuses: readonly Partial<CarrierStatus>[]): FeedEvent => ({
  type: 'search-done',
  complete: true,
  found: 1,
  ms: 1,
  carriers: statuses.map((status, at) => ({
    carrier: ['renfe', 'avlo'][at] ?? '',
    state: 'ok',
    ms: 1,
    found: 1,
    ...status,
  })),
});
const late = { code: 'TIMEOUT', retryable: true, message: 'No answer' } as const;
const upsert = (...journeys: readonly Journey[]): FeedEvent => ({
  ...{ type: 'journeys-upsert', seq: 1, removed: [], places: {}, operators: {} },
  journeys: [...journeys],
});
const after = (...events: readonly FeedEvent[]): SearchState =>
  [{ type: 'asked' } as const, started, ...events].reduce(reduce, idle);
const words = (markup: unknown) =>
  String(markup ?? '')
    .replace(/<details.*?<\/details>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

test.each<[string, SearchState, string, number?]>([
  [
    'not served',
    after(ended('not-served', 'not-served')),
    'No carrier here goes from Madrid to London Both answered. None of them serves both places, on any day. These searches find something: Zürich to Milano',
  ],
  [
    'none that day',
    after(ended('empty', 'not-served')),
    'No trains on Tue 1 Dec Mon 30 Nov Wed 2 Dec €14.50',
  ],
  [
    'filtered away',
    after(upsert(good, fast), ended('ok', 'ok')),
    'Your filters hide all 2 trains Clear filters',
    0,
  ],
  [
    'one filtered away',
    after(upsert(good), ended('ok')),
    'Your filters hide the only train Clear filters',
    0,
  ],
  ['nothing in time', after(ended('timeout', 'timeout')), 'No carrier answered in time Ask again'],
  ['no answer at all', after(ended('error', 'timeout')), 'No carrier answered Ask again'],
  [
    'all busy',
    after(ended('rejected-busy', 'not-served')),
    'Too many people are searching Try again in a few seconds. Ask again',
  ],
  [
    'all paused',
    after(ended('circuit-open', 'circuit-open')),
    'All carriers are paused They failed too often, and are asked again in a moment. Ask again',
  ],
  [
    'too busy',
    after({
      type: 'refused',
      problem: { title: 'Busy', status: 503, detail: 'The server is busy' },
    }),
    'Too many people are searching Try again in a few seconds. Ask again',
  ],
  [
    'lost',
    after({
      type: 'search-failed',
      problem: { title: 'Lost', status: 500, detail: 'A worker ended' },
    }),
    'Lost A worker ended Ask again',
  ],
  [
    'broken at once',
    after({ type: 'broken' }),
    'The connection broke before a carrier answered Ask again',
  ],
  ['still asking', after(), ''],
  ['something', after(upsert(good), ended('ok')), ''],
])('%s: says why there is nothing, and what next', (_, state, text, shown) => {
  const note = emptyNote(state, { names, ways, ...(shown !== undefined && { shown }) });
  expect(words(note)).toBe(text);
});

test.each<[string, SearchState, string]>([
  [
    'partial',
    after(upsert(good), ended('timeout', 'ok')),
    'Renfe did not answer in time. Its trains are missing below. Ask again',
  ],
  [
    'sold out',
    after(upsert(soldOut, train('7')), ended('ok', 'ok')),
    'All 2 trains are sold out. Mon 30 Nov Wed 2 Dec €14.50',
  ],
  [
    'the only one sold out',
    after(upsert(soldOut), ended('ok')),
    'The only train is sold out. Mon 30 Nov Wed 2 Dec €14.50',
  ],
  [
    'broken',
    after(upsert(good, fast), { type: 'broken' }),
    'The connection broke after 2 trains. Ask again',
  ],
  ['prices of a moment ago', after(upsert(good), kept({ cache: 'fresh', ageMs: 59_999 }, {})), ''],
  [
    'old prices',
    after(
      upsert(good),
      kept({ cache: 'stale', ageMs: 61_000 }, { cache: 'stale', ageMs: 200_000 }),
    ),
    'Prices as of 3 minutes ago. Refresh',
  ],
  [
    'old prices of a carrier that fails',
    after(upsert(good), kept({ cache: 'stale', ageMs: 119_999, error: late }, {})),
    'Prices as of 1 minute ago. Renfe did not answer since. Refresh',
  ],
  [
    'another carrier is missing',
    after(
      upsert(good),
      kept({ cache: 'stale', ageMs: 200_000 }, { state: 'timeout', error: late }),
    ),
    'Avlo did not answer in time. Its trains are missing below. Ask again',
  ],
  ['all well', after(upsert(good), ended('ok', 'not-served')), ''],
  ['asking', after(upsert(good)), ''],
  ['nothing in time, which is a note', after(ended('timeout', 'not-served')), ''],
])('%s: a notice above the list', (_, state, text) => {
  expect(words(noticeOf(state, { names, ways }))).toBe(text);
});

test.each([
  [{ cache: 'fresh', ageMs: 900 }, '1 train', 'Its answer is of a moment ago.'],
  [{ cache: 'fresh', ageMs: 20_900 }, '1 train', 'Its answer is of 20 seconds ago.'],
  [
    { cache: 'stale', ageMs: 61_000 },
    '1 train',
    'Its answer is of 1 minute ago, and it is asked again.',
  ],
  [
    { cache: 'stale', ageMs: 600_000, error: late },
    '1 train',
    'Its answer is of 10 minutes ago, and it did not answer since. TIMEOUT No answer.',
  ],
  [{ error: late }, '1 train, not all', 'TIMEOUT No answer.'],
  [{}, '1 train', ''],
] as const)('the list of carriers has the age of an answer: %j', (status, came, text) => {
  const { carriers } = after(upsert(good), kept(status));
  expect(words(carrierList(carriers, { ...names, calls: new Map() }))).toBe(
    `RE Renfe ${came} 1 ms${text && ` ${text}`}`,
  );
});

test('new prices are wanted once: no other address of the page has fresh=1', () => {
  const address = new URLSearchParams('origin=A&destination=B&fresh=1');
  expect(addressWith(address, {})).toBe('/?origin=A&destination=B');
  expect(addressWith(address, { fresh: '1' })).toBe('/?origin=A&destination=B&fresh=1');
  expect(searchKey(address)).toBe(searchKey(new URLSearchParams('origin=A&destination=B')));
});

test('reduce() appends a page: what is known stays, and only its own end moves', () => {
  const first = after(upsert(good), {
    ...ended('ok'),
    pages: { earlier: 'e1', later: 'l1' },
  } as FeedEvent);
  const asking = reduce(first, { type: 'asked', more: 'later', join: joinJourneys });
  expect(asking).toMatchObject({ phase: 'asking', more: 'later' });
  expect(asking.journeys.size).toBe(1);
  const next = train('8', { at: '2026-12-02T10:00' });
  const done = [
    started,
    upsert(next),
    { ...ended('ok'), pages: { earlier: 'e2', later: 'l2' } } as FeedEvent,
  ].reduce(reduce, asking);
  expect([...done.journeys.keys()].toSorted()).toEqual([good.id, next.id].toSorted());
  expect([done.pages, done.more]).toEqual([{ earlier: 'e1', later: 'l2' }, undefined]);
  const last = [
    { type: 'asked', more: 'later', join: joinJourneys } as const,
    started,
    ended('empty'),
  ].reduce(reduce, done);
  expect(last.pages).toEqual({ earlier: 'e1' });
  expect(reduce(done, { type: 'asked' }).journeys.size).toBe(0);
});
