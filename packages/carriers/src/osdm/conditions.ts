import type { Condition, OfferConditions } from '@ticketing/core';
import { plainText } from '../wire/plain-text.ts';
import { joinPlain } from '../wire/remarks.ts';
import type { WireReader, WireRecord } from '../wire/wire-reader.ts';

/** The parts that a ticket may be, the first that an offer has count: what is added to it, such as luggage, has conditions of its own. */
const TICKETS = [
  'admissionOfferParts',
  'reservationOfferParts',
  'continuousServiceOfferParts',
] as const;

/** `WITH_CONDITION` means everything between free of charge and impossible. */
const conditions: ReadonlyMap<unknown, Condition> = new Map([
  ['YES', 'yes'],
  ['NO', 'no'],
  ['WITH_CONDITION', 'fee'],
]);

/** Texts of one offer that are read. */
const MAX_TEXTS = 20;

/** Kinds of conditions of products on what may be done with a ticket. */
const afterSale: readonly unknown[] = ['REFUND', 'EXCHANGE'];

/** Returns what may be done with the ticket of an offer; `undefined` where the answer has no condition. */
export function conditionsOf(read: WireReader, offer: WireRecord): OfferConditions | undefined {
  const tickets = ticketsOf(read, offer);
  const refund = ofAll(tickets, 'refundable');
  const exchange = ofAll(tickets, 'exchangeable');
  const text = textOf(read, offer, tickets);
  if (refund === 'unknown' && exchange === 'unknown' && text === undefined) return undefined;
  return { refund, exchange, ...(text !== undefined && { text }) };
}

function ticketsOf(read: WireReader, offer: WireRecord): readonly WireRecord[] {
  for (const name of TICKETS) {
    const parts = read.records(offer[name], name);
    if (parts.length > 0) return parts;
  }
  return [];
}

function ofAll(tickets: readonly WireRecord[], field: string): Condition {
  return commonCondition(tickets.map((ticket) => conditions.get(ticket[field]) ?? 'unknown'));
}

/** Returns the condition of several tickets: of different ones a part of the price comes back. */
export function commonCondition([only, ...others]: readonly Condition[]): Condition {
  if (only === undefined || only === 'unknown' || others.includes('unknown')) return 'unknown';
  return others.every((other) => other === only) ? only : 'fee';
}

/** The words of the products that the tickets are of, each once; of all products where no ticket names one. */
function textOf(
  read: WireReader,
  { products }: WireRecord,
  tickets: readonly WireRecord[],
): string | undefined {
  const worded = read
    .records(products, 'products')
    .filter((product) => Array.isArray(product['conditions']));
  if (worded.length === 0) return undefined;
  const own = new Set(
    tickets
      .flatMap((ticket) => read.records(ticket['products'], 'products'))
      .map(({ productId }) => productId),
  );
  const texts = new Set<string>();
  for (const product of worded) {
    if (own.size > 0 && !own.has(product['id'])) continue;
    for (const { type, description } of read.records(product['conditions'], 'conditions')) {
      if (!afterSale.includes(type) || typeof description !== 'string') continue;
      texts.add(plainText(description));
      if (texts.size === MAX_TEXTS) break;
    }
  }
  return joinPlain(texts);
}
