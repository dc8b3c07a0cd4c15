import {
  type CarrierAnswer,
  createJourney,
  type Journey,
  type Leg,
  type LocalClock,
  type Place,
  type RideLeg,
  type RideSection,
  type RideStop,
  type TimeAt,
} from '@ticketing/core';
import type { GtfsWire, WireCall, WireJourney, WirePart, WireRide } from './gtfs-wire.ts';

/** Dependencies of reading what a search has found. */
export interface WireReading {
  readonly id: string;
  readonly clock: LocalClock;
  /** True if rides have the stations where they call on the way. */
  readonly stops: boolean;
}

/** Makes journeys of what a search has found. Two that the model holds for one are one. */
export function normaliseGtfs(reading: WireReading, wire: GtfsWire): CarrierAnswer {
  const { journeys: found, places, operators } = wire;
  const byId = new Map<string, Journey>();
  for (const journey of found) {
    const made = createJourney({
      source: reading.id,
      legs: legsOf(journey, { ...reading, places }),
      offers: [],
      priced: false,
    });
    if (!byId.has(made.id)) byId.set(made.id, made);
  }
  const filtered = found.length - byId.size;
  return {
    journeys: [...byId.values()],
    ...(places.length > 0 && { places }),
    ...(Object.keys(operators).length > 0 && { operators }),
    ...(filtered > 0 && {
      filtered,
      leftOut: { 'with the numbers and stations of another': filtered },
    }),
  };
}

interface LegReading extends WireReading {
  readonly places: readonly Place[];
}

function legsOf(
  { rides, before: toFirst, after }: WireJourney,
  reading: LegReading,
): readonly Leg[] {
  const legs: Leg[] = [];
  for (const [index, ride] of rides.entries()) {
    const leg = rideOf(ride, reading);
    const before = rides[index - 1];
    const last = legs.at(-1);
    if (last && before && last.destination !== leg.origin) {
      const { destination: origin } = last;
      legs.push({
        kind: 'transfer',
        origin,
        destination: leg.origin,
        minutes: before.changeMinutes,
      });
    }
    if (index === 0 && toFirst) {
      const origin = idOf(toFirst, reading);
      legs.push({ kind: 'transfer', origin, destination: leg.origin, minutes: toFirst.minutes });
    }
    legs.push(leg);
  }
  const end = legs.at(-1);
  if (end && after) {
    const { destination: origin } = end;
    const destination = idOf(after, reading);
    legs.push({ kind: 'transfer', origin, destination, minutes: after.minutes });
  }
  return legs;
}

function rideOf({ parts }: WireRide, reading: LegReading): RideLeg {
  const sections = parts.map((part) => sectionOf(part, reading));
  const [first, last] = [sections[0] as RideSection, sections.at(-1) as RideSection];
  if (sections.length === 1) return { kind: 'ride', ...first };
  const { arrivalPlatform: _, stops: __, ...begin } = first;
  const stops = reading.stops ? stopsOf(parts, reading) : undefined;
  return {
    kind: 'ride',
    ...begin,
    destination: last.destination,
    arrival: last.arrival,
    ...(last.arrivalPlatform && { arrivalPlatform: last.arrivalPlatform }),
    ...(stops && { stops }),
    sections,
  };
}

function sectionOf(part: WirePart, reading: LegReading): RideSection {
  const { brand, number, mode, operator, operatingDay, calls } = part;
  const [first, last] = [calls[0] as WireCall, calls.at(-1) as WireCall];
  const stops = reading.stops ? stopsOf([part], reading) : undefined;
  return {
    origin: idOf(first, reading),
    destination: idOf(last, reading),
    departure: timeAt(first.departureMs, { call: first, part, reading }),
    arrival: timeAt(last.arrivalMs, { call: last, part, reading }),
    operator,
    operatingDay,
    ...(mode && { mode }),
    ...(brand !== undefined && { brand }),
    ...(number !== undefined && { number }),
    ...(first.platform !== '' && { departurePlatform: { planned: first.platform } }),
    ...(last.platform !== '' && { arrivalPlatform: { planned: last.platform } }),
    ...(stops && { stops }),
  };
}

/** Returns the stops between the ends. Where people stay seated, the end of one part and the beginning of the next are one. */
function stopsOf(parts: readonly WirePart[], reading: LegReading): readonly RideStop[] {
  const stops: RideStop[] = [];
  for (const [index, part] of parts.entries()) {
    for (const [at, call] of part.calls.entries()) {
      const isStart = at === 0;
      const isEnd = at === part.calls.length - 1;
      if (isStart || (isEnd && index === parts.length - 1)) continue;
      const next = isEnd ? parts[index + 1] : undefined;
      const leaving = next?.calls[0] ?? call;
      stops.push({
        station: idOf(call, reading),
        arrival: timeAt(call.arrivalMs, { call, part, reading }),
        departure: timeAt(leaving.departureMs, { call, part, reading }),
        ...(leaving.platform !== '' && { platform: { planned: leaving.platform } }),
      });
    }
  }
  return stops;
}

function idOf({ place }: Pick<WireCall, 'place'>, { places }: LegReading): string {
  return (places[place] as Place).id;
}

function timeAt(
  ms: number,
  {
    call,
    part,
    reading,
  }: { readonly call: WireCall; readonly part: WirePart; readonly reading: LegReading },
): TimeAt {
  return reading.clock.fromEpoch(ms, reading.places[call.place]?.zone ?? part.zone);
}
