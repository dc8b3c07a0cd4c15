import { currencyExponent, type Money } from '../model/money.ts';
import type { RateSource } from './rate-source.ts';

/** Returns the amount in one currency, `undefined` where there is no rate for its own. */
export type ConvertMoney = (money: Money) => Money | undefined;

/** A positive number, exactly: `numerator / denominator`. */
interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/**
 * Returns a function that converts amounts to a currency, `undefined` where there is no rate for it. The arithmetic is that of integers
 * without a limit: from minor unit to minor unit in one step, rounded once, half to even.
 */
export function exactConverter(rates: RateSource, currency: string): ConvertMoney | undefined {
  const to = rateOf(rates, currency);
  if (to === undefined) return undefined;
  const factors = new Map<string, Fraction | undefined>();
  return (money) => {
    if (money.currency === currency) return money;
    let factor = factors.get(money.currency);
    if (factor === undefined && !factors.has(money.currency)) {
      const from = rateOf(rates, money.currency);
      factor = from && minorFactor(from, money.currency, to, currency);
      factors.set(money.currency, factor);
    }
    if (factor === undefined || !Number.isSafeInteger(money.amount)) return undefined;
    const exact = BigInt(money.amount) * factor.numerator;
    const amount = Number(roundHalfEven(exact, factor.denominator));
    return Number.isSafeInteger(amount) ? { amount, currency } : undefined;
  };
}

/** Returns how many units of a currency one unit of the base is. */
function rateOf({ base, perBase }: RateSource, currency: string): Fraction | undefined {
  if (currency === base) return { numerator: 1n, denominator: 1n };
  const text = Object.hasOwn(perBase, currency) ? perBase[currency] : undefined;
  if (text === undefined) return undefined;
  const [whole = '', decimals = ''] = text.split('.');
  return { numerator: BigInt(whole + decimals), denominator: 10n ** BigInt(decimals.length) };
}

/** Returns how many minor units of one currency a minor unit of another is. */
function minorFactor(from: Fraction, of: string, to: Fraction, into: string): Fraction {
  const [fewer, more] = [of, into].map((code) => 10n ** BigInt(currencyExponent(code)));
  const numerator = to.numerator * from.denominator * (more as bigint);
  const denominator = to.denominator * from.numerator * (fewer as bigint);
  const shared = greatestDivisor(numerator, denominator);
  return { numerator: numerator / shared, denominator: denominator / shared };
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  let [greater, less] = [a, b];
  while (less !== 0n) [greater, less] = [less, greater % less];
  return greater;
}

/** Rounds a fraction to the nearest integer; of two as near, to the even one, so that many conversions do not drift. */
function roundHalfEven(numerator: bigint, denominator: bigint): bigint {
  const whole = numerator / denominator;
  const rest = numerator % denominator;
  const twice = (rest < 0n ? -rest : rest) * 2n;
  if (twice < denominator || (twice === denominator && whole % 2n === 0n)) return whole;
  return numerator < 0n ? whole - 1n : whole + 1n;
}
