import {
  CarrierError,
  type Platform,
  RailError,
  type RideStop,
  type TimeAt,
} from '@ticketing/core';
import { type JourneyDecoder, LeftOut, type WirePlace } from '../wire/read-journeys.ts';
import { shownText } from '../wire/shown-text.ts';
import { wireInstant } from '../wire/wire-instant.ts';
import { childOf, childrenOf, textAt, type XmlElement } from '../wire/xml-reader.ts';
import { type StopContext, stopOf } from './places.ts';

const DURATION =
  /^P(?:0+Y)?(?:0+M)?(?:(\d{1,3})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:(\d{1,6}(?:\.\d{1,9})?)S)?)?$/;

/** Most stations of a ride on the way: of a longer list nothing is shown. */
const MAX_STOPS = 300;

/** One time of a call: as planned, and as expected. A train that runs in addition has no planned time. */
interface CallTime {
  readonly planned: TimeAt;
  readonly expected: TimeAt | undefined;
}

/**
 * Reads an arrival or a departure; `undefined` without one.
 *
 * @throws CarrierError for a time that is none
 */
export function callTimeOf(
  decoder: JourneyDecoder,
  service: XmlElement | undefined,
  { zone }: Pick<WirePlace, 'zone'>,
): CallTime | undefined {
  const expected = textAt(service, 'EstimatedTime');
  const planned = textAt(service, 'TimetabledTime') ?? expected;
  if (planned === undefined) return undefined;
  return {
    planned: timeAt(decoder, planned, zone),
    expected: expected === undefined ? undefined : timeAt(decoder, expected, zone),
  };
}

/** Returns the platform of a call. */
export function platformOf(call: XmlElement | undefined): Platform | undefined {
  const planned = shownText(textAt(call, 'PlannedQuay', 'Text'));
  const expected = shownText(textAt(call, 'EstimatedQuay', 'Text'));
  if (planned === undefined && expected === undefined) return undefined;
  return { ...(planned !== undefined && { planned }), ...(expected !== undefined && { expected }) };
}

/**
 * Reads where a ride calls between its ends. A list of which something cannot be read is none: it would lack a station, and costs no
 * trip.
 */
export function stopsOf(
  decoder: JourneyDecoder,
  timed: XmlElement,
  context: StopContext,
): readonly RideStop[] | undefined {
  const calls = childrenOf(timed, 'LegIntermediate', 'LegIntermediates');
  // Without one, only their order shows that the ends follow each other.
  if (calls.length > MAX_STOPS || (calls.length === 0 && !isNext(timed))) return undefined;
  try {
    return calls.map((call) => rideStopOf(decoder, call, context));
  } catch (error) {
    if (error instanceof LeftOut || CarrierError.is(error) || RailError.is(error)) return undefined;
    throw error;
  }
}

function isNext(timed: XmlElement): boolean {
  const [from, to] = (['LegBoard', 'LegAlight'] as const).map((end) =>
    Number(textAt(timed, end, 'Order') ?? Number.NaN),
  ) as [number, number];
  return to === from + 1;
}

function rideStopOf(decoder: JourneyDecoder, call: XmlElement, context: StopContext): RideStop {
  const place = stopOf(decoder, call, context);
  const [arrives, leaves] = (['ServiceArrival', 'ServiceDeparture'] as const).map((name) =>
    callTimeOf(decoder, childOf(call, name), place),
  );
  if (arrives === undefined && leaves === undefined) throw new LeftOut('without a time of a stop');
  const platform = platformOf(call);
  return {
    station: place.id,
    ...(arrives && { arrival: arrives.planned }),
    ...(leaves && { departure: leaves.planned }),
    ...(arrives?.expected && { expectedArrival: arrives.expected }),
    ...(leaves?.expected && { expectedDeparture: leaves.expected }),
    ...(platform && { platform }),
    ...(isTrue(call, 'NotServicedStop') && { cancelled: true }),
  };
}

/** Returns an instant in UTC or with its offset; a text without one is on the clocks of the stop. */
function timeAt({ read, clock }: JourneyDecoder, text: string | undefined, zone: string): TimeAt {
  const ms = wireInstant(clock, text, zone);
  if (ms === undefined) throw read.error('a time', text);
  return clock.fromEpoch(ms, zone);
}

/** Returns the minutes of `PT1H5M`; of a text that is no duration none, because nothing depends on them. */
export function minutesOf(text: string | undefined): number | undefined {
  const [whole, days = 0, hours = 0, minutes = 0, seconds = 0] = DURATION.exec(text ?? '') ?? [];
  if (whole === undefined) return undefined;
  return (
    Number(days) * 1440 + Number(hours) * 60 + Number(minutes) + Math.round(Number(seconds) / 60)
  );
}

/** Returns whether an element has a child that is true. */
export function isTrue(element: XmlElement | undefined, name: string): boolean {
  const text = textAt(element, name);
  return text === 'true' || text === '1';
}
