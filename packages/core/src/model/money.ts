import { showValue } from '@ticketing/kit';
import { RailError } from '../errors.ts';

/** An amount in the currency's minor unit: `{ amount: 3735, currency: 'EUR' }` is 37,35 euros. */
export interface Money {
  /** Integer, minor units (cents; whole yen; thousandths of a dinar). */
  readonly amount: number;
  /** ISO 4217 code, three capital letters. */
  readonly currency: string;
}

/** Format of amounts on a wire. */
export interface MoneyFormat {
  /** ISO 4217 code. */
  readonly currency: string;
  /** The decimal sign; the other one, or a space, may group thousands. Default `.`. */
  readonly decimal?: ',' | '.' | undefined;
}

// ISO 4217: the currencies whose minor unit does not have 2 decimals.
const NO_DECIMALS = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF';
const THREE_DECIMALS = 'BHD IQD JOD KWD LYD OMR TND';
const FOUR_DECIMALS = 'CLF UYW';

/**
 * Returns how many decimals a currency has (ISO 4217): 0 for JPY, 2 for EUR, 3 for TND.
 *
 * @throws RailError `ERR_MONEY` when the code is not three capital letters
 */
export function currencyExponent(currency: string): number {
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) {
    throw moneyError('currency', 'an ISO 4217 code', currency);
  }
  if (NO_DECIMALS.includes(currency)) return 0;
  if (THREE_DECIMALS.includes(currency)) return 3;
  return FOUR_DECIMALS.includes(currency) ? 4 : 2;
}

const grammars = {
  ',': /^(-?)(\d{1,3}(?:[. \u00a0\u202f]\d{3})+|\d+)(?:,(\d+))?$/,
  '.': /^(-?)(\d{1,3}(?:[, \u00a0\u202f]\d{3})+|\d+)(?:\.(\d+))?$/,
};

/**
 * Reads decimal text exactly, digit by digit, without floating point.
 *
 * @throws RailError `ERR_MONEY` for text that is not an amount, has more decimals than the currency,
 *   or exceeds the safe integers
 * @throws TypeError for a decimal sign other than the two
 * @example
 * parseMoney('1.071,20', { currency: 'EUR', decimal: ',' }); // { amount: 107120, currency: 'EUR' }
 */
export function parseMoney(text: string, format: MoneyFormat): Money {
  const exponent = currencyExponent(format.currency);
  const decimal = format.decimal ?? '.';
  if (decimal !== ',' && decimal !== '.') {
    throw new TypeError(
      `Cannot read money: \`decimal\` must be ',' or '.', got ${showValue(decimal)}`,
    );
  }
  const match = typeof text === 'string' ? grammars[decimal].exec(text.trim()) : null;
  if (!match) throw moneyError('text', `an amount with decimal sign '${decimal}'`, text);
  const [, sign, whole = '', fraction = ''] = match;
  if (/[1-9]/.test(fraction.slice(exponent))) {
    const expected = `an amount of at most ${exponent} decimals in ${format.currency}`;
    throw moneyError('text', expected, text);
  }
  const digits = whole.replace(/\D/g, '') + fraction.slice(0, exponent).padEnd(exponent, '0');
  const amount = Number(digits);
  if (!Number.isSafeInteger(amount)) {
    throw moneyError('text', 'an amount within the safe integers', text);
  }
  return { amount: sign === '-' && amount !== 0 ? -amount : amount, currency: format.currency };
}

/**
 * Reads an amount that a wire carries as a floating point number of major units (`31.49`).
 * Rounds by at most a millionth of a minor unit, which removes the artefacts of sums (`0.1 + 0.2`); for
 * large amounts, by the number's own precision.
 *
 * @throws RailError `ERR_MONEY` for NaN, infinities and amounts between two minor units
 * @example
 * moneyFromNumber(31.49, 'EUR'); // { amount: 3149, currency: 'EUR' }
 */
export function moneyFromNumber(value: number, currency: string): Money {
  const scaled = value * 10 ** currencyExponent(currency);
  const amount = Math.round(scaled);
  if (
    !Number.isSafeInteger(amount) ||
    Math.abs(scaled - amount) > Math.max(1e-6, 2 * Number.EPSILON * Math.abs(amount))
  ) {
    throw moneyError('value', `an amount in whole minor units of ${currency}`, value);
  }
  return { amount: amount === 0 ? 0 : amount, currency };
}

/**
 * Adds two amounts of one currency.
 *
 * @throws RailError `ERR_CURRENCY_MISMATCH` for two currencies, `ERR_MONEY` above the safe integers
 * @example
 * addMoney({ amount: 3735, currency: 'EUR' }, { amount: 65, currency: 'EUR' }); // { amount: 3800, currency: 'EUR' }
 */
export function addMoney(a: Money, b: Money): Money {
  if (a.currency !== b.currency) {
    throw new RailError(
      'ERR_CURRENCY_MISMATCH',
      `Cannot add money: both currencies must be the same, got ${a.currency} and ${b.currency}`,
      { expected: a.currency, got: b.currency },
    );
  }
  const amount = a.amount + b.amount;
  if (!Number.isSafeInteger(amount)) {
    throw moneyError('sum', 'an amount within the safe integers', amount);
  }
  return { amount, currency: a.currency };
}

/**
 * Writes an amount as decimal text with its currency: `'37.35 EUR'`, `'500 JPY'`.
 *
 * @throws RailError `ERR_MONEY` for an amount that is not a safe integer, or a currency that is not a code
 * @example
 * formatMoney({ amount: 107120, currency: 'EUR' }); // '1071.20 EUR'
 */
export function formatMoney(money: Money): string {
  const exponent = currencyExponent(money.currency);
  if (!Number.isSafeInteger(money.amount)) {
    throw moneyError('amount', 'an integer of minor units', money.amount);
  }
  const digits = String(Math.abs(money.amount)).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  const fraction = exponent === 0 ? '' : `.${digits.slice(-exponent)}`;
  return `${money.amount < 0 ? '-' : ''}${whole}${fraction} ${money.currency}`;
}

function moneyError(name: string, expected: string, got: unknown): RailError {
  const message = `Cannot read money: \`${name}\` must be ${expected}, got ${showValue(got)}`;
  return new RailError('ERR_MONEY', message, { expected, got });
}
