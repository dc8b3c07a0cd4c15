import {
  type Journey,
  type LowestPrice,
  lowestPrices,
  type Money,
  type Offer,
} from '@ticketing/core';
import { priceText } from './display-texts.ts';

/** The least price of a journey as people read it. */
export interface LeastPrice {
  /** In the currency of the search, with `≈` where it is converted. */
  readonly text: string;
  /** Price to pay, in the currencies of the sellers; empty where `text` is that price. */
  readonly paid: string;
  /** Prices in other currencies, which nothing compares with it. */
  readonly others: readonly string[];
}

/** Returns the least price of a journey; `undefined` without one. */
export function leastPrice(journey: Journey, lang?: string): LeastPrice | undefined {
  const [first, ...others] = lowestPrices(journey).map((price) => textsOf(price, lang));
  return first && { ...first, others: others.map(({ text }) => text) };
}

function textsOf({ total, offers }: LowestPrice, lang?: string): Omit<LeastPrice, 'others'> {
  const sums = new Map<string, number>();
  for (const { total: own } of offers) {
    sums.set(own.currency, (sums.get(own.currency) ?? 0) + own.amount);
  }
  const isConverted = sums.size > 1 || !sums.has(total.currency);
  const paid = [...sums].map(([currency, amount]) => priceText({ amount, currency }, lang));
  return {
    text: isConverted ? aboutText(total, lang) : priceText(total, lang),
    paid: isConverted ? paid.join(' + ') : '',
  };
}

/** Returns a converted price beside the seller's own, where both are not in one currency. */
export function convertedText({ total, converted }: Offer, lang?: string): string | undefined {
  if (converted === undefined || converted.currency === total.currency) return undefined;
  return aboutText(converted, lang);
}

function aboutText(money: Money, lang?: string): string {
  return `≈ ${priceText(money, lang)}`;
}
