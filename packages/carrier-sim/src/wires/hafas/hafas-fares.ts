import type { CarrierSimId } from '../../timetable/sim-carriers.ts';
import type { Train } from '../../timetable/train.ts';

/** Options for writing fares. */
export interface FaresEncoding {
  /** Carrier whose fares are written. Default `hafas`. */
  readonly seller?: CarrierSimId | undefined;
  /** A fault of the wire, which changes the first connection. */
  readonly fault?: string | undefined;
}

/**
 * Returns what a connection costs: one set for each fare that is sold for all of it, with a supplement beside it that is no price of the
 * journey. Some fares have their name, some have that of their set. Nothing when no fare is known.
 */
export function encodeFares(
  { fares }: Train,
  { seller: whose = 'hafas', fault }: FaresEncoding,
): object | undefined {
  const own = fares.filter(({ seller }) => seller === whose);
  if (own.length === 0) return undefined;
  if (fault === 'tickets') return encodeTickets(Math.min(...own.map(({ cents }) => cents)));
  const fareSetL = own.map(({ name, cents }, index) => {
    const isOfSet = index > 0;
    const isNamed = fault !== 'nameless-fares';
    return {
      ...(isNamed && isOfSet && { name }),
      fareL: [
        {
          ...(isNamed && !isOfSet && { name }),
          price: { amount: fault === 'negative-price' ? -1 : cents },
          isFromPrice: true,
          isPartPrice: false,
          isBookable: true,
          isUpsell: false,
          buttonText: 'Zur Angebotsauswahl',
        },
        // One is sold beside the ticket, the other only named.
        isOfSet
          ? { name: 'Komfortzuschlag', price: { amount: 490 }, isBookable: false }
          : { name: 'Sitzplatz', price: { amount: 490 }, isPartPrice: true, isBookable: true },
      ],
    };
  });
  return { statusCode: 'OK', fareSetL };
}

/** Fares in the form of transport associations: tickets of all kinds with their prices, and the total for one adult. */
function encodeTickets(cents: number): object {
  const price = (amount: number): object => ({ price: { amount, currency: 'EUR' } });
  return {
    statusCode: 'OK',
    totalPrice: { amount: cents, currency: 'EUR', prefix: 'ab' },
    fareSetL: [
      {
        desc: 'Zone 1 bis 3',
        fareL: [
          { name: 'Komfortzuschlag', ...price(Math.round(cents / 4)) },
          { name: 'Einzelfahrschein', ...price(cents) },
          {
            name: 'Einzelfahrschein Kind',
            desc: '6 bis 14 Jahre',
            ...price(Math.round(cents / 2)),
          },
          { name: 'Monatskarte', ...price(cents * 20) },
        ],
      },
    ],
  };
}
