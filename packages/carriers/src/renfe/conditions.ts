import type { Condition, Offer } from '@ticketing/core';
import { plainText } from '../wire/plain-text.ts';
import { shownText } from '../wire/shown-text.ts';

/** Texts that were read before, and what they say. */
export type KnownTerms = Map<string, Terms>;

/** What a text of a fare says of what may be done with the ticket. */
interface Terms {
  readonly says: Says;
  readonly refund: Condition;
  readonly exchange: Condition;
  /** As people read it, if it is of refunds or changes. */
  readonly text?: string;
}

type Says = 'refund' | 'some' | 'no-refund' | 'nothing';

const MAX_KNOWN = 200;
const MAX_TEXTS = 20;

/** The first that fits decides: what is refunded, or exchanged, in whole, in part, not at all. */
const flexibilities: readonly (readonly [pattern: RegExp, says: Says])[] = [
  [/\bno reembolsable\b/i, 'no-refund'],
  [/\b100 ?% reembolsable\b|\breembolsable 100 ?%|\bcambios gratuitos ilimitados\b/i, 'refund'],
  [/\breembolsable\b|\banulaciones\b/i, 'some'],
  [/^(?:permite )?(?:un|\d{1,2}) cambios?\b/i, 'some'],
];

const COST = /\bcon coste\b|\d ?(?:€|euros?\b)/i;
const REFUND = /\breembolsable\b|\banulaciones\b/i;
/** A change of the train; not of the traveller's name, and not after a train was missed. */
const EXCHANGE = /\bcambios?\b(?! de titular| por )/i;
const OF_TICKETS = /\bcambios?\b|\breembolsable\b|\banulaciones\b/i;

/** Reads the conditions of a fare as the shop shows them; what they do not say is unknown, and without any there are none. */
export function termsOfFare(
  texts: unknown,
  known: KnownTerms,
): Pick<Offer, 'flexibility' | 'conditions'> {
  const all: Terms[] = [];
  for (const text of Array.isArray(texts) ? texts.slice(0, MAX_TEXTS) : [texts]) {
    if (typeof text === 'string') all.push(termsOf(text.slice(0, 500), known));
  }
  const said = new Set(all.map(({ says }) => says));
  const flexibility = said.has('refund')
    ? 'full'
    : said.has('some')
      ? 'semi'
      : said.has('no-refund')
        ? 'none'
        : 'unknown';
  const text = shownText(all.flatMap((one) => one.text ?? []).join('; '));
  if (text === undefined) return { flexibility };
  const [refund, exchange] = [soleOf(all, 'refund'), soleOf(all, 'exchange')];
  return { flexibility, conditions: { refund, exchange, text } };
}

/** Texts that contradict each other say nothing. */
function soleOf(all: readonly Terms[], field: 'refund' | 'exchange'): Condition {
  const said = new Set(all.map((one) => one[field]).filter((one) => one !== 'unknown'));
  const [only = 'unknown'] = said;
  return said.size > 1 ? 'unknown' : only;
}

function termsOf(text: string, known: KnownTerms): Terms {
  const found = known.get(text);
  if (found !== undefined) return found;
  const plain = plainText(text);
  const terms: Terms = {
    says: flexibilities.find(([pattern]) => pattern.test(plain))?.[1] ?? 'nothing',
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
