import { createJourney, createLocalClock, type Journey, type Place } from '@ticketing/core';
import { expect, test } from 'vitest';
import { journeyRow } from '../src/pages/journey/journey-row.ts';
import { joinJourneys } from '../src/pages/results/join-journeys.ts';
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
