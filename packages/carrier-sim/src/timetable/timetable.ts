import {
  type Rule,
  required,
  resolveByRules,
  showValue,
  wholeBetween,
  wrongOption,
} from '@ticketing/kit';
import { createBoundedMap } from '../bounded-map.ts';
import { listRides as listEuropeanRides } from './europe/list-rides.ts';
import type { Operator } from './fare.ts';
import { listConnections, listRuns } from './list-runs.ts';
import { isCalendarDate } from './local-clock.ts';
import { createRandom } from './random.ts';
import { findConnection, findService } from './service.ts';
import {
  type CarrierSimId,
  carrierOf,
  carrierSimIds,
  isCarrier,
  wrongCarrier,
} from './sim-carriers.ts';
import type { StationPair } from './station-pair.ts';
import type { Ride, Train, TrainFare, TrainRun } from './train.ts';

/** Query for the trains to list. */
export interface TrainsQuery extends StationPair {
  /** The carrier that lists them. Default: all, each train once, with the fares of all. */
  readonly carrier?: CarrierSimId | undefined;
  /** The day of departure at the origin, `2026-12-01`. */
  readonly date: string;
}

/** Trains, and a few for each listing, that a timetable keeps: some 20 MB. */
const MAX_KEPT = 50_000;

/** A timetable that depends on its seed alone. */
export interface Timetable {
  /**
   * Returns the trains between two stations on one day, by departure; none when no carrier serves the pair.
   *
   * `journeys` (0-1000) sets how many trains each carrier lists. Default: all of its timetable.
   *
   * @throws RangeError when the date is not a calendar day, the carrier is unknown or `journeys` is out of range.
   */
  trains(query: TrainsQuery & { readonly journeys?: number | null | undefined }): readonly Train[];
}

/**
 * Creates the timetable of a seed: the same seed, pair and day always give the same trains.
 *
 * @throws TypeError when the seed is neither a string nor a finite number.
 * @example
 * const timetable = createTimetable({ seed: 1 });
 * timetable.trains({ origin: '7160000', destination: '7171801', date: '2026-12-01' });
 */
export function createTimetable(options: { readonly seed: number | string }): Timetable {
  const rules = { seed: required(aSeed) };
  const seed = String(resolveByRules<typeof options>('create timetable', options, rules).seed);
  const listings = createBoundedMap<readonly Train[]>(MAX_KEPT, (trains) => trains.length + 5);

  /** Returns one list for equal queries, while it is kept: trains are drawn once for a pair, day and seller. */
  function listingOf(query: Omit<ListingQuery, 'seed'>): readonly Train[] {
    const { origin, destination, date, carrier, journeys } = query;
    const key = `${origin} ${destination} ${date} ${carrier} ${journeys}`;
    const known = listings.get(key);
    if (known !== undefined) return known;
    const listing = mergeTrains([listTrains({ ...query, seed })]);
    listings.add(key, listing);
    return listing;
  }

  return {
    trains({ carrier, journeys = null, ...query }) {
      const action = 'list trains';
      if (!isCalendarDate(query.date)) {
        const got = showValue(query.date);
        throw new RangeError(
          `Cannot ${action}: \`date\` must be a day such as 2026-12-01, got ${got}`,
        );
      }
      if (journeys !== null && !aCount.test(journeys)) {
        throw wrongOption(action, 'journeys', aCount, journeys);
      }
      if (carrier && !isCarrier(carrier)) throw wrongCarrier(action, carrier);
      if (carrier) return listingOf({ ...query, carrier, journeys });
      return mergeTrains(
        carrierSimIds.map((seller) => listingOf({ ...query, carrier: seller, journeys })),
      );
    },
  };
}

export const aSeed: Rule = {
  expected: 'a string or a finite number',
  test: (seed) => typeof seed === 'string' || Number.isFinite(seed),
};

/** Rule of the number of journeys that a carrier lists. */
export const aCount: Rule = wholeBetween(0, 1000);

/** Returns the trains of several listings, each once with every seller and fare, by departure. */
export function mergeTrains(listings: readonly (readonly Train[])[]): readonly Train[] {
  const merged = new Map<string, Train>();
  for (const train of listings.flat()) {
    const key = `${train.operator}/${train.number}/${train.connection?.[1].number}`;
    const known = merged.get(key);
    const sellers = [...(known?.sellers ?? []), ...train.sellers];
    merged.set(key, { ...train, sellers, fares: [...(known?.fares ?? []), ...train.fares] });
  }
  return [...merged.values()].sort((a, b) => a.departureMs - b.departureMs);
}

interface ListingQuery extends StationPair {
  readonly seed: string;
  readonly carrier: CarrierSimId;
  readonly date: string;
  readonly journeys: number | null;
}

function listTrains(query: ListingQuery): readonly Train[] {
  const { seed, carrier, journeys } = query;
  const rides = listRides(query).slice(0, journeys ?? undefined);
  return rides.map((runs): Train => {
    const [first, second] = runs;
    const last = second ?? first;
    const { sections, ...run } = first;
    return {
      ...run,
      destination: last.destination,
      arrivalMs: last.arrivalMs,
      seatsLeft: Math.min(first.seatsLeft, last.seatsLeft),
      operator: operatorOf(carrier, first),
      sellers: [carrier],
      fares: listFares(seed, carrier, runs),
      ...(second ? { connection: [first, second] } : sections && { sections }),
    };
  });
}

function operatorOf(seller: CarrierSimId, run: TrainRun): Operator {
  return run.operator ?? carrierOf(seller).operator;
}

/** Returns what a seller asks for a ride, cheapest first; nothing when a train is sold out. */
function listFares(seed: string, seller: CarrierSimId, runs: Ride): readonly TrainFare[] {
  const seatsLeft = Math.min(...runs.map((run) => run.seatsLeft));
  if (seatsLeft === 0) return [];
  const keys = runs.map((run) => `${run.origin}/${run.destination}/${run.date}/${run.number}`);
  const random = createRandom(`${seed}/${seller}/${keys.join('/')}`);
  const minutes = runs.reduce((sum, run) => sum + (run.arrivalMs - run.departureMs) / 60_000, 0);
  const brands = runs.map(({ brand }) => brand);
  const ride = { minutes, seatsLeft, brands, operator: operatorOf(seller, runs[0]) };
  return (carrierOf(seller).fares?.(ride, random) ?? []).map((fare) => ({ seller, ...fare }));
}

/** Returns rides by departure, `journeys` or more. */
function listRides({ seed, carrier, date, journeys, ...pair }: ListingQuery): readonly Ride[] {
  const sold = carrierOf(carrier);
  if (sold.network === 'europe') {
    return listEuropeanRides({ seed, date, ...pair, seller: sold.seller, atLeast: journeys ?? 0 });
  }
  const service = findService(carrier, pair);
  if (service) {
    const lowCost = carrier === 'renfe' ? findService('avlo', pair) : undefined;
    const shared = lowCost ? listRuns({ seed, date, service: lowCost }) : [];
    const own = listRuns({ seed, date, service, atLeast: (journeys ?? 0) - shared.length });
    return [...own, ...shared]
      .sort((a, b) => a.departureMs - b.departureMs)
      .map((run): Ride => [run]);
  }
  const connection = carrier === 'renfe' ? findConnection(pair) : undefined;
  return connection ? listConnections({ seed, date, connection, atLeast: journeys ?? 0 }) : [];
}
