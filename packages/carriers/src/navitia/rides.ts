import type { RideLeg, RideStop, TimeAt } from '@ticketing/core';
import { optionalPart } from '../wire/optional-part.ts';
import { type JourneyDecoder, LeftOut, type WirePlace } from '../wire/read-journeys.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import { namesOf } from './names.ts';
import { bookingOf, disruptionsOf, type Notes, remarksOf } from './notes.ts';
import { type PlaceContext, placeOf } from './stops.ts';
import { nearestReading, type Span, spanOf } from './times.ts';

/** Data of an answer that rides need. */
export interface RideContext extends PlaceContext {
  readonly notes: Notes;
  /** True if rides have the stations where they call on the way. */
  readonly stops: boolean;
}

/** A ride, and whether a disruption takes it out of service. */
export interface NavitiaRide {
  readonly ride: RideLeg;
  readonly isStopped: boolean;
}

/** Most stations of a ride on the way: of a longer list nothing is shown. */
const MAX_STOPS = 300;

/** Reads a section in a vehicle. */
export function rideOf(
  decoder: JourneyDecoder,
  section: WireRecord,
  context: RideContext,
): NavitiaRide {
  const { region, notes } = context;
  const span = spanOf(
    {
      departure: section['departure_date_time'],
      arrival: section['arrival_date_time'],
      duration: section['duration'],
    },
    region,
  );
  if (span === undefined) throw wrongTimes(decoder, section);
  const from = placeOf(decoder, section['from'], context);
  const to = placeOf(decoder, section['to'], context);
  const leaves = timesAt(from, section['base_departure_date_time'], span.departureMs, context);
  const arrives = timesAt(to, section['base_arrival_date_time'], span.arrivalMs, context);
  const own = linksOf(decoder, section);
  const all = [
    ...linksOf(decoder, section['display_informations']),
    ...own,
    ...stopLinks(decoder, section['from']),
    ...stopLinks(decoder, section['to']),
  ];
  const remarks = remarksOf(all, notes);
  const booking = bookingOf(decoder.read, section);
  const stops = context.stops ? stopsOf(decoder, section, { ...context, span }) : undefined;
  const ride: RideLeg = {
    kind: 'ride',
    origin: from.id,
    destination: to.id,
    departure: leaves.planned,
    arrival: arrives.planned,
    ...(leaves.expected && { expectedDeparture: leaves.expected }),
    ...(arrives.expected && { expectedArrival: arrives.expected }),
    ...namesOf(section, own),
    ...(remarks && { remarks }),
    ...(stops && { stops }),
    ...(booking && { booking }),
  };
  const isStopped = disruptionsOf(all, notes).some(({ effect }) => effect === 'NO_SERVICE');
  return { ride, isStopped };
}

/** A section without times is left out; one with a text that is no time cannot be read. */
function wrongTimes({ read }: JourneyDecoder, section: WireRecord): Error {
  const names = ['departure_date_time', 'arrival_date_time'] as const;
  const texts = names.map((name) => section[name] ?? '');
  if (texts.some((text) => text === '')) return new LeftOut('without a time');
  return read.error('a time such as 20261201T070000', texts[0]);
}

/** Returns the time of the timetable, and another one where the train is expected at it. */
function timesAt(
  { zone }: WirePlace,
  base: unknown,
  ms: number,
  { region }: RideContext,
): { readonly planned: TimeAt; readonly expected?: TimeAt } {
  const { clock } = region;
  // A stop that was added has no time in the timetable.
  const plannedMs = nearestReading(base, ms, region) ?? ms;
  const planned = clock.fromEpoch(plannedMs, zone);
  return plannedMs === ms ? { planned } : { planned, expected: clock.fromEpoch(ms, zone) };
}

/** Returns the links of a record. */
function linksOf({ read }: JourneyDecoder, record: unknown): readonly WireRecord[] {
  const { links } = Object(record) as WireRecord;
  return read.items(links, 'links').map((link) => Object(link) as WireRecord);
}

function stopLinks(decoder: JourneyDecoder, end: unknown): readonly WireRecord[] {
  const { stop_point: point } = Object(end) as WireRecord;
  const { stop_area: area } = Object(point) as WireRecord;
  return [...linksOf(decoder, point), ...linksOf(decoder, area)];
}

/** Returns the stations between the ends of a ride. Where one of them cannot be read there is no list: it would have a gap. */
function stopsOf(
  decoder: JourneyDecoder,
  section: WireRecord,
  context: RideContext & { readonly span: Span },
): readonly RideStop[] | undefined {
  const { stop_date_times: list } = section;
  if (!Array.isArray(list) || list.length < 2 || list.length > MAX_STOPS + 2) return undefined;
  return optionalPart(() =>
    list.slice(1, -1).map((one) => stopOf(decoder, decoder.read.record(one, 'stop'), context)),
  );
}

function stopOf(
  decoder: JourneyDecoder,
  call: WireRecord,
  context: RideContext & { readonly span: Span },
): RideStop {
  const place = placeOf(decoder, call['stop_point'], context);
  const { departureMs } = context.span;
  const [arrives, leaves] = (['arrival', 'departure'] as const).map((side) => {
    const ms = nearestReading(call[`${side}_date_time`], departureMs, context.region);
    return ms === undefined
      ? undefined
      : timesAt(place, call[`base_${side}_date_time`], ms, context);
  });
  if (arrives === undefined && leaves === undefined) throw new LeftOut('without a time of a stop');
  return {
    station: place.id,
    ...(arrives && { arrival: arrives.planned }),
    ...(arrives?.expected && { expectedArrival: arrives.expected }),
    ...(leaves && { departure: leaves.planned }),
    ...(leaves?.expected && { expectedDeparture: leaves.expected }),
  };
}
