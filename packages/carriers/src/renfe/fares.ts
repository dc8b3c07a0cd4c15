import { type Offer, parseMoney, type ResolvedQuery } from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import type { WireRecord } from '../wire/wire-reader.ts';

type Conditions = Pick<Offer, 'travelClass' | 'flexibility'>;

// By the first two letters of codigoTarifa: the fare families of the wire.
const conditionsByFamily: ReadonlyMap<string, Conditions> = new Map<string, Conditions>([
  ['BA', { travelClass: 'second', flexibility: 'none' }],
  ['EL', { travelClass: 'second', flexibility: 'semi' }],
  ['EC', { travelClass: 'first', flexibility: 'semi' }],
  ['PR', { travelClass: 'first', flexibility: 'full' }],
]);
const unknownFamily: Conditions = { travelClass: 'any', flexibility: 'unknown' };

/** Reads the fares of one train: comma text, euros, per person. None when it is `completo`. */
export function readFares(
  { read, total }: CarrierDecoder,
  entry: WireRecord,
  query: ResolvedQuery,
  fetchedAt: number,
): Offer[] {
  if (read.boolean(entry, 'completo')) return [];
  return read.list(entry['tarifasDisponibles'], 'tarifasDisponibles').map((value) => {
    const fare = read.record(value, 'tarifasDisponibles');
    const code = read.text(fare, 'codigoTarifa');
    const price = parseMoney(read.text(fare, 'precioTarifa'), { currency: 'EUR', decimal: ',' });
    return {
      id: code,
      seller: 'renfe',
      total: total(price, query),
      fareName: read.text(fare, 'titulo'),
      fetchedAt,
      ...(conditionsByFamily.get(code.slice(0, 2)) ?? unknownFamily),
    };
  });
}
