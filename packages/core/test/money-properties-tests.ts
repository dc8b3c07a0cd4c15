import { currencyExponent, formatMoney, moneyFromNumber, parseMoney } from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Scale } from './scale.ts';

export function moneyPropertyTests({ runs }: Scale): void {
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
}
