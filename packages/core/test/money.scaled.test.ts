import {
  addMoney,
  currencyExponent,
  formatMoney,
  moneyFromNumber,
  parseMoney,
  RailError,
} from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from './scale.ts';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return RailError.is(error) ? `${error.code}: ${error.message}` : String(error);
  }
  return 'nothing thrown';
};

test('parseMoney() reads the texts of the wires', () => {
  expect(parseMoney('37,35', { currency: 'EUR', decimal: ',' })).toEqual(eur(3735));
  expect(parseMoney('1.071,20', { currency: 'EUR', decimal: ',' })).toEqual(eur(107120));
  expect(parseMoney('1 071,20', { currency: 'EUR', decimal: ',' })).toEqual(eur(107120));
  expect(parseMoney('1\u202f071\u202f000', { currency: 'EUR', decimal: ',' })).toEqual(
    eur(107100000),
  );
  expect(parseMoney('1,071.20', { currency: 'EUR' })).toEqual(eur(107120));
  expect(parseMoney('31.49', { currency: 'EUR' })).toEqual(eur(3149));
  expect(parseMoney(' 7 ', { currency: 'EUR' })).toEqual(eur(700));
  expect(parseMoney('7.5', { currency: 'EUR' })).toEqual(eur(750));
  expect(parseMoney('7.500', { currency: 'EUR' })).toEqual(eur(750));
  expect(parseMoney('-0,05', { currency: 'EUR', decimal: ',' })).toEqual(eur(-5));
  expect(Object.is(parseMoney('-0', { currency: 'EUR' }).amount, 0)).toBe(true);
});

test('parseMoney() knows how many decimals a currency has', () => {
  expect(parseMoney('500', { currency: 'JPY' })).toEqual({ amount: 500, currency: 'JPY' });
  expect(parseMoney('500.0', { currency: 'JPY' })).toEqual({ amount: 500, currency: 'JPY' });
  expect(parseMoney('1.234', { currency: 'TND' })).toEqual({ amount: 1234, currency: 'TND' });
  expect(['JPY', 'EUR', 'TND', 'CLF'].map(currencyExponent)).toEqual([0, 2, 3, 4]);
});

test('parseMoney() refuses text that is no amount', () => {
  const format = { currency: 'EUR', decimal: ',' } as const;
  const wrong = [
    '',
    ' ',
    ',5',
    '5,',
    '1.07',
    '10.71,20',
    '1,2,3',
    '1e3',
    '0x10',
    'NaN',
    '٣',
    '--5',
  ];
  for (const text of wrong) {
    expect(codeOf(() => parseMoney(text, format))).toBe(
      `ERR_MONEY: Cannot read money: \`text\` must be an amount with decimal sign ',', got ${text.trim() === '' ? `'${text}'` : text}`,
    );
  }
  for (const value of [undefined, null, 31.49, {}]) {
    expect(() => parseMoney(value as never, format)).toThrow(RailError);
  }
});

test('parseMoney() refuses more decimals than the currency has, and what no number holds', () => {
  expect(codeOf(() => parseMoney('37.355', { currency: 'EUR' }))).toBe(
    'ERR_MONEY: Cannot read money: `text` must be an amount of at most 2 decimals in EUR, got 37.355',
  );
  expect(codeOf(() => parseMoney('0.5', { currency: 'JPY' }))).toMatch('at most 0 decimals');
  expect(codeOf(() => parseMoney('90071992547409.92', { currency: 'EUR' }))).toBe(
    'ERR_MONEY: Cannot read money: `text` must be an amount within the safe integers, got 90071992547409.92',
  );
  expect(parseMoney('90071992547409.91', { currency: 'EUR' }).amount).toBe(Number.MAX_SAFE_INTEGER);
});

test('parseMoney() shows forty characters of a huge text', () => {
  const message = codeOf(() => parseMoney('9'.repeat(1_000_000), { currency: 'EUR' }));
  expect(message.length).toBeLessThan(150);
});

test('moneyFromNumber() rounds away the artefacts of floating point, and nothing else', () => {
  expect(moneyFromNumber(31.49, 'EUR')).toEqual(eur(3149));
  expect(moneyFromNumber(19, 'EUR')).toEqual(eur(1900));
  expect(moneyFromNumber(0.1 + 0.2, 'EUR')).toEqual(eur(30));
  expect(moneyFromNumber(1.005 * 1000, 'EUR')).toEqual(eur(100500));
  expect(Object.is(moneyFromNumber(-0, 'EUR').amount, 0)).toBe(true);
  for (const value of [31.495, 0.001, 10_000_000_000.005, -10_000_000_000.005]) {
    expect(codeOf(() => moneyFromNumber(value, 'EUR'))).toBe(
      `ERR_MONEY: Cannot read money: \`value\` must be an amount in whole minor units of EUR, got ${value}`,
    );
  }
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1e300]) {
    expect(codeOf(() => moneyFromNumber(value, 'EUR'))).toMatch('ERR_MONEY');
  }
});

test('moneyFromNumber() is exact for each number that a wire can make of minor units', () => {
  const currencies = fc.constantFrom('EUR', 'JPY', 'TND', 'CLF');
  const amounts = fc.oneof(
    fc.integer({ min: -10_000_000, max: 10_000_000 }),
    fc.integer({ min: -(2 ** 50), max: 2 ** 50 }),
  );
  fc.assert(
    fc.property(amounts, currencies, (amount, currency) => {
      const value = amount / 10 ** currencyExponent(currency);
      expect(moneyFromNumber(value, currency)).toEqual({ amount: amount + 0, currency });
    }),
    { numRuns: runs(5000) },
  );
});

test('formatMoney() writes what parseMoney() reads back', () => {
  const currencies = fc.constantFrom('EUR', 'JPY', 'TND', 'CLF', 'USD');
  fc.assert(
    fc.property(fc.maxSafeInteger(), currencies, (amount, currency) => {
      const [text = '', code] = formatMoney({ amount, currency }).split(' ');
      expect(code).toBe(currency);
      expect(parseMoney(text, { currency })).toEqual({ amount: amount + 0, currency });
      const spanish = text.replace('.', ',');
      expect(parseMoney(spanish, { currency, decimal: ',' }).amount).toBe(amount + 0);
    }),
    { numRuns: runs(2000) },
  );
});

test('formatMoney() writes minor units, and refuses fractions of them', () => {
  expect(formatMoney(eur(-5))).toBe('-0.05 EUR');
  expect(formatMoney({ amount: 500, currency: 'JPY' })).toBe('500 JPY');
  expect(codeOf(() => formatMoney(eur(0.5)))).toBe(
    'ERR_MONEY: Cannot read money: `amount` must be an integer of minor units, got 0.5',
  );
});

test('addMoney() adds one currency and refuses two', () => {
  expect(addMoney(eur(3735), eur(65))).toEqual(eur(3800));
  expect(codeOf(() => addMoney(eur(1), { amount: 1, currency: 'JPY' }))).toBe(
    'ERR_CURRENCY_MISMATCH: Cannot add money: both currencies must be the same, got EUR and JPY',
  );
  expect(codeOf(() => addMoney(eur(Number.MAX_SAFE_INTEGER), eur(1)))).toMatch(
    '`sum` must be an amount within the safe integers',
  );
});

test('currencyExponent() refuses text that is no currency code', () => {
  for (const code of ['eur', 'EURO', '', '€', 'EUR\n']) {
    expect(() => currencyExponent(code)).toThrow(RailError);
  }
});
