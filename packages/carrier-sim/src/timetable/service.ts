import { sellsPair } from './europe/list-rides.ts';
import { type CarrierSimId, carrierOf } from './sim-carriers.ts';
import type { SpanishBrand } from './spanish-brands.ts';
import { spanishCarriers } from './spanish-carriers.ts';
import type { StationPair } from './station-pair.ts';

const madridStations = ['7160000', '7117000'];

/** The direct trains of one brand between two stations. */
export interface Service extends StationPair {
  readonly brand: SpanishBrand;
  readonly trainsPerDay: number;
  readonly runningMinutes: number;
  /** True if the train runs away from the first stop of its line: Madrid, or Barcelona where the line avoids Madrid. */
  readonly outward: boolean;
}

/** Returns the direct service of a carrier of the Spanish network between two stations, if it has one. */
export function findService(carrier: CarrierSimId, pair: StationPair): Service | undefined {
  const seller = carrierOf(carrier);
  if (seller.network !== 'spain') return undefined;
  for (const { brand, trainsPerDay, stops } of seller.lines) {
    const from = stops[pair.origin];
    const to = stops[pair.destination];
    // Not a comparison with undefined: a client may ask for a station named "constructor".
    if (typeof from !== 'number' || typeof to !== 'number' || from === to) continue;
    const minutes = to - from;
    return {
      ...pair,
      brand,
      trainsPerDay,
      runningMinutes: Math.abs(minutes),
      outward: minutes > 0,
    };
  }
  return undefined;
}

/** Returns both services of a journey with a change in Madrid, if one station there connects them. */
export function findConnection(pair: StationPair): readonly [Service, Service] | undefined {
  for (const change of madridStations) {
    const first = findService('renfe', { origin: pair.origin, destination: change });
    const second = findService('renfe', { origin: change, destination: pair.destination });
    if (first && second && pair.origin !== pair.destination) return [first, second];
  }
  return undefined;
}

/** Returns whether a carrier sells journeys between two stations. */
export function servesPair(carrier: CarrierSimId, pair: StationPair): boolean {
  const sold = carrierOf(carrier);
  if (sold.network === 'europe') return sellsPair(sold.seller, pair);
  if (findService(carrier, pair)) return true;
  return carrier === 'renfe' && findConnection(pair) !== undefined;
}

/** Every pair of stations between which Avlo runs, both ways. */
export const avloPairs: readonly StationPair[] = spanishCarriers.avlo.lines.flatMap(({ stops }) =>
  Object.keys(stops).flatMap((origin) =>
    Object.keys(stops)
      .filter((destination) => destination !== origin)
      .map((destination) => ({ origin, destination })),
  ),
);
