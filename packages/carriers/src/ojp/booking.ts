import { addDays, type LocalDate, type RideLeg, type TimeAt } from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import { joinTexts } from '../wire/remarks.ts';
import { childOf, childrenOf, textAt, type XmlElement } from '../wire/xml-reader.ts';
import { minutesOf } from './calls.ts';

/** The ride of a service, as far as it decides until when it is booked. */
interface BookedRide {
  readonly departure: TimeAt;
  readonly zone: string;
  readonly isTrain: boolean;
}

const TIME = /^([01]\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?$/;
const none: readonly XmlElement[] = [];
const onDemand: ReadonlySet<unknown> = new Set(['service', 'stop']);

/**
 * Returns the booking of a ride that runs only if it was booked: the service needs a booking, or is a line on demand, or has
 * arrangements for it and is no train, which people may book but need not.
 */
export function bookingOf(
  decoder: Pick<CarrierDecoder, 'clock'>,
  service: XmlElement | undefined,
  ride: BookedRide,
): Pick<RideLeg, 'booking'> {
  const arrangements = arrangementsOf(service);
  const need = textAt(service, 'ReservationNeeded');
  const isOnDemand =
    onDemand.has(need) ||
    textAt(service, 'AlternativeModeOfOperation') === 'demandResponsive' ||
    (need === undefined && arrangements.length > 0 && !ride.isTrain);
  if (!isOnDemand) return {};
  const text = joinTexts(bookingTexts(service));
  const until = untilOf(decoder, arrangements, ride);
  return { booking: { ...(until && { until }), ...(text !== undefined && { text }) } };
}

/** Returns how a service is booked, in words: the notes of its arrangements, and whom to ask. */
export function bookingTexts(service: XmlElement | undefined): readonly (string | undefined)[] {
  return arrangementsOf(service).flatMap(textsOf);
}

function arrangementsOf(service: XmlElement | undefined): readonly XmlElement[] {
  const list = childOf(service, 'BookingArrangements');
  return list === undefined ? none : childrenOf(list, 'BookingArrangement');
}

function textsOf(arrangement: XmlElement): readonly (string | undefined)[] {
  const notes = childrenOf(childOf(arrangement, 'BookingNotes'), 'BookingNote');
  const contact = childOf(arrangement, 'BookingContact');
  return [
    ...notes.map((note) => textAt(note, 'Text')),
    textAt(contact, 'Phone'),
    textAt(contact, 'Email'),
    textAt(arrangement, 'BookingUrl', 'Url') ?? textAt(contact, 'Url'),
  ];
}

/**
 * Returns the last instant for a booking, where the arrangements have one: some time before the departure, or a time of the day before or
 * of the same day; of several the first. A time of day alone leaves the day open.
 */
function untilOf(
  { clock }: Pick<CarrierDecoder, 'clock'>,
  arrangements: readonly XmlElement[],
  { departure, zone }: BookedRide,
): TimeAt | undefined {
  const [arrangement, ...others] = arrangements;
  // Each is another way to book.
  if (arrangement === undefined || others.length > 0) return undefined;
  const limits: number[] = [];
  const minutes = minutesOf(textAt(arrangement, 'MinimumBookingPeriod'));
  if (minutes !== undefined) limits.push(departure.ms - minutes * 60_000);
  const time = TIME.exec(textAt(arrangement, 'LatestBookingTime') ?? '');
  const day = departure.iso.slice(0, 10) as LocalDate;
  const when = textAt(arrangement, 'BookWhen');
  if (time !== null && (when === 'untilPreviousDay' || when === 'dayOfTravelOnly')) {
    const date = when === 'dayOfTravelOnly' ? day : addDays(day, -1);
    limits.push(clock.epoch(`${date}T${time[1]}:${time[2]}`, zone));
  }
  return limits.length > 0 ? clock.fromEpoch(Math.min(...limits), zone) : undefined;
}
