import { type Money, moneyFromNumber, type Offer } from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import { shownText } from '../wire/shown-text.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import type { ResolvedProfile } from './hafas-profile.ts';

/** Context of a connection's fares. */
export interface FareContext {
  readonly profile: ResolvedProfile;
  readonly fetchedAt: number;
  /** Returns the price for all passengers. */
  total(perPerson: Money): Money;
}

/**
 * Reads the prices of a connection: its total, else the fares that the server sells for all of it, else its only fare. Of several
 * other fares it is not known which ones a traveller needs: they are supplements, tickets of some people, of a month, or for a
 * bicycle. One without a price, or with a negative one, is no offer: servers write -1 where they know none.
 */
export function readFares(
  { read, carrier }: CarrierDecoder,
  connection: WireRecord,
  { profile, fetchedAt, total }: FareContext,
): Offer[] {
  if (profile.prices === 'none' || !isGiven(connection['trfRes'])) return [];
  const tariff = read.record(connection['trfRes'], 'trfRes');
  const { statusCode } = tariff;
  // The search of fares may have failed although that of trains did not.
  if (isGiven(statusCode) && statusCode !== 'OK') return [];
  const whole = priceOf({ price: tariff['totalPrice'] });
  if (whole !== undefined) return [offerOf('total', whole, undefined)];
  let listed = 0;
  const fares = read.records(tariff['fareSetL'], 'fareSetL').flatMap((set, setIndex) =>
    read.records(set['fareL'], 'fareL').flatMap((fare, index) => {
      listed += 1;
      const price = priceOf(fare) ?? priceOf(onlyTicket(fare) ?? {});
      const isPrice = price !== undefined && fare['isPartPrice'] !== true;
      const name = fare['name'] ?? set['name'];
      return isPrice ? [{ id: `${setIndex}-${index}`, fare, price, name }] : [];
    }),
  );
  const sold = fares.filter(({ fare }) => fare['isBookable'] === true);
  // One that has a price among others that have none is not the only one.
  const known = sold.length > 0 || listed !== 1 ? sold : fares;
  return known.map(({ id, price, name }) => offerOf(id, price, name));

  function offerOf(id: string, price: Money, name: unknown): Offer {
    const fareName = shownText(name);
    return {
      id,
      seller: carrier,
      total: total(price),
      travelClass: 'any',
      ...(fareName !== undefined && { fareName }),
      flexibility: 'unknown',
      fetchedAt,
    };
  }

  function onlyTicket(fare: WireRecord): WireRecord | undefined {
    const tickets = read.records(fare['ticketL'], 'ticketL');
    return tickets.length === 1 ? tickets[0] : undefined;
  }

  /** `price`, or in older versions of the protocol `prc` and `cur`. */
  function priceOf({ price, prc, cur }: WireRecord): Money | undefined {
    if (!isGiven(price) && !isGiven(prc)) return undefined;
    const money = isGiven(price) ? read.record(price, 'price') : { amount: prc, currency: cur };
    const cents = read.optionalNumber(money, 'amount');
    if (cents === undefined || cents < 0) return undefined;
    return moneyFromNumber(cents / 100, (money['currency'] ?? profile.currency) as string);
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
