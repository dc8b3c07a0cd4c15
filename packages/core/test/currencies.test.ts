import {
  convertPrices,
  createSearch,
  JOURNEY_ORDERS,
  type Journey,
  type JourneyOrder,
  type RateSource,
  sortJourneys,
} from '@ticketing/core';
import { countStepsOfEach } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { carrier, NOW, offer, query, train } from './trains.ts';

/** `'200 CHF, 30 EUR'`: a journey with these offers, whose train has a number of its own. */
function priced(text: string, number = text): Journey {
  const offers = text
    .split(', ')
    .filter(Boolean)
    .map((price, index) => {
      const [amount, currency = ''] = price.split(' ');
      return offer('a', 1, { id: `${index}`, total: { amount: Number(amount), currency } });
    });
  return train({ number, offers });
}

const textOf = ({ legs }: Journey): string =>
  legs.flatMap((leg) => (leg.kind === 'ride' && leg.number) || '').join();
const ratesOf = (perBase: Readonly<Record<string, string>>): RateSource => ({
  asOf: '2026-11-30',
  source: 'A bank',
  base: 'EUR',
  perBase,
});
const sorted = (texts: readonly string[], order: JourneyOrder, rates?: RateSource) => {
  const journeys = texts.map((text) => priced(text));
  return sortJourneys(rates ? convertPrices(journeys, { rates }) : journeys, order).map(textOf);
};

const list = ['200 CHF', '30 EUR', '', '100 CHF', '70 EUR', '50 EUR', '150 CHF, 60 EUR', '9 SEK'];

test.each(['price', 'best'] as const)(
  'sortJourneys() by %s sorts each currency by itself, that of the most journeys first',
  (order) => {
    const right = [
      ...['30 EUR', '50 EUR', '150 CHF, 60 EUR', '70 EUR'],
      ...['100 CHF', '200 CHF', '9 SEK', ''],
    ];
    expect(sorted(list, order)).toEqual(right);
    expect(sorted(list.toReversed(), order)).toEqual(right);
  },
);

test('sortJourneys() sorts currencies with as many journeys by their codes', () => {
  expect(sorted(['1 EUR', '2 CHF', '1 CHF', '2 EUR'], 'price')).toEqual([
    ...['1 CHF', '2 CHF', '1 EUR', '2 EUR'],
  ]);
});

test.each(['price', 'best'] as const)(
  'sortJourneys() by %s compares converted prices, and sorts the others after them',
  (order) => {
    expect(sorted(list, order, ratesOf({ CHF: '1.92' }))).toEqual([
      ...['30 EUR', '50 EUR', '100 CHF', '150 CHF, 60 EUR', '70 EUR', '200 CHF', '9 SEK', ''],
    ]);
  },
);

test('createSearch() sorts by its rates', async () => {
  const journeys = ['200 CHF', '30 EUR', '40 EUR', '10 CHF'].map((text) => priced(text));
  const order = async (rates?: RateSource) => {
    const carriers = [carrier('a', async () => journeys)];
    const search = createSearch({ carriers, order: 'price', rates, now: () => NOW });
    const found = await search.search(query);
    const streamed: string[] = [];
    for await (const event of search.stream(query)) {
      if (event.type === 'journeys-upsert') streamed.push(...event.journeys.map(textOf));
    }
    expect(streamed).toEqual(found.journeys.map(textOf));
    return streamed;
  };
  expect(await order()).toEqual(['10 CHF', '200 CHF', '30 EUR', '40 EUR']);
  expect(await order(ratesOf({ CHF: '1' }))).toEqual(['10 CHF', '30 EUR', '40 EUR', '200 CHF']);
});

test('sortJourneys() does not depend on the order of its input, whatever the currencies', () => {
  const prices = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 9 }), fc.constantFrom('EUR', 'CHF', 'JPY', 'SEK')),
    { maxLength: 4 },
  );
  const rates = fc.constantFrom(
    undefined,
    ratesOf({ CHF: '0.94' }),
    ratesOf({ JPY: '171.2', CHF: '1' }),
  );
  const lists = fc
    .array(prices, { maxLength: 8 })
    .map((some) =>
      some.map((own, index) =>
        priced(own.map(([amount, currency]) => `${amount} ${currency}`).join(', '), `${index}`),
      ),
    );
  const shuffled = lists.chain((some) =>
    fc.tuple(fc.constant(some), fc.shuffledSubarray(some, { minLength: some.length })),
  );
  fc.assert(
    fc.property(shuffled, rates, ([all, rest], given) => {
      const [some, others] = [all, rest].map((one) =>
        given ? convertPrices(one, { rates: given }) : one,
      ) as [Journey[], Journey[]];
      for (const order of JOURNEY_ORDERS) {
        const right = sortJourneys(some, order);
        expect(right.map(({ id }) => id).sort()).toEqual(some.map(({ id }) => id).sort());
        expect(sortJourneys(others, order)).toEqual(right);
      }
    }),
  );
});

test('sortJourneys() of twice as many journeys, each of a currency, takes at most 2.3 times the steps', async () => {
  const code = (index: number): string =>
    [676, 26, 1]
      .map((power) => String.fromCharCode(65 + (Math.floor(index / power) % 26)))
      .join('');
  const lists = [300, 600].map((length) =>
    Array.from({ length }, (_, index) =>
      priced(`5 ${code(index)}, 6 ${code(index + 1)}`, `${index}`),
    ),
  );
  const [small = 0, large = Number.POSITIVE_INFINITY] = await countStepsOfEach(
    lists.map((some) => () => sortJourneys(some, 'price')),
    (url) => url.includes('packages/core/src/'),
  );
  expect(small).toBeGreaterThan(300);
  expect(large / small).toBeLessThan(2.3);
});
