import { createJourney, type Journey, type Leg, type RideLeg } from '@ticketing/core';
import { joinRides } from '../wire/join-rides.ts';
import { type JourneyDecoder, LeftOut } from '../wire/read-journeys.ts';
import { listRemarks } from '../wire/remarks.ts';
import { childOf, childrenOf, textAt, type XmlElement } from '../wire/xml-reader.ts';
import { isTrue, minutesOf } from './calls.ts';
import { emissionsOf } from './emissions.ts';
import { type StopContext, stopOf } from './places.ts';
import { rideOf, type TripContext } from './rides.ts';

/** Ways by another vehicle: such a trip is no journey here. Any other way is one on foot, or in a train. */
const vehicles: ReadonlySet<string> = new Set([
  ...['taxi', 'shuttle', 'parkAndRide', 'bikeAndRide', 'carHire', 'bikeHire'],
  ...[
    'car',
    'bicycle',
    'cycle',
    'motorcycle',
    'scooter',
    'truck',
    'self-drive-car',
    'others-drive-car',
  ],
]);

/** Transfers in which people stay in the train, or go to another part of it. */
const stays: ReadonlySet<string> = new Set(['remainInVehicle', 'changeWithinVehicle']);

/** Reads a trip, which has no price: fares are another service. */
export function journeyOf(
  decoder: JourneyDecoder,
  trip: XmlElement,
  context: TripContext,
): Journey {
  const legs: Leg[] = [];
  const told = [trip];
  // The ways since the last ride.
  let ways: XmlElement[] = [];
  const isCancelled = isTrue(trip, 'Cancelled');
  for (const leg of childrenOf(trip, 'Leg', 'TripLeg')) {
    const timed = childOf(leg, 'TimedLeg');
    if (timed !== undefined) {
      const ride = { ...rideOf(decoder, timed, context), ...emissionsOf(leg, trip) };
      const before = legs.at(-1);
      if (before?.kind === 'ride' && ways.length > 0 && ways.every(isStay)) {
        legs[legs.length - 1] = joinRides(before, ride);
      } else {
        if (before?.kind === 'ride') legs.push(changeOf(before, ride, ways));
        else legs.push(...walksOf(decoder, ways, context));
        legs.push(ride);
      }
      ways = [];
      continue;
    }
    const way = childOf(leg, 'TransferLeg', 'ContinuousLeg');
    if (way === undefined) throw new LeftOut('with a leg of an unknown kind');
    checkWalk(way);
    told.push(way);
    ways.push(way);
  }
  legs.push(...walksOf(decoder, ways, context));
  const rides = legs.filter((leg) => leg.kind === 'ride');
  const someCancelled = rides.some(({ cancelled }) => cancelled);
  const journey = createJourney({
    source: decoder.carrier,
    // Where the trip is cancelled and no ride is marked, none runs as planned.
    legs: isCancelled && !someCancelled ? legs.map(cancelledLeg) : withMissed(trip, legs, rides),
    offers: [],
    priced: false,
    remarks: listRemarks(told.flatMap((element) => context.situations.of(element))),
  });
  // Walks have seconds: the trip's own sum of them is rounded once.
  const minutes = minutesOf(textAt(trip, 'Duration'));
  const isRounded = minutes !== undefined && Math.abs(minutes - journey.durationMinutes) === 1;
  return isRounded ? { ...journey, durationMinutes: minutes } : journey;
}

/** A trip that delays make impossible: where it has one change, that one is missed. */
function withMissed(
  trip: XmlElement,
  legs: readonly Leg[],
  rides: readonly RideLeg[],
): readonly Leg[] {
  if (!isTrue(trip, 'Infeasible') || rides.length !== 2) return legs;
  if (rides.some(({ cancelled }) => cancelled)) return legs;
  return legs.map((leg, index) =>
    leg.kind === 'transfer' && legs[index - 1]?.kind === 'ride' && legs[index + 1]?.kind === 'ride'
      ? { ...leg, risk: 'missed' }
      : leg,
  );
}

function cancelledLeg(leg: Leg): Leg {
  return leg.kind === 'ride' ? { ...leg, cancelled: true } : leg;
}

function isStay(way: XmlElement): boolean {
  return childrenOf(way, 'TransferType', 'TransferMode').some(({ text }) => stays.has(text.trim()));
}

/** Returns the change between two rides. A way without a duration has 0 minutes: the time between two trains is not the length of the way. */
function changeOf(before: RideLeg, after: RideLeg, ways: readonly XmlElement[]): Leg {
  const minutes = ways.reduce((sum, way) => sum + (wayMinutesOf(way) ?? 0), 0);
  return { kind: 'transfer', origin: before.destination, destination: after.origin, minutes };
}

/** Returns the minutes of a way. In 1.0 the duration is all the time between two trains, and the way is a part of it; in 2.0 the duration is the way. */
function wayMinutesOf(way: XmlElement): number | undefined {
  return minutesOf(textAt(way, 'WalkDuration')) ?? minutesOf(textAt(way, 'Duration'));
}

/** Walks before the first ride or after the last: to another place, or of more than 0 minutes. */
function walksOf(
  decoder: JourneyDecoder,
  ways: readonly XmlElement[],
  stops: StopContext,
): readonly Leg[] {
  return ways.flatMap((way): readonly Leg[] => {
    const [origin, destination] = ['LegStart', 'LegEnd'].map(
      (end) => stopOf(decoder, childOf(way, end), stops).id,
    ) as [string, string];
    const minutes = minutesOf(textAt(way, 'Duration')) ?? 0;
    return origin === destination && minutes === 0
      ? []
      : [{ kind: 'transfer', origin, destination, minutes }];
  });
}

/** Leaves out a trip with a section by taxi, car or bicycle. */
function checkWalk(way: XmlElement): void {
  const service = childOf(way, 'Service');
  // A service on demand has no times of its own.
  const operation =
    textAt(service, 'AlternativeModeOfOperation') ?? textAt(service, 'Mode', 'PtMode');
  if (operation !== undefined) throw new LeftOut(`by ${operation.slice(0, 40)} without times`);
  const kinds = [
    ...childrenOf(way, 'TransferType', 'TransferMode'),
    ...childrenOf(service, 'PersonalMode', 'IndividualMode'),
  ];
  for (const { text } of kinds) {
    if (vehicles.has(text.trim())) throw new LeftOut(`by ${text.trim()}`);
  }
}
