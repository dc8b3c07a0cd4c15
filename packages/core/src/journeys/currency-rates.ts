import { showValue } from '@ticketing/kit';
import { currencyExponent, type Money } from '../model/money.ts';

/**
 * Worth of one unit (1 EUR, 1 CHF, 1 JPY) of each currency, more than 0, in any one unit of account: `{ EUR: 1, CHF: 1.06 }`. Prices
 * are compared by it, and never converted.
 */
export type CurrencyRates = Readonly<Record<string, number>>;

/** Options for comparing prices of several currencies. */
export interface PriceOptions {
  /** Default: none, so that amounts of two currencies are not compared. */
  readonly rates?: CurrencyRates | undefined;
}

/**
 * Checks rates.
 *
 * @throws TypeError for what are no rates, and for one that is not a number above 0
 */
export function checkRates(action: string, rates: unknown): void {
  if (rates === undefined) return;
  if (typeof rates !== 'object' || rates === null) {
    throw new TypeError(`Cannot ${action}: \`rates\` must be an object, got ${showValue(rates)}`);
  }
  for (const [currency, rate] of Object.entries(rates)) {
    if (/^[A-Z]{3}$/.test(currency) && Number.isFinite(rate) && rate > 0) continue;
    throw new TypeError(
      `Cannot ${action}: \`rates.${currency}\` must be a number above 0 for an ISO 4217 code, got ${showValue(rate)}`,
    );
  }
}

/**
 * Returns a function that gives the worth of an amount by rates, `undefined` for a currency without a rate.
 *
 * @throws TypeError for rates that are no rates
 */
export function worthBy(rates: CurrencyRates | undefined): (money: Money) => number | undefined {
  checkRates('compare prices', rates);
  return ({ amount, currency }) => {
    const rate = rates && Object.hasOwn(rates, currency) ? rates[currency] : undefined;
    return rate === undefined ? undefined : (amount / 10 ** currencyExponent(currency)) * rate;
  };
}
