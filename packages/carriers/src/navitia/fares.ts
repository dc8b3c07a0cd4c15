import { type CarrierQuery, type Money, type Offer, parseMoney } from '@ticketing/core';
import { withoutEnd } from '../wire/endpoint.ts';
import type { JourneyDecoder } from '../wire/read-journeys.ts';
import { joinPlain } from '../wire/remarks.ts';
import { shownText } from '../wire/shown-text.ts';
import type { WireRecord } from '../wire/wire-reader.ts';

/** Data that prices need. */
export interface FareContext {
  readonly query: CarrierQuery;
  /** Currency of prices in `centime`. */
  readonly currency: string;
  /** Names of tickets by their ids. */
  readonly tickets: ReadonlyMap<unknown, unknown>;
  /** Epoch ms. */
  readonly fetchedAt: number;
}

const DECIMAL = /^\d{1,12}(?:\.(\d{1,12}))?$/;

/** Reads the names of the tickets of an answer. */
export function readTickets(list: readonly unknown[]): FareContext['tickets'] {
  return new Map(
    list.map((one) => {
      const { id, name } = Object(one) as WireRecord;
      return [id, name];
    }),
  );
}

/**
 * Returns the offer of a journey: its fare, which is one traveller's, for all of them. None where no fare was found, and for a currency
 * that is no code.
 *
 * @throws CarrierError `PROTOCOL` for a fare whose amount cannot be read
 */
export function offerOf(
  decoder: JourneyDecoder,
  fare: unknown,
  { query, currency, tickets, fetchedAt }: FareContext,
): Offer | undefined {
  const { read, carrier } = decoder;
  const { found, total, links } = Object(fare) as WireRecord;
  if (found !== true) return undefined;
  const cost = read.record(total, 'total');
  const price = priceOf(decoder, cost, currency);
  if (price === undefined) return undefined;
  const names = read
    .items(links, 'links')
    .map((link) => shownText(tickets.get((Object(link) as WireRecord)['id'])));
  const fareName = joinPlain(names);
  return {
    id: 'fare',
    seller: carrier,
    total: decoder.total(price, query),
    travelClass: 'any',
    flexibility: 'unknown',
    ...(fareName !== undefined && { fareName }),
    fetchedAt,
  };
}

/** An amount is in `centime`, the hundredth of the region's currency, else in units of a currency. */
function priceOf({ read }: JourneyDecoder, cost: WireRecord, own: string): Money | undefined {
  const { value, currency } = cost;
  const text = typeof value === 'number' ? String(value) : value;
  const [amount, decimals = ''] = (typeof text === 'string' && DECIMAL.exec(text)) || [];
  if (amount === undefined) throw read.error('an amount at `value`', value);
  const isMinor = currency === 'centime';
  const code = isMinor ? own : codeOf(currency);
  if (code === undefined) return undefined;
  // Servers write binary fractions: zeros behind the amount are none of it.
  const plain = decimals === '' ? amount : withoutEnd(withoutEnd(amount, '0'), '.');
  const inUnits = isMinor ? hundredth(plain) : plain;
  return parseMoney(inUnits, { currency: code, decimal: '.' });
}

function codeOf(currency: unknown): string | undefined {
  if (typeof currency !== 'string') return undefined;
  if (/^euros?$/i.test(currency)) return 'EUR';
  return /^[A-Z]{3}$/.test(currency) ? currency : undefined;
}

/** Moves the point of a decimal text by two places. */
function hundredth(text: string): string {
  const [whole = '', part = ''] = text.split('.');
  const digits = whole.padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}${part}`;
}
