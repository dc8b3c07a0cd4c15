import type { Fare, PricedRide } from '../fare.ts';
import type { Random } from '../random.ts';
import type { EuropeanOperator, EuropeanSeller } from './lines.ts';

/** A carrier of the network beyond the Spanish one. */
export interface EuropeanCarrier {
  readonly network: 'europe';
  /** Carrier whose trains this one sells: a carrier may sell all trains of another one. */
  readonly seller: EuropeanSeller;
  /** Company that owns the system. */
  readonly operator: EuropeanOperator;
  /** Returns the fares for a ride, cheapest first; absent: the carrier knows times alone. */
  readonly fares?: (ride: PricedRide, random: Random) => readonly Fare[];
}

/** Every {@link EuropeanCarrier}. */
export const europeanCarriers: Readonly<Record<EuropeanSeller, EuropeanCarrier>> = {
  osdm: { network: 'europe', seller: 'osdm', operator: 'sbb', fares: osdmFares },
  hafas: { network: 'europe', seller: 'hafas', operator: 'db', fares: hafasFares },
  ojp: { network: 'europe', seller: 'ojp', operator: 'sbb' },
  navitia: { network: 'europe', seller: 'navitia', operator: 'sncf', fares: navitiaFares },
};

/** Names of companies that run trains, and their codes (RICS); the codes of Eurostar and Trenitalia are the simulator's own. */
export const europeanOperators: Readonly<
  Record<EuropeanOperator, { readonly name: string; readonly rics: string }>
> = {
  sncf: { name: 'SNCF Voyageurs', rics: '1187' },
  trenitalia: { name: 'Trenitalia', rics: '9983' },
  eurostar: { name: 'Eurostar', rics: '9970' },
  sbb: { name: 'SBB CFF FFS', rics: '1185' },
  oebb: { name: 'ÖBB', rics: '1181' },
  db: { name: 'DB Fernverkehr', rics: '1080' },
};

/** Returns prices in Swiss francs where the first train is one of SBB, else in euros. */
function osdmFares({ minutes, operator }: PricedRide, random: Random): readonly Fare[] {
  const saver = 10 * Math.round(minutes * (1.2 + random.next() * 2));
  const currency = operator === 'sbb' ? ({ currency: 'CHF' } as const) : {};
  const fares: readonly Fare[] = [
    { code: 'SAVER', name: 'Saver', cents: saver, travelClass: 'second', flexibility: 'none' },
    {
      code: 'FLEX',
      name: 'Flex',
      cents: Math.round(saver * 1.6),
      travelClass: 'second',
      flexibility: 'full',
    },
    {
      code: 'FIRST',
      name: 'First',
      cents: Math.round(saver * 2.1),
      travelClass: 'first',
      flexibility: 'semi',
    },
  ];
  return fares.slice(0, random.pick([1, 2, 3, 3])).map((fare) => ({ ...fare, ...currency }));
}

/** Returns prices in euros; none for journeys that begin with a train of SBB, and for one of six others. */
function hafasFares({ minutes, operator }: PricedRide, random: Random): readonly Fare[] {
  const saver = 90 + 100 * Math.round(minutes * (0.1 + random.next() * 0.25));
  const isKnown = random.below(6) > 0 && operator !== 'sbb';
  const fares: readonly Fare[] = [
    { code: 'SPAR', name: 'Sparpreis', cents: saver, travelClass: 'second', flexibility: 'none' },
    {
      code: 'FLEX',
      name: 'Flexpreis',
      cents: saver * 2,
      travelClass: 'second',
      flexibility: 'full',
    },
  ];
  return isKnown ? fares.slice(0, random.pick([1, 2])) : [];
}

/** Returns one price in euros, of one journey in three: most regions have no fares. */
function navitiaFares({ minutes }: PricedRide, random: Random): readonly Fare[] {
  const cents = 50 * Math.round(minutes * (0.4 + random.next() * 0.4));
  return random.below(3) === 0 ? [{ code: 'NORMAL', name: 'Normal', cents }] : [];
}
