import {
  type CalendarDay,
  type CalendarEvent,
  type Carrier,
  type CarrierDay,
  CarrierError,
  createSearch,
  type Journey,
  lowestTotals,
  type Money,
  type Offer,
  type SearchResult,
} from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from './scale.ts';
import { barcelona, madrid, NOW, offer, train } from './trains.ts';

const MONTH = '2026-12';
const DATES = Array.from(
  { length: 31 },
  (_, day) => `${MONTH}-${String(day + 1).padStart(2, '0')}`,
);
const SOURCES = ['calendar', 'kept', 'byDay', 'none'] as const;
const ends = { origin: madrid, destination: barcelona };

/** A train of one carrier on one day, as the property draws it. */
interface DrawnTrain {
  readonly number: number;
  readonly amounts: readonly number[];
  readonly currency: 'EUR' | 'CHF';
  readonly unpriced: boolean;
  readonly cancelled: boolean;
}

interface DrawnCarrier {
  readonly source: (typeof SOURCES)[number];
  /** Trains of day `n` are those at `n` modulo their number. */
  readonly days: readonly (readonly DrawnTrain[] | 'cut' | 'garbage')[];
}

const aTrain = fc.record<DrawnTrain>({
  number: fc.integer({ min: 1, max: 4 }),
  amounts: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 2 }),
  currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'CHF'),
  unpriced: fc.boolean(),
  cancelled: fc.constantFrom(false, false, false, true),
});
const someTrains = fc.uniqueArray(aTrain, { maxLength: 3, selector: ({ number }) => number });
const aCarrier = fc.record<DrawnCarrier>({
  source: fc.constantFrom(...SOURCES),
  days: fc.array(
    fc.oneof(
      { weight: 8, arbitrary: someTrains },
      { weight: 1, arbitrary: fc.constantFrom('cut' as const, 'garbage' as const) },
    ),
    { minLength: 1, maxLength: 7 },
  ),
});

/** `apart`: trains that no other carrier sells, because a carrier's calendar does not say which of its trains another has too. */
function journeysOf(
  id: string,
  date: string,
  trains: readonly DrawnTrain[],
  apart = false,
): Journey[] {
  return trains.map(({ number, amounts, currency, unpriced, cancelled }) =>
    train({
      source: id,
      number: apart ? `${id.slice(1)}${number}` : `${number}`,
      at: `${date}T1${number}:00`,
      until: `${date}T1${number}:50`,
      ...(cancelled && { cancelled }),
      ...(amounts.length > 0
        ? {
            offers: amounts.map(
              (amount, index): Offer =>
                offer(id, amount, { id: `${index}`, total: { amount, currency } }),
            ),
          }
        : unpriced && { priced: false as const }),
    }),
  );
}

/** Answers a day by what was drawn; `cut`: with a failure beside no journeys, `garbage`: not at all. */
function answerOf(id: string, date: string, drawn: DrawnCarrier) {
  const day = dayOf(drawn, date);
  if (day === 'garbage') throw new CarrierError('PROTOCOL', 'not an answer');
  if (day !== 'cut') return { journeys: journeysOf(id, date, day, drawn.source === 'calendar') };
  return { journeys: [], failure: { code: 'PROTOCOL' as const, message: 'cut' } };
}

const dayOf = ({ days }: DrawnCarrier, date: string) =>
  days[Number(date.slice(8)) % days.length] as DrawnCarrier['days'][number];

/** The calendar of a carrier that tells the truth: of one currency, because a day has one price. */
function ownCalendar(id: string, drawn: DrawnCarrier): readonly CarrierDay[] {
  return DATES.map((date): CarrierDay => {
    const trains = dayOf(drawn, date);
    if (typeof trains === 'string') return { date, state: 'unknown', fetchedAt: NOW };
    const running = journeysOf(id, date, trains).filter(({ legs }) =>
      legs.every((leg) => leg.kind === 'transfer' || !leg.cancelled),
    );
    const totals = running.flatMap(({ offers }) => offers.map(({ total }) => total));
    const [least] = [...totals].sort((a, b) => a.amount - b.amount);
    if (least && totals.every(({ currency }) => currency === least.currency)) {
      return { date, state: 'priced', lowest: least, fetchedAt: NOW };
    }
    const isOpen = totals.length > 0 || running.some(({ unpriced }) => unpriced !== undefined);
    const state = isOpen ? 'unknown' : running.length > 0 ? 'sold-out' : 'no-trains';
    return { date, state, fetchedAt: NOW };
  });
}

function carrierOf(id: string, drawn: DrawnCarrier): Carrier {
  const has = drawn.source === 'calendar';
  return {
    id,
    name: id,
    ...(has && { capabilities: { asks: ['calendar'] } }),
    request: async () => undefined,
    normalise: (_wire, { date, calendarUntil }) =>
      calendarUntil === undefined
        ? answerOf(id, date, drawn)
        : { journeys: [], calendar: ownCalendar(id, drawn) },
  };
}

/** Least prices of a search, by currency. */
function leastOf({ journeys }: SearchResult): readonly Money[] {
  const least = new Map<string, number>();
  const running = journeys.filter(({ legs }) => legs.every((leg) => !('cancelled' in leg)));
  for (const { amount, currency } of running.flatMap((journey) => lowestTotals(journey))) {
    least.set(currency, Math.min(amount, least.get(currency) ?? amount));
  }
  return [...least]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, amount]) => ({ amount, currency }));
}

/** Day as the search of the day shows it. `unknown`: carriers of which nothing was learned. */
function expectedDay(found: SearchResult, unknown: readonly string[]) {
  const totals = leastOf(found);
  if (totals.length > 0) return { state: 'priced', totals };
  const running = found.journeys.filter(({ legs }) => legs.every((leg) => !('cancelled' in leg)));
  const isOpen = ({ sources, unpriced = [] }: Journey) =>
    sources.every((source) => unpriced.includes(source));
  if (unknown.length > 0 || running.some(isOpen)) return { state: 'unknown' };
  return { state: running.length > 0 ? 'sold-out' : 'no-trains' };
}

async function eventsOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const events: T[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** Applies the events of a stream. */
function replay(events: readonly CalendarEvent[]): readonly CalendarDay[] {
  const days = new Map<string, CalendarDay>();
  for (const event of events) {
    if (event.type !== 'calendar-started' && event.type !== 'calendar-days') continue;
    for (const day of event.days) days.set(day.date, day);
  }
  return [...days.values()];
}

test('calendar() has the days that thirty searches have, and its events add up to it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aCarrier, { minLength: 1, maxLength: 3 }), async (drawn) => {
      const carriers = drawn.map((one, index) => carrierOf(`c${index}`, one));
      const sourceOf = (id: string) => drawn[Number(id.slice(1))] as DrawnCarrier;
      const byDay = carriers.map(({ id }) => id).filter((id) => sourceOf(id).source === 'byDay');
      await using search = createSearch({
        carriers,
        now: () => NOW,
        known: ({ id }, { date }) =>
          sourceOf(id).source === 'kept' ? answerOf(id, date, sourceOf(id)) : undefined,
      });
      const query = { ...ends, month: MONTH };
      const { days } = await search.calendar(query, { byDay });
      expect(replay(await eventsOf(search.calendarStream(query, { byDay })))).toEqual(days);

      expect(days.map(({ date }) => date)).toEqual(DATES);
      for (const day of days) {
        const unknown: string[] = [];
        const asked: string[] = [];
        for (const { id } of carriers) {
          const one = sourceOf(id);
          const own = ownCalendar(id, one).find(({ date }) => date === day.date);
          const isTold = one.source === 'calendar' && own?.state !== 'unknown';
          const isRead = one.source === 'byDay' || one.source === 'kept';
          if (typeof dayOf(one, day.date) === 'string' || !(isTold || isRead)) unknown.push(id);
          if (isTold || isRead) asked.push(id);
        }
        const found =
          asked.length > 0 &&
          (await search.search({ ...ends, date: day.date }, { carriers: asked }));
        const expected = found ? expectedDay(found, unknown) : { state: 'unknown' };
        expect(day).toMatchObject({
          ...expected,
          ...(unknown.length > 0 && { unknown }),
        });
        expect([day.unknown ?? [], day.totals]).toEqual([
          unknown,
          (expected as { totals?: readonly Money[] }).totals,
        ]);
        expect(day.lowest).toEqual(day.totals?.length === 1 ? day.totals[0] : undefined);
      }
    }),
    { numRuns: runs(150) },
  );
});
