import { isLocalDate, type Leg, type RideLeg, type TimeAt } from '@ticketing/core';
import { joinRides } from '../wire/join-rides.ts';
import { type JourneyDecoder, LeftOut, type WirePlace } from '../wire/read-journeys.ts';
import { shownText } from '../wire/shown-text.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import { callAt, isGiven, platformOf, stationAt, stopsOf, type TripContext } from './calls.ts';
import { emissionsOf } from './emissions.ts';
import { modeOf, namesOf, operatorOf, remarksOf } from './service.ts';

/**
 * Legs of a trip, and the indexes of its rides among them by the ids that offers use: a ride has several ids where people stay in
 * the train under another number.
 */
export interface OsdmTrip {
  readonly legs: readonly Leg[];
  readonly rideOf: ReadonlyMap<string, number>;
}

const DURATION =
  /^P(?:0+Y)?(?:0+M)?(?:(\d{1,3})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:(\d{1,6}(?:\.\d{1,9})?)S)?)?$/;
/** Ways by another vehicle: such a trip is no journey here. Any other way is one on foot, or in a train. */
const vehicles: ReadonlySet<unknown> = new Set([
  ...['PARK_AND_RIDE', 'BIKE_AND_RIDE', 'CAR_HIRE', 'BIKE_HIRE', 'TAXI', 'SHUTTLE'],
]);
/** Transfers in which people stay in the train, or go to another part of it. */
const stays: ReadonlySet<unknown> = new Set(['REMAIN_IN_VEHICLE', 'CHANGE_WITHIN_VEHICLE']);

/**
 * Reads the legs of a trip. Between two rides there is one transfer, however the provider divides it; without one where people stay in
 * the train. Ways before the first and after the last ride are legs of their own.
 *
 * @throws LeftOut for a trip with a leg that has no timetable, other than a walk
 */
export function readTrip(
  decoder: JourneyDecoder,
  trip: WireRecord,
  context: TripContext,
): OsdmTrip {
  const { read } = decoder;
  const legs: Leg[] = [];
  const rideOf = new Map<string, number>();
  const isCancelled = flag(trip['tripStatus'], 'cancelled');
  let [rides, timed] = [0, 0];
  let before: RideLeg | undefined;
  // The ways since the last ride.
  let ways: WireRecord[] = [];
  for (const leg of read.records(trip['legs'], 'legs')) {
    const way = wayOf(leg);
    if (way !== undefined) {
      ways.push(way);
      continue;
    }
    const own = rideFrom(decoder, read.record(leg['timedLeg'], 'timedLeg'), context);
    const ride: RideLeg = isCancelled ? { ...own, cancelled: true } : own;
    timed += 1;
    if (before !== undefined && ways.length > 0 && ways.every(isStay)) {
      before = joinRides(before, ride);
      legs[legs.length - 1] = before;
    } else {
      legs.push(
        ...(before === undefined
          ? walksOf(ways, ride.origin, ride.departure)
          : [changeOf(before, ride, ways)]),
      );
      legs.push(ride);
      before = ride;
      rides += 1;
    }
    // Without an id no offer is for it alone.
    rideOf.set(read.optionalText(leg, 'id') ?? `\u0000${timed}`, rides - 1);
    ways = [];
  }
  if (rideOf.size !== timed) throw new LeftOut('with two legs of one id');
  if (before !== undefined) legs.push(...walksOf(ways, before.destination, before.arrival));
  return { legs: flag(trip['tripStatus'], 'infeasible') ? withRisk(legs) : legs, rideOf };

  function walksOf(some: readonly WireRecord[], station: string, near: TimeAt): readonly Leg[] {
    return some.flatMap((way): readonly Leg[] => {
      const [origin, destination] = (['start', 'end'] as const).map(
        (end) => placeOf(decoder, way[end], { ...context, near })?.id ?? station,
      ) as [string, string];
      const minutes = minutesOf(way['duration']);
      const isNowhere = origin === destination && !minutes;
      return isNowhere ? [] : [{ kind: 'transfer', origin, destination, minutes: minutes ?? 0 }];
    });
  }
}

/** A trip that delays make impossible is missed at its change; of several changes it is not said which. */
function withRisk(legs: readonly Leg[]): readonly Leg[] {
  const rides = legs.filter((leg): leg is RideLeg => leg.kind === 'ride');
  if (rides.length !== 2 || rides.some(({ cancelled }) => cancelled)) return legs;
  return legs.map((leg, index) =>
    leg.kind === 'transfer' && legs[index - 1] === rides[0] ? { ...leg, risk: 'missed' } : leg,
  );
}

/** Returns the way between two rides with its minutes on the wire: all the time between them would make each delay a tight connection. */
function changeOf(before: RideLeg, after: RideLeg, ways: readonly WireRecord[]): Leg {
  const minutes = ways.reduce((sum, { duration }) => sum + (minutesOf(duration) ?? 0), 0);
  return { kind: 'transfer', origin: before.destination, destination: after.origin, minutes };
}

/** Returns the leg of a way, `undefined` for a ride. */
function wayOf(leg: WireRecord): WireRecord | undefined {
  if (isGiven(leg['timedLeg'])) return undefined;
  if (isGiven(leg['transferLeg'])) {
    const way = Object(leg['transferLeg']) as WireRecord;
    if (vehicles.has(way['transferMode'])) {
      throw new LeftOut(`by ${String(way['transferMode']).toLowerCase()}`);
    }
    return way;
  }
  const way = Object(leg['continuousLeg']) as WireRecord;
  const { continuousMode, individualMode } = Object(way['service']) as WireRecord;
  if ([continuousMode, individualMode].some((mode) => mode === 'WALK')) return way;
  throw new LeftOut('with a leg that has no timetable');
}

function isStay({ transferMode }: WireRecord): boolean {
  return stays.has(transferMode);
}

/** Minutes of `PT1H5M`, `undefined` for another text. */
function minutesOf(duration: unknown): number | undefined {
  const [whole, days = 0, hours = 0, minutes = 0, seconds = 0] =
    (typeof duration === 'string' && DURATION.exec(duration)) || [];
  if (whole === undefined) return undefined;
  return Math.round(
    Number(days) * 1440 + Number(hours) * 60 + Number(minutes) + Number(seconds) / 60,
  );
}

/** Returns an end of a way: a station, or an address by its position or its name. `undefined`: nothing is said of it. */
function placeOf(
  decoder: JourneyDecoder,
  end: unknown,
  { near, ...context }: TripContext & { readonly near: TimeAt },
): WirePlace | undefined {
  const call = Object(end) as WireRecord;
  const { stopPlaceRef, id, name, geoPosition } = call;
  const bracket = near.iso.indexOf('[');
  const zone = bracket < 0 ? 'UTC' : near.iso.slice(bracket + 1, -1);
  const reference = stopPlaceRef ?? (isGiven(geoPosition) ? undefined : id);
  if (isGiven(reference)) {
    const timestamp = near.iso.replace(/\[.*/, '');
    return stationAt(
      decoder,
      { stopPlaceName: name, ...call, stopPlaceRef: reference },
      { ...context, timestamp },
    );
  }
  const { latitude, longitude } = Object(geoPosition ?? call) as WireRecord;
  const isPosition = Number.isFinite(latitude) && Number.isFinite(longitude);
  if (!isPosition && shownText(name) === undefined) return undefined;
  return decoder.address({
    name,
    zone,
    ...(isPosition && { latitude: Number(latitude), longitude: Number(longitude) }),
  });
}

function rideFrom(decoder: JourneyDecoder, leg: WireRecord, context: TripContext): RideLeg {
  const { read } = decoder;
  const start = read.record(leg['start'], 'start');
  const end = read.record(leg['end'], 'end');
  const service = read.record(leg['service'] ?? {}, 'service');
  const from = callAt(decoder, start, { ...context, time: 'serviceDeparture' });
  const to = callAt(decoder, end, { ...context, time: 'serviceArrival' });
  const isCancelled =
    flag(service['serviceStatus'], 'cancelled') ||
    flag(start['status'], 'notServicedStop') ||
    flag(end['status'], 'notServicedStop');
  const { operatingDayRef } = service;
  const [departurePlatform, arrivalPlatform] = [platformOf(start), platformOf(end)];
  const remarks = remarksOf(leg, service);
  const stops = context.query.stops ? stopsOf(decoder, leg, context) : undefined;
  return {
    kind: 'ride',
    origin: from.station.id,
    destination: to.station.id,
    departure: from.planned,
    arrival: to.planned,
    ...(from.expected && { expectedDeparture: from.expected }),
    ...(to.expected && { expectedArrival: to.expected }),
    ...(isCancelled && { cancelled: true }),
    ...(departurePlatform && { departurePlatform }),
    ...(arrivalPlatform && { arrivalPlatform }),
    ...modeOf(service),
    ...namesOf(decoder, service),
    ...operatorOf(service, context.companies),
    ...(remarks && { remarks }),
    ...(stops && { stops }),
    ...emissionsOf(leg, context.query),
    ...(typeof operatingDayRef === 'string' &&
      isLocalDate(operatingDayRef) && { operatingDay: operatingDayRef }),
  };
}

function flag(record: unknown, name: string): boolean {
  return (Object(record) as WireRecord)[name] === true;
}
