import { describeValue } from '../describe-value.ts';
import { createExpectation } from '../expectation.ts';
import { resolveSeed } from '../server/resolve-seed.ts';
import { type CarrierSimId, carrierSimIds } from './lines.ts';
import { listConnections } from './list-connections.ts';
import { listFares } from './list-fares.ts';
import { listRuns } from './list-runs.ts';
import { isCalendarDate } from './local-clock.ts';
import { findConnection, findService, type StationPair } from './service.ts';
import type { Train, TrainRun } from './train.ts';

/** Which trains to list. */
export interface TrainsQuery extends StationPair {
  /** Whose listing. Default: every carrier's, each train once, with the fares of all. */
  readonly carrier?: CarrierSimId;
  /** The day of departure at the origin, `2026-12-01`. */
  readonly date: string;
}

/** A timetable that its seed decides completely. */
export interface Timetable {
  /**
   * Lists the trains between two stations on one day, by departure; none when no carrier serves the pair.
   *
   * `journeys` (0-1000) sets how many trains each carrier lists. Default: as many as its timetable has.
   *
   * @throws RangeError when the date is not a calendar day, the carrier is unknown or `journeys` is out of range.
   */
  trains(query: TrainsQuery & { readonly journeys?: number | null }): readonly Train[];
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
  const seed = resolveSeed(options.seed, createExpectation('create timetable'));
  return {
    trains({ carrier, journeys = null, ...query }) {
      if (!isCalendarDate(query.date)) {
        throw new RangeError(
          `Cannot list trains: expected a date like 2026-12-01, got ${describeValue(query.date)}`,
        );
      }
      const expect = createExpectation('list trains');
      if (journeys !== null) {
        expect.number(journeys, { name: 'journeys', min: 0, max: 1000, whole: true });
      }
      if (carrier) expect.oneOf(carrier, { name: 'carrier', known: carrierSimIds });
      const sellers = carrier ? [carrier] : carrierSimIds;
      return mergeTrains(
        sellers.map((seller) => listTrains({ ...query, seed, carrier: seller, journeys })),
      );
    },
  };
}

/** Joins the listings of several sellers: each train once, with every seller and fare, by departure. */
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
    return {
      ...first,
      destination: last.destination,
      arrivalMs: last.arrivalMs,
      seatsLeft: Math.min(first.seatsLeft, last.seatsLeft),
      operator: carrier === 'ouigo' ? 'ouigo' : 'renfe',
      sellers: [carrier],
      fares: listFares({ seed, seller: carrier, runs }),
      ...(second && { connection: [first, second] }),
    };
  });
}

type Ride = readonly [TrainRun] | readonly [TrainRun, TrainRun];

/** Rides by departure: at least the number wanted. */
function listRides({ seed, carrier, date, journeys, ...pair }: ListingQuery): readonly Ride[] {
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
