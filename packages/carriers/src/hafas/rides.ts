import { isLocalDate, type Platform, type RideLeg, type TimeAt } from '@ticketing/core';
import type { WirePlace } from '../wire/read-journeys.ts';
import { joinPlain, listRemarks } from '../wire/remarks.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import { type Call, type CallDecoder, type ConnectionDecoder, entryOf, isGiven } from './calls.ts';
import { indexOf, itemsOf } from './lists.ts';
import type { HafasNote } from './notes.ts';
import { nameOf, numberOf, textOf } from './products.ts';
import { stopsOf } from './stops.ts';

/** Most trains that are coupled to another one. */
const MAX_COUPLED = 10;

/** Reads a section that is a ride between two calls. */
export function rideOf(
  decoder: CallDecoder,
  section: WireRecord,
  [from, to]: readonly [from: Call, to: Call],
): RideLeg {
  const { row, frame } = decoder;
  const { read, clock } = row;
  const journey = read.record(section['jny'] ?? {}, 'jny');
  const at = (ms: number, place: WirePlace): TimeAt => clock.fromEpoch(ms, place.zone);
  const product = isGiven(journey['prodX'])
    ? entryOf(row, frame.products, journey, 'prodX')
    : undefined;
  const operator = frame.operators[indexOf(product?.['oprX']) ?? -1];
  const notes = frame.notes.at(
    journey['msgL'],
    section['msgL'],
    (section['dep'] as WireRecord)['msgL'],
    (section['arr'] as WireRecord)['msgL'],
  );
  const operatorName = textOf(Object(operator), 'name') ?? operatorOf(notes);
  return {
    kind: 'ride',
    origin: from.place.id,
    destination: to.place.id,
    departure: at(from.plannedMs, from.place),
    arrival: at(to.plannedMs, to.place),
    ...(from.expectedMs !== undefined && { expectedDeparture: at(from.expectedMs, from.place) }),
    ...(to.expectedMs !== undefined && { expectedArrival: at(to.expectedMs, to.place) }),
    ...((journey['isCncl'] === true || from.cancelled || to.cancelled) && { cancelled: true }),
    ...nameOf(decoder, product ?? {}),
    ...(operatorName !== undefined && { operator: operatorName }),
    ...dayOf(journey),
    ...coupledTo(decoder, section),
    ...platformsOf(from.platform, to.platform),
    ...remarksOf(decoder, notes),
    ...(decoder.stops && stopsOf(decoder, journey, [from, to])),
  };
}

function platformsOf(
  departurePlatform: Platform | undefined,
  arrivalPlatform: Platform | undefined,
): Pick<RideLeg, 'departurePlatform' | 'arrivalPlatform'> {
  return {
    ...(departurePlatform && { departurePlatform }),
    ...(arrivalPlatform && { arrivalPlatform }),
  };
}

/** An attribute names the operator where its list lacks it. */
function operatorOf(notes: Iterable<HafasNote>): string | undefined {
  for (const { operator } of notes) if (operator !== undefined) return operator;
  return undefined;
}

/** Attributes of how a ride is booked are no remarks: the profile lists them. */
function remarksOf(
  { profile: { bookingCodes } }: ConnectionDecoder,
  notes: ReadonlySet<HafasNote>,
): Pick<RideLeg, 'remarks' | 'booking'> {
  if (notes.size === 0) return {};
  const isBooking = ({ code }: HafasNote): boolean =>
    code !== undefined && bookingCodes.includes(code);
  const all = [...notes];
  const booked = all.filter(isBooking);
  const text = joinPlain(booked.map(({ remark }) => remark?.text));
  const remarks = listRemarks(all.filter((note) => !isBooking(note)).map(({ remark }) => remark));
  return {
    ...(remarks && { remarks }),
    ...(booked.length > 0 && { booking: { ...(text !== undefined && { text }) } }),
  };
}

/** Returns the numbers of the trains that run together with the one of a section. */
function coupledTo(
  { frame }: ConnectionDecoder,
  section: WireRecord,
): Pick<RideLeg, 'otherNumbers'> {
  const { parJnyL, jny } = section;
  const numbers = new Set<string>();
  for (const each of itemsOf(parJnyL).slice(0, MAX_COUPLED)) {
    const product = productOf(frame.products, Object(each).prodX);
    const number = numberOf(product);
    if (number !== undefined) numbers.add(number);
  }
  numbers.delete(numberOf(productOf(frame.products, Object(jny).prodX)) ?? '');
  return numbers.size > 0 ? { otherNumbers: [...numbers] } : {};
}

function productOf(products: readonly unknown[], at: unknown): WireRecord {
  return Object(products[indexOf(at) ?? -1]) as WireRecord;
}

/** The day under which the operator runs the train, as eight digits. */
function dayOf({ trainStartDate }: WireRecord): Pick<RideLeg, 'operatingDay'> {
  if (typeof trainStartDate !== 'string' || !/^\d{8}$/.test(trainStartDate)) return {};
  const day = `${trainStartDate.slice(0, 4)}-${trainStartDate.slice(4, 6)}-${trainStartDate.slice(6)}`;
  return isLocalDate(day) ? { operatingDay: day } : {};
}
