import {
  type CarrierQuery,
  type Money,
  type MoneyFormat,
  type Offer,
  parseMoney,
  type TravelClass,
} from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import type { WireReader, WireRecord } from '../wire/wire-reader.ts';
import { type KnownTerms, termsOfFare } from './conditions.ts';

/** Train and passengers of the fares. */
interface FaresContext {
  readonly query: CarrierQuery;
  readonly fetchedAt: number;
  /** Conditions that were read before: an answer repeats the same few. */
  readonly known: KnownTerms;
}

/** Reasons with which the shop still sells a train: none, and a notice. */
const stillSold: readonly unknown[] = [undefined, null, '', '8'];

/**
 * Returns the fares of one train that this party may buy (euros per person, with a decimal comma): none when it is full or not on sale,
 * and none for places that are kept for wheelchairs or bicycles, or with a promotion.
 */
export function readFares(
  decoder: CarrierDecoder,
  entry: WireRecord,
  context: FaresContext,
): Offer[] {
  const { read } = decoder;
  if (
    read.isTrue(entry, 'completo') ||
    read.isTrue(entry, 'soloPlazaH') ||
    !stillSold.includes(entry['razonNoDisponible'])
  ) {
    return [];
  }
  const ids = new Set<string>();
  const offers: Offer[] = [];
  for (const fare of read.records(entry['tarifasDisponibles'], 'tarifasDisponibles')) {
    const price = fare['precioTarifa'] ?? undefined;
    if (price === undefined || !isForAll(read, fare)) continue;
    offers.push(offerOf(decoder, fare, uniqueId(read, fare, ids), context));
  }
  return offers;
}

/** A fare for reserved places alone, or one of a promotion, is not what this party may buy. */
function isForAll(read: WireReader, fare: WireRecord): boolean {
  if (read.isTrue(fare, 'soloPlazasH')) return false;
  const [promotion] = read.records(fare['oferta'], 'oferta');
  return promotion === undefined || (read.optionalText(promotion, 'tipo') ?? 'N') === 'N';
}

function uniqueId(read: WireReader, fare: WireRecord, ids: Set<string>): string {
  const code = read.optionalText(fare, 'codigoTarifa') ?? 'fare';
  let id = code;
  for (let count = 2; ids.has(id); count += 1) id = `${code}-${count}`;
  ids.add(id);
  return id;
}

function offerOf(
  { read, total }: CarrierDecoder,
  fare: WireRecord,
  id: string,
  { query, fetchedAt, known }: FaresContext,
): Offer {
  const price = readPrice(read.text(fare, 'precioTarifa'));
  const fareName = read.optionalText(fare, 'titulo');
  return {
    id,
    seller: 'renfe',
    total: total(price, query),
    ...(fareName !== undefined && { fareName }),
    fetchedAt,
    travelClass: classOf(read, fare),
    ...termsOfFare(fare['prestaciones'], known),
  };
}

const classByCode: ReadonlyMap<unknown, TravelClass> = new Map<unknown, TravelClass>([
  ['T', 'second'],
  ['P', 'first'],
]);

/** The class of a fare; of one whose trains have different classes, and of any other code, `any`. */
function classOf(read: WireReader, fare: WireRecord): TravelClass {
  const own = fare['cdgoClase'];
  const parts = read.records(fare['tarifaTramoCombViewBean'], 'tarifaTramoCombViewBean');
  const isOne = parts.every(({ cdgoClase }) => cdgoClase == null || cdgoClase === own);
  return (isOne && classByCode.get(own)) || 'any';
}

const format: MoneyFormat = { currency: 'EUR', decimal: ',' };

/** Reads digits, a comma and two digits by their codes, in a fifth of the time; any other text as all amounts are read. */
function readPrice(text: string): Money {
  const comma = text.length - 3;
  if (comma < 1 || comma > 6 || text[comma] !== ',') return parseMoney(text, format);
  let amount = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (at === comma) continue;
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return parseMoney(text, format);
    amount = amount * 10 + digit;
  }
  return { amount, currency: 'EUR' };
}
