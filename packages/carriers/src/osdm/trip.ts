import {
  type CarrierQuery,
  isLocalDate,
  type Leg,
  type RideLeg,
  type TimeAt,
} from '@ticketing/core';
import { type JourneyDecoder, LeftOut, type WirePlace } from '../wire/read-journeys.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import type { StationNames } from './encode-request.ts';

interface TripContext {
  readonly query: CarrierQuery;
  readonly codes: StationNames;
}

/** The legs of a trip, and the places of its rides among them by the ids that offers use. */
export interface OsdmTrip {
  readonly legs: readonly Leg[];
  readonly rideOf: ReadonlyMap<string, number>;
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
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

/**
 * Reads the legs of a trip. Between two rides there is one transfer, however the provider divides it; ways before the first
 * and after the last ride are no part of the journey.
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
  let before: RideLeg | undefined;
  for (const one of read.list(trip['legs'], 'legs')) {
    const leg = read.record(one, 'legs');
    if (!isRide(leg)) continue;
    const ride = rideFrom(decoder, read.record(leg['timedLeg'], 'timedLeg'), context);
    if (before !== undefined) {
      const minutes = Math.round((ride.departure.ms - before.arrival.ms) / 60_000);
      legs.push({
        kind: 'transfer',
        origin: before.destination,
        destination: ride.origin,
        minutes,
      });
    }
    if (typeof leg['id'] === 'string') rideOf.set(leg['id'], rideOf.size);
    before = isCancelled ? { ...ride, cancelled: true } : ride;
    legs.push(before);
  }
  const rides = legs.filter(({ kind }) => kind === 'ride');
  if (rideOf.size !== rides.length) throw new LeftOut('with two legs of one id');
  return { legs, rideOf };
}

function isRide(leg: WireRecord): boolean {
  if (isGiven(leg['timedLeg'])) return true;
  if (isGiven(leg['transferLeg'])) return false;
  const { service } = Object(leg['continuousLeg']) as { service?: unknown };
  const { continuousMode, individualMode } = Object(service) as WireRecord;
  if ([continuousMode, individualMode].some((mode) => mode === 'WALK')) return false;
  throw new LeftOut('with a leg that has no timetable');
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function rideFrom(decoder: JourneyDecoder, leg: WireRecord, context: TripContext): RideLeg {
  const { read } = decoder;
  const start = read.record(leg['start'], 'start');
  const end = read.record(leg['end'], 'end');
  const service = read.record(leg['service'], 'service');
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
  const times = read.record(call[time], time);
  const timetabled = read.text(times, 'timetabledTime');
  const plannedMs = instantOf(decoder, timetabled);
  const station = stationAt(decoder, call, { ...context, timestamp: timetabled });
  const planned = clock.fromEpoch(plannedMs, station.zone);
  const later = times['estimatedTime'] ?? times['observedTime'];
  if (!isGiven(later)) return { station, planned };
  const expectedMs = instantOf(decoder, later);
  if (expectedMs === plannedMs) return { station, planned };
  return { station, planned, expected: clock.fromEpoch(expectedMs, station.zone) };
}

function instantOf({ read, clock }: JourneyDecoder, timestamp: unknown): number {
  const text = typeof timestamp === 'string' ? timestamp : '';
  const local = TIMESTAMP.exec(text)?.[1];
  const ms = Date.parse(text);
  if (local === undefined || Number.isNaN(ms))
    throw read.error('a timestamp with its offset', timestamp);
  // `Date.parse` reads 30 February as 2 March; the clock refuses it.
  clock.epoch(local, 'UTC');
  return ms;
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
  if (/^[\w.:-]{1,64}$/.test(urn)) return { systems: [], code: urn };
  throw new LeftOut('with a reference to a station that is none');
}

/** Returns a zone in which an unknown station's clocks show what the provider writes: one of the query's, or a fixed offset. */
function zoneOf(
  { clock }: JourneyDecoder,
  timestamp: string,
  { origin, destination }: CarrierQuery,
): string {
  const ms = Date.parse(timestamp);
  const shown = timestamp.slice(0, 16);
  const near = [origin.zone, destination.zone].find(
    (zone) => clock.fromEpoch(ms, zone).iso.slice(0, 16) === shown,
  );
  if (near !== undefined) return near;
  const hours = (Date.parse(`${shown}Z`) - Math.floor(ms / 60_000) * 60_000) / 3_600_000;
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
    .list(service['vehicleNumbers'] ?? [], 'vehicleNumbers')
    .filter((one): one is string => typeof one === 'string')
    .map((one) => one.trim().replace(/^0+(?=.)/, ''));
  const [number, ...others] = numbers.filter((one) => /^\d{1,6}$/.test(one));
  const published = textOf(service['publishedServiceName']);
  const category = textOf((Object(service['productCategory']) as WireRecord)['shortName']);
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
  const { name, ref } = Object(Array.isArray(carriers) ? carriers[0] : undefined) as WireRecord;
  const operator = textOf(name) ?? textOf(ref);
  return operator === undefined ? {} : { operator };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function flag(record: unknown, name: string): boolean {
  return (Object(record) as WireRecord)[name] === true;
}
