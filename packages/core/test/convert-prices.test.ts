import {
  type AppliedRates,
  convertPrices,
  createSearch,
  currencyExponent,
  type Journey,
  type Money,
  type Offer,
  type RateSource,
  type SearchQuery,
} from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { carrier, NOW, offer, query, train } from './trains.ts';

const DAY_MS = 86_400_000;
const ecb: RateSource = {
  asOf: '2026-11-27',
  source: 'European Central Bank',
  base: 'EUR',
  perBase: { CHF: '0.9412', JPY: '171.2', TND: '3.38', GBP: '0.87' },
};

const inOf = (currency: string, amount: number, id = `${amount} ${currency}`): Offer =>
  offer('a', amount, { id, total: { amount, currency } });

function convert(total: Money, currency: string, rates: RateSource = ecb): Money | undefined {
  const journey = train({ offers: [offer('a', 1, { total })] });
  return convertPrices([journey], { rates, currency })[0]?.offers[0]?.converted;
}

test.each<[amount: number, from: string, to: string, right: number | undefined]>([
  [10_000, 'EUR', 'CHF', 9412],
  [9412, 'CHF', 'EUR', 10_000],
  // 1 yen is 0.00584… euros; 500 yen are 2.92 euros: minor units differ.
  [500, 'JPY', 'EUR', 292],
  [292, 'EUR', 'JPY', 500],
  // 10.00 EUR are 33.800 dinars of thousandths.
  [1000, 'EUR', 'TND', 33_800],
  [33_800, 'TND', 'JPY', 1712],
  [9412, 'CHF', 'GBP', 8700],
  [0, 'EUR', 'CHF', 0],
  [-10_000, 'EUR', 'CHF', -9412],
  [1234, 'CHF', 'CHF', 1234],
  [1234, 'SEK', 'CHF', undefined],
  [1234, 'EUR', 'SEK', undefined],
  [1.5, 'EUR', 'CHF', undefined],
  [Number.MAX_SAFE_INTEGER, 'EUR', 'JPY', undefined],
  [Number.MAX_SAFE_INTEGER, 'EUR', 'CHF', 8_477_575_938_562_221],
])('convertPrices() makes of %d %s in %s %s', (amount, from, to, right) => {
  const converted = right === undefined ? undefined : { amount: right, currency: to };
  expect(convert({ amount, currency: from }, to)).toEqual(converted);
});

test.each<[amount: number, right: number]>([
  [1, 0],
  [3, 2],
  [5, 2],
  [7, 4],
  [-1, 0],
  [-3, -2],
  [-5, -2],
  [-7, -4],
])('convertPrices() rounds half of %d to the even %d', (amount, right) => {
  const half: RateSource = { ...ecb, perBase: { CHF: '0.5' } };
  expect(convert({ amount, currency: 'EUR' }, 'CHF', half)?.amount).toBe(right);
});

/** Rounds by a fraction and its own arithmetic: by the distance to both neighbours. */
function nearestEven(numerator: bigint, denominator: bigint): bigint {
  let low = numerator / denominator;
  if (low * denominator > numerator) low -= 1n;
  const [below, above] = [numerator - low * denominator, (low + 1n) * denominator - numerator];
  if (below !== above) return below < above ? low : low + 1n;
  return low % 2n === 0n ? low : low + 1n;
}

/** Digits of decimal text, and how many of them are decimals. */
function digitsOf(text: string): readonly [digits: bigint, decimals: bigint] {
  const point = text.indexOf('.');
  return [BigInt(text.replace('.', '')), BigInt(point < 0 ? 0 : text.length - point - 1)];
}

test('convertPrices() is exact: what fractions of BigInt give, whatever the rates and the minor units', () => {
  const rate = fc
    .tuple(fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.integer({ min: 0, max: 12 }))
    .map(([digits, decimals]) => {
      const text = digits.toString().padStart(decimals + 1, '0');
      const cut = text.length - decimals;
      return decimals === 0 ? text : `${text.slice(0, cut)}.${text.slice(cut)}`;
    });
  const code = fc.constantFrom('EUR', 'CHF', 'JPY', 'TND', 'CLF', 'SEK');
  const amount = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -100_000, max: 100_000 }));
  fc.assert(
    fc.property(amount, code, code, rate, rate, (minor, from, to, first, second) => {
      const perBase: Record<string, string> = { [from]: first, [to]: second };
      delete perBase['EUR'];
      const got = convert({ amount: minor, currency: from }, to, { ...ecb, perBase });
      if (from === to) {
        expect(got?.amount).toBe(minor);
        return;
      }
      const [fromDigits, fromDecimals] = digitsOf(perBase[from] ?? '1');
      const [toDigits, toDecimals] = digitsOf(perBase[to] ?? '1');
      const numerator =
        BigInt(minor) * toDigits * 10n ** fromDecimals * 10n ** BigInt(currencyExponent(to));
      const denominator = fromDigits * 10n ** toDecimals * 10n ** BigInt(currencyExponent(from));
      const right = nearestEven(numerator, denominator);
      const isSafe = right <= 2n ** 53n - 1n && right >= -(2n ** 53n - 1n);
      expect(got).toEqual(isSafe ? { amount: Number(right), currency: to } : undefined);
    }),
    { numRuns: 1000 },
  );
});

test('convertPrices() keeps totals, sorts by what is converted, and can be undone by other rates', () => {
  const journey = train({ offers: [inOf('EUR', 5000), inOf('CHF', 4000), inOf('SEK', 1)] });
  const [inFrancs] = convertPrices([journey], { rates: ecb, currency: 'CHF' });
  expect(inFrancs?.offers.map(({ total, converted }) => [total.currency, converted])).toEqual([
    ['CHF', { amount: 4000, currency: 'CHF' }],
    ['EUR', { amount: 4706, currency: 'CHF' }],
    ['SEK', undefined],
  ]);
  expect(journey.offers.some(({ converted }) => converted)).toBe(false);
  const [again] = convertPrices([inFrancs as Journey], { rates: { ...ecb, perBase: {} } });
  expect(again?.offers.map(({ total, converted }) => [total.currency, converted])).toEqual([
    ['EUR', { amount: 5000, currency: 'EUR' }],
    ['CHF', undefined],
    ['SEK', undefined],
  ]);
});

test.each<[wrong: object | number | null, message: string]>([
  [5, '`rates` must be an object, got 5'],
  [
    { asOf: '2026-13-01' },
    '`rates.asOf` must be a day of the calendar as YYYY-MM-DD, got 2026-13-01',
  ],
  [{ source: '' }, "`rates.source` must be the name of a publisher, got ''"],
  [{ base: 'euro' }, '`rates.base` must be an ISO 4217 code, got euro'],
  [{ perBase: null }, '`rates.perBase` must be an object, got null'],
  [{ perBase: { chf: '1' } }, '`rates.perBase.chf` must be a rate of an ISO 4217 code, got 1'],
  [{ perBase: { EUR: '1' } }, '`rates.perBase.EUR` must be absent: it is the base, got 1'],
  [
    { perBase: { CHF: 0.94 } },
    '`rates.perBase.CHF` must be decimal text above 0, such as 0.9412, got 0.94',
  ],
  [
    { perBase: { CHF: '0.00' } },
    '`rates.perBase.CHF` must be decimal text above 0, such as 0.9412, got 0.00',
  ],
  [
    { perBase: { CHF: '1e3' } },
    '`rates.perBase.CHF` must be decimal text above 0, such as 0.9412, got 1e3',
  ],
  [{ maxAgeDays: -1 }, '`rates.maxAgeDays` must be an integer from 0 to 366, got -1'],
])('convertPrices() refuses rates with %j', (wrong, message) => {
  const rates = typeof wrong === 'object' ? { ...ecb, ...wrong } : wrong;
  expect(() => convertPrices([], { rates: rates as never })).toThrow(
    new TypeError(`Cannot convert prices: ${message}`),
  );
});

const sellers = [
  train({ number: '1', offers: [inOf('EUR', 5000)] }),
  train({ number: '2', at: '2026-12-01T07:15', offers: [inOf('CHF', 4800)] }),
  train({
    number: '3',
    at: '2026-12-01T08:15',
    until: '2026-12-01T09:45',
    offers: [inOf('SEK', 1)],
  }),
];

async function searched(
  rates: RateSource | (() => RateSource | undefined) | undefined,
  asked = {},
) {
  const carriers = [carrier('a', async () => sellers)];
  const search = createSearch({ carriers, order: 'price', rates, now: () => NOW });
  const question: SearchQuery = { ...query, ...asked };
  const result = await search.search(question);
  let started: AppliedRates | undefined;
  const streamed: Journey[] = [];
  for await (const event of search.stream(question)) {
    if (event.type === 'search-started') started = event.rates;
    if (event.type === 'journeys-upsert') streamed.push(...event.journeys);
  }
  expect(streamed).toEqual(result.journeys);
  expect(started).toEqual(result.rates);
  const prices = result.journeys.map(({ offers }) => offers[0]?.converted?.amount);
  return { rates: result.rates, prices };
}

test('search() converts to the currency of the query, and to the base of the rates without one', async () => {
  const { asOf, source } = ecb;
  expect(await searched(ecb, { currency: 'CHF' })).toEqual({
    rates: { asOf, source, currency: 'CHF' },
    prices: [4706, 4800, undefined],
  });
  expect(await searched(ecb)).toEqual({
    rates: { asOf, source, currency: 'EUR' },
    prices: [5000, 5100, undefined],
  });
  const none = [undefined, undefined, undefined];
  expect(await searched(undefined, { currency: 'CHF' })).toEqual({
    rates: undefined,
    prices: none,
  });
  expect(await searched(ecb, { currency: 'SEK' })).toEqual({
    rates: { asOf, source, currency: 'SEK', unused: 'no-rate' },
    prices: none,
  });
});

test('search() converts by rates of at most `maxAgeDays`, and says why not by others', async () => {
  const dayOf = (daysAgo: number) => new Date(NOW - daysAgo * DAY_MS).toISOString().slice(0, 10);
  const unused = async (daysAgo: number, maxAgeDays?: number) =>
    (await searched({ ...ecb, asOf: dayOf(daysAgo), maxAgeDays })).rates?.unused;
  expect(await unused(7)).toBeUndefined();
  expect(await unused(8)).toBe('too-old');
  expect(await unused(8, 8)).toBeUndefined();
  expect(await unused(1, 0)).toBe('too-old');
  expect(await unused(0, 0)).toBeUndefined();
  expect(await unused(-1)).toBeUndefined();
  expect(await unused(-2)).toBe('too-new');
});

test('search() asks a function for the rates of now, and rejects for what are none', async () => {
  let given: RateSource | undefined;
  const rates = () => given;
  expect((await searched(rates)).rates).toBeUndefined();
  given = ecb;
  expect((await searched(rates)).rates?.asOf).toBe(ecb.asOf);
  given = { ...ecb, asOf: '2026-11-28' };
  expect((await searched(rates)).rates?.asOf).toBe('2026-11-28');
  given = { ...ecb, base: 'E' };
  await expect(searched(rates)).rejects.toThrow(
    new TypeError('Cannot search: `rates.base` must be an ISO 4217 code, got E'),
  );
});

test('search() refuses a currency that is no code', async () => {
  await expect(searched(ecb, { currency: 'francs' })).rejects.toMatchObject({
    code: 'ERR_BAD_QUERY',
    data: { parameter: 'currency' },
  });
});
