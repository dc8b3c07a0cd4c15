import type { LocalClock } from '@ticketing/core';
import type { WireRecord } from '../wire/wire-reader.ts';

const TIME = /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d):?(\d\d)(Z|[+-]\d\d:?\d\d)?$/;
const HOUR_MS = 3_600_000;
/** An instant that clocks can show. */
const ANY_MS = 1e12;

/** Departure and arrival of a section or a journey on the wire. */
export interface WireTimes {
  readonly departure: unknown;
  readonly arrival: unknown;
  /** Seconds between both. */
  readonly duration: unknown;
}

/** A departure and an arrival, epoch ms. */
export interface Span {
  readonly departureMs: number;
  readonly arrivalMs: number;
}

/** Clock of the region of an answer. */
export interface RegionClock {
  readonly clock: LocalClock;
  readonly zone: string;
}

/** Returns the zone that a stop or an answer names; of one that is none, or absent, the zone of the region. */
export function zoneIn({ timezone }: WireRecord, { clock, zone }: RegionClock): string {
  if (typeof timezone !== 'string' || timezone === '' || timezone === zone) return zone;
  try {
    clock.dateOf(ANY_MS, timezone);
  } catch (error) {
    if (error instanceof RangeError) return zone;
    throw error;
  }
  return timezone;
}

/**
 * Returns the instants that a time may mean: two in the hour that clocks show twice, none for a text that is no time.
 *
 * @throws RailError `ERR_LOCAL_TIME` for a day or a time of day that does not exist
 */
function readingsOf(text: unknown, { clock, zone }: RegionClock): readonly number[] {
  const [, year, month, day, hour, minute, second, offset] =
    (typeof text === 'string' && TIME.exec(text)) || [];
  if (year === undefined) return [];
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  if (offset !== undefined) return [clock.epoch(local, 'UTC') - offsetMs(offset)];
  const ms = clock.epoch(local, zone);
  const later = ms + HOUR_MS;
  const isTwice = clock.fromEpoch(later, zone).iso.startsWith(local);
  return isTwice ? [ms, later] : [ms];
}

/** Returns when something leaves and arrives: of several readings the first that its duration agrees with. `undefined` without both times. */
export function spanOf(times: WireTimes, region: RegionClock): Span | undefined {
  const departures = readingsOf(times.departure, region);
  const arrivals = readingsOf(times.arrival, region);
  const [departureMs] = departures;
  if (departureMs === undefined || arrivals.length === 0) return undefined;
  const spans = departures.flatMap((from) =>
    arrivals.map((to): Span => ({ departureMs: from, arrivalMs: to })),
  );
  const lasts = Number(times.duration) * 1000;
  return (
    spans.find((span) => span.arrivalMs - span.departureMs === lasts) ??
    spans.find((span) => span.arrivalMs >= span.departureMs) ??
    spans[0]
  );
}

/** Returns the reading that is nearest to an instant; `undefined` for a text that is no time. */
export function nearestReading(text: unknown, ms: number, region: RegionClock): number | undefined {
  const readings = readingsOf(text, region);
  return readings.length < 2
    ? readings[0]
    : readings.reduce((a, b) => (Math.abs(b - ms) < Math.abs(a - ms) ? b : a));
}

function offsetMs(offset: string): number {
  if (offset === 'Z') return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2));
  return (offset.startsWith('-') ? -minutes : minutes) * 60_000;
}
