import type { Condition, Offer } from '@ticketing/core';
import { plainText } from '../wire/plain-text.ts';
import { shownText } from '../wire/shown-text.ts';

/** Texts that were read before, and their meanings. */
export type KnownTerms = Map<string, Terms>;

/** Refund and exchange in one text of a fare. */
interface Terms {
  readonly flexibility: Offer['flexibility'];
  readonly refund: Condition;
  readonly exchange: Condition;
  /** Condition as people read it, if it is about refunds or changes. */
  readonly text?: string;
}

const MAX_KNOWN = 200;
const MAX_TEXTS = 20;
const MAX_LENGTH = 500;

/** The first that fits decides: what is refunded, or exchanged, in whole, in part, not at all. */
const flexibilities: readonly (readonly [pattern: RegExp, flexibility: Offer['flexibility']])[] = [
  [/\bno reembolsable\b/i, 'none'],
  [/\b100 ?% reembolsable\b|\breembolsable 100 ?%|\bcambios gratuitos ilimitados\b/i, 'full'],
  [/\breembolsable\b|\banulaciones\b/i, 'semi'],
  [/^(?:permite )?(?:un|\d{1,2}) cambios?\b/i, 'semi'],
];
/** Joins the conditions of several texts: the most generous one counts. */
const rankOf = { unknown: 0, none: 1, semi: 2, full: 3 };

const COST = /\bcon coste\b|\d ?(?:€|euros?\b)/i;
const REFUND = /\breembolsable\b|\banulaciones\b/i;
/** A change of the train; not of the traveller's name, and not after a train was missed. */
const EXCHANGE = /\bcambios?\b(?! de titular| por )/i;
const OF_TICKETS = /\bcambios?\b|\breembolsable\b|\banulaciones\b/i;

/** Reads the conditions of a fare as the shop shows them; a condition that is not there is unknown, and without any text there are none. */
export function termsOfFare(
  texts: unknown,
  known: KnownTerms,
): Pick<Offer, 'flexibility' | 'conditions'> {
  const list: readonly unknown[] = Array.isArray(texts) ? texts : [texts];
  let flexibility: Offer['flexibility'] = 'unknown';
  let [refund, exchange]: Said[] = [];
  let words = '';
  for (let at = 0; at < list.length && at < MAX_TEXTS; at += 1) {
    const text = list[at];
    if (typeof text !== 'string') continue;
    const terms = termsOf(text, known);
    if (rankOf[terms.flexibility] > rankOf[flexibility]) flexibility = terms.flexibility;
    refund = added(refund, terms.refund);
    exchange = added(exchange, terms.exchange);
    if (terms.text !== undefined) words += words === '' ? terms.text : `; ${terms.text}`;
  }
  const text = shownText(words);
  if (text === undefined) return { flexibility };
  const conditions = { refund: conditionOf(refund), exchange: conditionOf(exchange), text };
  return { flexibility, conditions };
}

/** Conditions read so far; `both` if two texts contradict each other. */
type Said = Condition | 'both' | undefined;

function added(said: Said, one: Condition): Said {
  if (one === 'unknown' || said === one) return said;
  return said === undefined ? one : 'both';
}

function conditionOf(said: Said): Condition {
  return said === undefined || said === 'both' ? 'unknown' : said;
}

function termsOf(text: string, known: KnownTerms): Terms {
  const found = known.get(text);
  if (found !== undefined) return found;
  const plain = plainText(text.slice(0, MAX_LENGTH));
  const terms: Terms = {
    flexibility: flexibilities.find(([pattern]) => pattern.test(plain))?.[1] ?? 'unknown',
    refund: refundOf(plain),
    exchange: exchangeOf(plain),
    ...(OF_TICKETS.test(plain) && { text: plain }),
  };
  if (known.size < MAX_KNOWN) known.set(text, terms);
  return terms;
}

/** `100% reembolsable`, `Reembolsable 70%`, `Cambios y anulaciones (9 €)`, `No reembolsable` */
function refundOf(text: string): Condition {
  if (/\bno reembolsable\b/i.test(text)) return 'no';
  if (/\b100 ?% reembolsable\b|\breembolsable 100 ?%/i.test(text)) return 'yes';
  if (/\breembolsable \d{1,2} ?%|\b\d{1,2} ?% reembolsable\b/i.test(text)) return 'fee';
  return REFUND.test(text) && COST.test(text) ? 'fee' : 'unknown';
}

/** Reads the first part of a text that is of changes: `Un cambio gratuito, siguientes 10 €` is free of charge, the first time. */
function exchangeOf(text: string): Condition {
  const part = text.split(',').find((one) => EXCHANGE.test(one));
  if (part === undefined) return 'unknown';
  if (/\b(?:no permite|no admite|sin) cambios?\b/i.test(part)) return 'no';
  if (/\bgratuitos?\b/i.test(part)) return 'yes';
  return COST.test(part) ? 'fee' : 'unknown';
}
