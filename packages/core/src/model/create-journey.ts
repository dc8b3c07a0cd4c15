import { RailError, type RailErrorData } from '../errors.ts';
import {
  type CarrierId,
  type Journey,
  journeyKey,
  type Leg,
  type Offer,
  ridesOf,
  sortOffers,
} from './journey.ts';
import { wrongInParts } from './journey-shape.ts';
import { doorToDoorMinutes, isCaught, withRisks } from './leg-times.ts';
import type { Remark } from './remark.ts';
import { explain } from './shape.ts';
import { stableHash } from './stable-hash.ts';

/** Parts of a journey that an adapter knows; `createJourney` derives the rest. */
export interface JourneyParts {
  readonly source: CarrierId;
  readonly legs: readonly Leg[];
  readonly offers: readonly Offer[];
  /** `false`: the source knows no prices. Without it, a journey without offers is sold out. */
  readonly priced?: false | undefined;
  readonly remarks?: readonly Remark[] | undefined;
}

/**
 * Returns a journey of these legs and offers: derives id, times, duration and transfers, sorts the offers, and marks the transfers
 * that are tight or missed as things are expected.
 *
 * @throws RailError `ERR_JOURNEY` without a ride, for a leg or an offer that lacks a field (`data.parameter` names it), or
 *   when a train arrives before it departs, or departs before the one before it arrives both as planned and as expected
 * @example
 * const clock = createLocalClock();
 * const journey = createJourney({
 *   source: 'renfe',
 *   legs: [
 *     { kind: 'ride', origin: 'uic:7160000', destination: 'uic:7171801', number: '3063',
 *       departure: clock.fromLocal('2026-12-01T06:15', 'Europe/Madrid'),
 *       arrival: clock.fromLocal('2026-12-01T08:45', 'Europe/Madrid') },
 *   ],
 *   offers: [],
 * });
 * journey.durationMinutes; // 150
 */
export function createJourney({ source, legs, offers, priced, remarks }: JourneyParts): Journey {
  const found = wrongInParts({ legs, offers, remarks });
  if (found !== undefined) {
    const { path: parameter, expected, got } = found;
    throw journeyError(explain(found), { parameter, expected, got });
  }
  const rides = ridesOf(legs);
  const first = rides[0];
  const last = rides.at(-1);
  if (!first || !last) throw lacks('at least one ride', `${legs.length} legs without one`);
  let before = first;
  for (const ride of rides) {
    const isAfter =
      ride === first || isCaught(before, ride) || ride.departure.ms >= before.arrival.ms;
    if (!(isAfter && ride.arrival.ms >= ride.departure.ms)) {
      throw lacks('legs in order of time', `${ride.departure.iso} to ${ride.arrival.iso}`);
    }
    before = ride;
  }
  return {
    id: `j-${stableHash(journeyKey(rides))}`,
    legs: withRisks(legs),
    departure: first.departure,
    arrival: last.arrival,
    durationMinutes: doorToDoorMinutes(legs),
    transfers: rides.length - 1,
    offers: sortOffers([...offers]),
    sources: [source],
    ...(priced === false && { unpriced: [source] }),
    ...(remarks && remarks.length > 0 && { remarks }),
  };
}

function lacks(expected: string, got: string): RailError {
  return journeyError(`it must have ${expected}, got ${got}`, { expected, got });
}

function journeyError(what: string, data: RailErrorData): RailError {
  return new RailError('ERR_JOURNEY', `Cannot create journey: ${what}`, data);
}
