import type { CarrierQuery, Platform, RideStop, TimeAt } from '@ticketing/core';
import { optionalPart } from '../wire/optional-part.ts';
import { type JourneyDecoder, LeftOut, type WirePlace } from '../wire/read-journeys.ts';
import { shownText } from '../wire/shown-text.ts';
import { wireInstant } from '../wire/wire-instant.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import type { StationNames } from './encode-request.ts';

/** Options for reading trips. */
export interface TripContext {
  readonly query: CarrierQuery;
  readonly codes: StationNames;
  /** Names of companies by their references, as far as the answer has them. */
  readonly companies: ReadonlyMap<string, string>;
}

type Ends = Pick<TripContext, 'query' | 'codes'>;

const OFFSET = /(?:Z|[+-]\d\d:?\d\d)$/;
const STATION_URN = /^urn:([\w.-]{1,40}):stn:([\w.-]{1,40})$/;
const SWISS_LOCATION = /^(?:urn:)?(ch:\d:sloid:[\w.:-]{1,40})$/;

/** Station and time of a call. */
interface Call {
  readonly station: WirePlace;
  readonly planned: TimeAt;
  readonly expected?: TimeAt;
}

type TimeName = 'serviceDeparture' | 'serviceArrival';

/** Returns the station of a call, and one of its times. */
export function callAt(
  decoder: JourneyDecoder,
  call: WireRecord,
  { time, ...context }: Ends & { readonly time: TimeName },
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
export function stationAt(
  decoder: JourneyDecoder,
  call: WireRecord,
  { codes, query, timestamp }: Ends & { readonly timestamp: string },
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

/** Returns a platform as planned and as expected; without both there is none. The specification's own example is a number. */
export function platformOf(call: WireRecord): Platform | undefined {
  const [planned, expected] = [
    platformName(call['plannedStopPointName']),
    platformName(call['estimatedStopPointName']),
  ];
  if (planned === undefined && expected === undefined) return undefined;
  return { ...(planned !== undefined && { planned }), ...(expected !== undefined && { expected }) };
}

function platformName(value: unknown): string | undefined {
  return shownText(typeof value === 'number' ? String(value) : value);
}

/**
 * Returns the stations between the ends of a ride, in order. Where one of them cannot be read there is no list: it would have a gap.
 * Border points, and stations where no passenger boards or alights, are no stops.
 */
export function stopsOf(
  decoder: JourneyDecoder,
  leg: WireRecord,
  context: Ends,
): readonly RideStop[] | undefined {
  const { intermediates } = leg;
  if (!Array.isArray(intermediates)) return undefined;
  return optionalPart(() =>
    intermediates
      .map((one) => decoder.read.record(one, 'intermediates'))
      .filter(({ status }) => !isPassed(Object(status) as WireRecord))
      .map((one) => stopOf(decoder, one, context)),
  );
}

function isPassed(status: WireRecord): boolean {
  const isNoStop = status['noBoardingAtStop'] === true && status['noAlightingAtStop'] === true;
  return status['isBorderPoint'] === true || isNoStop;
}

function stopOf(decoder: JourneyDecoder, call: WireRecord, context: Ends): RideStop {
  const [arrives, leaves] = (['serviceArrival', 'serviceDeparture'] as const).map((time) =>
    isGiven(call[time]) ? callAt(decoder, call, { ...context, time }) : undefined,
  );
  const station = arrives?.station ?? leaves?.station;
  if (station === undefined) throw new LeftOut('with a stop without a time');
  const platform = platformOf(call);
  const { notServicedStop } = Object(call['status']) as WireRecord;
  return {
    station: station.id,
    ...(arrives && { arrival: arrives.planned }),
    ...(arrives?.expected && { expectedArrival: arrives.expected }),
    ...(leaves && { departure: leaves.planned }),
    ...(leaves?.expected && { expectedDeparture: leaves.expected }),
    ...(platform && { platform }),
    ...(notServicedStop === true && { cancelled: true }),
  };
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
