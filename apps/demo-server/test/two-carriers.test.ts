import {
  convertPrices,
  createJourney,
  createLocalClock,
  type Journey,
  type Place,
} from '@ticketing/core';
import { expect, test } from 'vitest';
import { journeyDetails } from '../src/pages/journey/journey-details.ts';
import { journeyRow } from '../src/pages/journey/journey-row.ts';
import { joinJourneys } from '../src/pages/results/join-journeys.ts';
import { choicesOf } from '../src/pages/results/journey-filter.ts';
import { ratesNote } from '../src/pages/results/rates-note.ts';
import { idle, reduce } from '../src/pages/results/search-state.ts';

const clock = createLocalClock();

function trainFrom(
  origin: string,
  source: string,
  prices: readonly (readonly [amount: number, currency: string])[] = [],
): Journey {
  return createJourney({
    source,
    legs: [
      {
        kind: 'ride',
        number: '865',
        origin,
        destination: 'uic:8101187',
        departure: clock.fromLocal('2026-12-01T09:00', 'Europe/Vienna'),
        arrival: clock.fromLocal('2026-12-01T11:30', 'Europe/Vienna'),
      },
    ],
    offers: prices.map(([amount, currency], index) => ({
      id: `${index}`,
      seller: source,
      total: { amount, currency },
      travelClass: 'second',
      flexibility: 'none',
      fetchedAt: 0,
    })),
  });
}

test('a row has the least price in each currency, because without rates none is the cheapest', () => {
  const names = {
    stations: new Map(),
    carriers: new Map(),
    calls: new Map(),
    operators: new Map(),
  };
  const price = (...prices: (readonly [number, string])[]) => {
    const place = { longestMinutes: 150, leaders: {} };
    const row = String(journeyRow(trainFrom('a', 'hafas', prices), { names, place, below: false }));
    return /<span class="price">(.*?)<\/span>/.exec(row)?.[1];
  };
  expect(price([3000, 'EUR'], [2500, 'EUR'])).toBe('<b>€25.00</b><small></small>');
  expect(price([3000, 'EUR'], [20_000, 'CHF'])).toBe(
    '<b>CHF\u00a0200.00</b><small>or €30.00</small>',
  );
});

const rates = { asOf: '2026-11-27', source: 'A bank', base: 'CHF', perBase: { EUR: '1.0625' } };
const shown = (journey: Journey): string => {
  const names = { stations: new Map(), carriers: new Map(), calls: new Map() };
  const place = { longestMinutes: 150, leaders: {} };
  return String(journeyRow(journey, { names, place, below: journeyDetails(journey, names) }));
};

test('a row has the converted price, marked, and the price to pay below it; a ticket has both the other way round', () => {
  const prices = [
    [3000, 'EUR'],
    [20_000, 'CHF'],
  ] as const;
  const [journey] = convertPrices([trainFrom('a', 'hafas', prices)], { rates });
  const row = shown(journey as Journey);
  expect(row).toContain('<span class="price"><b>≈ CHF\u00a028.24</b><small>€30.00</small></span>');
  expect(row).toContain('<span class="num">€30.00 <small>≈ CHF\u00a028.24</small></span>');
  expect(row).toContain('<span class="num">CHF\u00a0200.00</span>');
  const [own] = convertPrices([trainFrom('a', 'hafas', [[20_000, 'CHF']])], { rates });
  expect(shown(own as Journey)).toContain('<b>CHF\u00a0200.00</b>');
});

test('a row adds what several sellers ask in two currencies', () => {
  const parts = trainFrom('a', 'hafas', [
    [3000, 'EUR'],
    [1000, 'CHF'],
  ]);
  const offers = parts.offers.map((offer, index) => ({ ...offer, passengers: [index] }));
  const [journey] = convertPrices([{ ...parts, offers, passengers: 2 }], { rates });
  expect(shown(journey as Journey)).toContain(
    '<b>≈ CHF\u00a038.24</b><small>CHF\u00a010.00 + €30.00</small>',
  );
});

test('choicesOf() has the lowest price of a carrier, converted; none where its prices are of two currencies', () => {
  const journeys = [trainFrom('a', 'x', [[3000, 'EUR']]), trainFrom('b', 'x', [[2500, 'CHF']])];
  expect(choicesOf(journeys).get('carriers:x')).toEqual({ count: 2 });
  const converted = convertPrices(journeys, { rates });
  const lowest = { amount: 2500, currency: 'CHF' };
  expect(choicesOf(converted).get('carriers:x')).toEqual({ count: 2, lowest });
});

test.each([
  [
    { grams: 3149, estimated: false },
    ' · 3.1 kg CO₂',
    '3.1 kg CO₂ for each passenger, as the carriers report it.',
  ],
  [
    { grams: 21_400, estimated: true },
    ' · ≈ 21 kg CO₂',
    '≈ 21 kg CO₂ for each passenger, estimated by distance and kind of vehicle.',
  ],
])('a row has the emissions %j, an estimate marked', (co2, line, sentence) => {
  const row = shown({ ...trainFrom('a', 'x'), co2 });
  expect(row).toContain(`<span class="co2">${line}</span>`);
  expect(row).toContain(sentence);
  expect(shown(trainFrom('a', 'x'))).not.toContain('CO₂');
});

test('ratesNote() names currency, publisher and day of converted prices, and why others are not', () => {
  const applied = { asOf: '2026-11-27', source: 'A bank', currency: 'CHF' };
  const journeys = convertPrices([trainFrom('a', 'x', [[3000, 'EUR']])], { rates });
  const note = (unused?: 'too-old' | 'no-rate', asked: string | null = 'CHF') =>
    ratesNote({ ...applied, ...(unused && { unused }) }, { journeys, asked });
  expect(note()).toBe(
    '≈ Converted to CHF by rates of A bank of Fri 27 Nov 2026. The seller’s own price is paid.',
  );
  expect(note('too-old')).toBe(
    'Prices are not converted: the rates of A bank are of Fri 27 Nov 2026.',
  );
  expect(note('no-rate')).toBe('Prices are not converted: A bank has no rate for CHF.');
  expect(ratesNote(undefined, { journeys: [], asked: 'CHF' })).toBe(
    'Prices are not converted: this server has no exchange rates.',
  );
  expect(ratesNote(undefined, { journeys: [], asked: null })).toBeUndefined();
  // Nothing is shown in another currency than it is sold in.
  const own = convertPrices([trainFrom('a', 'x', [[3000, 'CHF']])], { rates });
  expect(ratesNote(applied, { journeys: own, asked: null })).toBeUndefined();
});

test('reduce() joins a train of a carrier that is asked again with that of another at a second id of its stop', () => {
  const stop = (id: string, name: string): Place => ({
    ...{ id, name, latitude: 47.4571, longitude: 9.741 },
  });
  const found = (origin: string, source: string, name: string) =>
    ({
      type: 'journeys-upsert',
      ...{ seq: 1, removed: [], operators: {} },
      journeys: [trainFrom(origin, source)],
      places: { [origin]: stop(origin, name) },
    }) as const;
  const first = reduce(idle, found('obb:8100389', 'hafas', 'Wolfurt Bahnhst'));
  const asked = reduce(first, { type: 'asked', again: ['ojp'], join: joinJourneys });
  const { journeys } = reduce(asked, found('uic:8102333', 'ojp', 'Wolfurt'));
  expect([...journeys.values()].map(({ sources }) => sources)).toEqual([['hafas', 'ojp']]);
});
