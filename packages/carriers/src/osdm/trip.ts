import {
  type CarrierQuery,
  isLocalDate,
  type Leg,
  type RideLeg,
  type TimeAt,
} from '@ticketing/core';
import { joinRides } from '../wire/join-rides.ts';
import { type JourneyDecoder, LeftOut, type WirePlace } from '../wire/read-journeys.ts';
import { shownText } from '../wire/shown-text.ts';
import { wireInstant } from '../wire/wire-instant.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import type { StationNames } from './encode-request.ts';

interface TripContext {
  readonly query: CarrierQuery;
  readonly codes: StationNames;
}

/**
 * The legs of a trip, and the places of its rides among them by the ids that offers use: several ids of one ride are those of trains
 * that people stay in.
 */
export interface OsdmTrip {
  readonly legs: readonly Leg[];
  readonly rideOf: ReadonlyMap<string, number>;
}

const OFFSET = /(?:Z|[+-]\d\d:?\d\d)$/;
const DURATION =
  /^P(?:0+Y)?(?:0+M)?(?:(\d{1,3})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:(\d{1,6}(?:\.\d{1,9})?)S)?)?$/;
const STATION_URN = /^urn:([\w.-]{1,40}):stn:([\w.-]{1,40})$/;
const SWISS_LOCATION = /^(?:urn:)?(ch:\d:sloid:[\w.:-]{1,40})$/;

/** By the modes of the standard's list; any other is no train that this model knows. */
const modes: ReadonlyMap<string, RideLeg['mode']> = new Map([
  ...'HIGH_SPEED_TRAIN HISTORIC_TRAIN INTERCITY REGIONAL INTERREGIONAL URBAN TRAIN NIGHT_TRAIN MOTOR_RAIL MOUNTAIN_TRAIN'
    .split(' ')
    .map((name): [string, undefined] => [name, undefined]),
  ['TRAM', 'tram'],
  ['UNDERGROUND', 'metro'],
  ['BUS', 'bus'],
  ['COACH_GROUP', 'bus'],
  ['SHIP', 'ferry'],
]);

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
          : [changeOf(before, ride)]),
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
  return { legs, rideOf };

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

function changeOf(before: RideLeg, after: RideLeg): Leg {
  const planned = after.departure.ms - before.arrival.ms;
  const expected =
    (after.expectedDeparture ?? after.departure).ms - (before.expectedArrival ?? before.arrival).ms;
  const minutes = Math.max(0, Math.round((planned < 0 ? expected : planned) / 60_000));
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

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
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
  return {
    kind: 'ride',
    origin: from.station.id,
    destination: to.station.id,
    departure: from.planned,
    arrival: to.planned,
    ...(from.expected && { expectedDeparture: from.expected }),
    ...(to.expected && { expectedArrival: to.expected }),
    ...(isCancelled && { cancelled: true }),
    ...modeOf(service),
    ...namesOf(decoder, service),
    ...operatorOf(service),
    ...(typeof operatingDayRef === 'string' &&
      isLocalDate(operatingDayRef) && { operatingDay: operatingDayRef }),
  };
}

interface Call {
  readonly station: WirePlace;
  readonly planned: TimeAt;
  readonly expected?: TimeAt;
}

function callAt(
  decoder: JourneyDecoder,
  call: WireRecord,
  { time, ...context }: TripContext & { readonly time: 'serviceDeparture' | 'serviceArrival' },
): Call {
  const { read, clock } = decoder;
  const times = read.record(call[time] ?? {}, time);
  const later = times['estimatedTime'] ?? times['observedTime'];
  const timetabled = times['timetabledTime'] ?? later;
  if (!isGiven(timetabled)) throw new LeftOut('without a time');
  const timestamp = typeof timetabled === 'string' ? timetabled : '';
  const station = stationAt(decoder, call, { ...context, timestamp });
  const instantOf = (text: unknown): number => {
    const ms = wireInstant(clock, text, station.zone);
    if (ms === undefined) throw read.error('a timestamp', text);
    return ms;
  };
  const plannedMs = instantOf(timetabled);
  const planned = clock.fromEpoch(plannedMs, station.zone);
  const expectedMs = isGiven(later) ? instantOf(later) : plannedMs;
  if (expectedMs === plannedMs) return { station, planned };
  return { station, planned, expected: clock.fromEpoch(expectedMs, station.zone) };
}

/** Returns the station that is named by an object with a URN, or by a URN alone. */
function stationAt(
  decoder: JourneyDecoder,
  call: WireRecord,
  { codes, query, timestamp }: TripContext & { readonly timestamp: string },
): WirePlace {
  const { stopPlaceRef: ref, stopPlaceName: name } = call;
  const urn = typeof ref === 'object' && ref !== null ? (ref as WireRecord)['stopPlaceRef'] : ref;
  if (typeof urn !== 'string') throw new LeftOut('without a reference to a station');
  const { systems, code } = readUrn(urn, codes);
  const system = systems.find((one) => decoder.stationOf(code, one) !== undefined);
  if (system !== undefined) return decoder.station({ code }, 'code', { name, system, zone: 'UTC' });
  const zone = zoneOf(decoder, timestamp, query);
  return decoder.station({ code }, 'code', { name, system: systems[0] ?? decoder.carrier, zone });
}

function readUrn(
  urn: string,
  { namespace, systems }: StationNames,
): { readonly systems: readonly string[]; readonly code: string } {
  const [, space, code] = STATION_URN.exec(urn) ?? [];
  if (space !== undefined && code !== undefined) {
    return { systems: space === namespace ? systems : [space], code };
  }
  const sloid = SWISS_LOCATION.exec(urn)?.[1];
  if (sloid !== undefined) return { systems: ['sloid'], code: sloid };
  return { systems: [], code: urn };
}

/**
 * Returns a zone in which an unknown station's clocks show what the provider writes: one of the query's, or a fixed offset.
 *
 * @throws LeftOut for a time without an offset where the clocks of both ends do not show the same
 */
function zoneOf(
  { clock }: JourneyDecoder,
  timestamp: string,
  { origin, destination }: CarrierQuery,
): string {
  const ms = wireInstant(clock, timestamp, origin.zone);
  if (ms === undefined) return origin.zone;
  if (!OFFSET.test(timestamp)) {
    if (wireInstant(clock, timestamp, destination.zone) === ms) return origin.zone;
    throw new LeftOut('with a local time at a station whose zone nobody gives');
  }
  const shown = timestamp.slice(0, 16);
  const near = [origin.zone, destination.zone].find(
    (zone) => clock.fromEpoch(ms, zone).iso.slice(0, 16) === shown,
  );
  if (near !== undefined) return near;
  const hours = (clock.epoch(shown, 'UTC') - Math.floor(ms / 60_000) * 60_000) / 3_600_000;
  if (hours === 0 || !Number.isInteger(hours) || hours < -12 || hours > 14) return 'UTC';
  // The sign of these names is that of the way to UTC.
  return `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
}

function modeOf(service: WireRecord): Pick<RideLeg, 'mode'> {
  const { ptMode } = Object(service['mode']) as { ptMode?: unknown };
  if (typeof ptMode !== 'string') return {};
  const name = ptMode.toUpperCase();
  const mode = modes.has(name) ? modes.get(name) : 'other';
  return mode === undefined ? {} : { mode };
}

/** The first number is the train's, others are of trains that are coupled to it; what is no number is part of a name. */
function namesOf(
  { read }: JourneyDecoder,
  service: WireRecord,
): Pick<RideLeg, 'brand' | 'number' | 'otherNumbers'> {
  const numbers = read
    .items(service['vehicleNumbers'], 'vehicleNumbers')
    .filter((one) => typeof one === 'string' || typeof one === 'number')
    .map(String)
    .map((one) => one.trim().replace(/^0+(?=.)/, ''));
  const [number, ...others] = numbers.filter((one) => /^\d{1,6}$/.test(one));
  const published = shownText(service['publishedServiceName']);
  const category = shownText((Object(service['productCategory']) as WireRecord)['shortName']);
  const suffix = ` ${number}`;
  const line = published?.endsWith(suffix) ? published.slice(0, -suffix.length) : published;
  const brand =
    (line === number ? undefined : line) ?? category ?? numbers.find((one) => one !== number);
  return {
    ...(brand && { brand }),
    ...(number !== undefined && { number }),
    ...(others.length > 0 && { otherNumbers: others }),
  };
}

function operatorOf(service: WireRecord): Pick<RideLeg, 'operator'> {
  const { carriers } = service;
  const { name, ref } = Object(Array.isArray(carriers) ? carriers[0] : carriers) as WireRecord;
  const operator = shownText(name) ?? shownText(ref);
  return operator === undefined ? {} : { operator };
}

function flag(record: unknown, name: string): boolean {
  return (Object(record) as WireRecord)[name] === true;
}
