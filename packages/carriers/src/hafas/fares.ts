import { type Money, moneyFromNumber, type Offer } from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import type { ResolvedProfile } from './hafas-profile.ts';

/** What is known of a connection's fares beside them. */
export interface FareContext {
  readonly profile: ResolvedProfile;
  readonly fetchedAt: number;
  /** Returns the price for all passengers. */
  total(perPerson: Money): Money;
}

/**
 * Reads the fares of a connection that are prices of all of it. One without a price, or with a negative one, is no offer: servers
 * write -1 where they know none.
 */
export function readFares(
  { read, carrier }: CarrierDecoder,
  connection: WireRecord,
  { profile, fetchedAt, total }: FareContext,
): Offer[] {
  const tariff = connection['trfRes'];
  if (profile.prices === 'none' || tariff === undefined || tariff === null) return [];
  const listOf = (record: WireRecord, name: string): readonly WireRecord[] =>
    record[name] === undefined
      ? []
      : read.list(record[name], name).map((one) => read.record(one, name));
  return listOf(read.record(tariff, 'trfRes'), 'fareSetL').flatMap((set, setIndex) =>
    listOf(set, 'fareL').flatMap((fare, index): Offer[] => {
      const price = priceOf(fare);
      if (price === undefined || fare['isPartPrice'] === true) return [];
      const cents = read.number(price, 'amount');
      if (cents < 0) return [];
      const currency = price['currency'] ?? profile.currency;
      const name = fare['name'] ?? set['name'];
      return [
        {
          id: `${setIndex}-${index}`,
          seller: carrier,
          total: total(moneyFromNumber(cents / 100, currency as string)),
          travelClass: 'any',
          ...(typeof name === 'string' && name !== '' && { fareName: name }),
          flexibility: 'unknown',
          fetchedAt,
        },
      ];
    }),
  );

  /** `price`, or in older versions of the protocol `prc` and `cur`. */
  function priceOf({ price, prc, cur }: WireRecord): WireRecord | undefined {
    if (price !== undefined && price !== null) return read.record(price, 'price');
    return prc === undefined ? undefined : { amount: prc, currency: cur };
  }
}
