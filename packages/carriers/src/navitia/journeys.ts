import { createJourney, type Journey, type Leg, type RideLeg } from '@ticketing/core';
import { joinRides } from '../wire/join-rides.ts';
import { type JourneyDecoder, LeftOut } from '../wire/read-journeys.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import { type FareContext, offerOf } from './fares.ts';
import { type RideContext, rideOf } from './rides.ts';
import { placeOf } from './stops.ts';

/** Data of an answer that journeys need. */
export type JourneyContext = RideContext & FareContext;

/** Sections in a vehicle with a timetable. */
const rides: ReadonlySet<unknown> = new Set(['public_transport', 'on_demand_transport']);
/** Sections that are no way: time between two others, and steps in and out of a vehicle. */
const pauses: ReadonlySet<unknown> = new Set(['waiting', 'boarding', 'landing', 'alighting']);
/** Types and modes of ways with another vehicle: such a journey is none here. Any other way is one on foot. */
const vehicles: ReadonlySet<unknown> = new Set([
  ...['bss_rent', 'bss_put_back', 'park', 'leave_parking', 'ridesharing'],
  ...['bike', 'bss', 'car', 'car_no_park', 'taxi'],
]);
/** A journey of which a train does not run. */
const STOPPED = 'NO_SERVICE';

/** Reads a journey. */
export function journeyOf(
  decoder: JourneyDecoder,
  journey: WireRecord,
  context: JourneyContext,
): Journey {
  const { read } = decoder;
  const legs: Leg[] = [];
  const stopped = new Set<number>();
  // The ways since the last ride.
  let ways: WireRecord[] = [];
  for (const section of read.records(journey['sections'], 'sections')) {
    const { type } = section;
    if (pauses.has(type)) continue;
    if (!isRide(section)) {
      checkWalk(section);
      ways.push(section);
      continue;
    }
    const { ride, isStopped } = rideOf(decoder, section, context);
    const before = legs.at(-1);
    if (before?.kind === 'ride' && ways.length > 0 && ways.every(isStay)) {
      legs[legs.length - 1] = joinRides(before, ride);
    } else {
      if (before?.kind === 'ride') legs.push(changeOf(before, ride, ways));
      else legs.push(...walksOf(decoder, ways, context));
      legs.push(ride);
    }
    if (isStopped) stopped.add(legs.length - 1);
    ways = [];
  }
  legs.push(...walksOf(decoder, ways, context));
  const offer = offerOf(decoder, journey['fare'], context);
  const made = createJourney({
    source: decoder.carrier,
    legs: journey['status'] === STOPPED ? withCancelled(legs, stopped) : legs,
    offers: offer === undefined ? [] : [offer],
    ...(offer === undefined && { priced: false }),
  });
  // Walks have seconds: the journey's own sum of them is rounded once.
  const minutes = minutesOf([journey]);
  const isRounded = Math.abs(minutes - made.durationMinutes) === 1;
  return isRounded ? { ...made, durationMinutes: minutes } : made;
}

/** A type that is not known is a ride if it names a vehicle, else a way. */
function isRide({ type, display_informations: shown }: WireRecord): boolean {
  if (rides.has(type)) return true;
  const isKnown = type === 'transfer' || type === 'street_network' || type === 'crow_fly';
  return (
    !isKnown &&
    type !== 'stay_in' &&
    !vehicles.has(type) &&
    typeof shown === 'object' &&
    shown !== null
  );
}

/** Marks the trains that do not run: the ones that disruptions name, or all where they name none. */
function withCancelled(legs: readonly Leg[], stopped: ReadonlySet<number>): readonly Leg[] {
  return legs.map((leg, index) => {
    const isStopped = stopped.size === 0 || stopped.has(index);
    return leg.kind === 'ride' && isStopped ? { ...leg, cancelled: true } : leg;
  });
}

function isStay({ type, transfer_type: transfer }: WireRecord): boolean {
  return type === 'stay_in' || transfer === 'stay_in';
}

/** Leaves out a journey with a section by taxi, car or bicycle. */
function checkWalk({ type, mode }: WireRecord): void {
  const vehicle = [type, String(mode).toLowerCase()].find((one) => vehicles.has(one));
  if (vehicle !== undefined) throw new LeftOut(`by ${String(vehicle)}`);
}

function changeOf(before: RideLeg, after: RideLeg, ways: readonly WireRecord[]): Leg {
  const { destination: origin } = before;
  return { kind: 'transfer', origin, destination: after.origin, minutes: minutesOf(ways) };
}

/** Walks before the first ride or after the last: to another place, or of more than 0 minutes. */
function walksOf(
  decoder: JourneyDecoder,
  ways: readonly WireRecord[],
  context: RideContext,
): readonly Leg[] {
  return ways.flatMap((way): readonly Leg[] => {
    const minutes = minutesOf([way]);
    // From a station to one of its platforms.
    if (minutes === 0) return [];
    const origin = placeOf(decoder, way['from'], context).id;
    const destination = placeOf(decoder, way['to'], context).id;
    return [{ kind: 'transfer', origin, destination, minutes }];
  });
}

/** Returns the minutes of durations in seconds. */
function minutesOf(some: readonly WireRecord[]): number {
  const seconds = some.reduce((sum, { duration }) => {
    const one = typeof duration === 'number' ? duration : 0;
    return one > 0 && one < 1e7 ? sum + one : sum;
  }, 0);
  return Math.round(seconds / 60);
}
