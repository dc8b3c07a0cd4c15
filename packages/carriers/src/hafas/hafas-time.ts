import { addDays, type LocalClock } from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';

/** A time as the wire writes it. */
export interface WireTime {
  /** The day of the connection, `20261201`. */
  readonly day: string;
  /** `061000`; more than six digits begin with a count of days, `01061000`. */
  readonly text: string;
  /** Minutes ahead of UTC; `undefined`: the clocks of the server's zone show the time. */
  readonly offset: number | undefined;
}

/**
 * Returns the instants that a time may mean, ascending: one, or two for the hour that clocks show twice, where the wire does not
 * tell them apart.
 *
 * @throws CarrierError `PROTOCOL` for what is not a time; RailError for a day or a time of day that does not exist
 */
export function readTime(
  { read, clock }: Pick<CarrierDecoder, 'read' | 'clock'>,
  { day, text, offset }: WireTime,
  zone: string,
): readonly [number, ...number[]] {
  const [, year, month, date] = /^(\d{4})(\d{2})(\d{2})$/.exec(day) ?? [];
  if (year === undefined) throw read.error('a day of eight digits', day);
  const [, days, hours, minutes, seconds] = /^(\d{0,3})(\d{2})(\d{2})(\d{2})$/.exec(text) ?? [];
  if (days === undefined) throw read.error('a time of six to nine digits', text);
  const local = `${addDays(`${year}-${month}-${date}`, Number(days))}T${hours}:${minutes}:${seconds}`;
  if (offset !== undefined) {
    if (!(Number.isInteger(offset) && Math.abs(offset) <= 24 * 60)) {
      throw read.error('an offset in minutes', offset);
    }
    return [clock.epoch(local, 'UTC') - offset * 60_000];
  }
  const first = clock.epoch(local, zone);
  const again = first + 3_600_000;
  return clock.fromEpoch(again, zone).iso.startsWith(local) ? [first, again] : [first];
}

/** Returns an instant as the wire writes questions: on the clocks of the server's zone. */
export function writeTime(
  clock: LocalClock,
  ms: number,
  zone: string,
): { readonly date: string; readonly time: string } {
  const { iso } = clock.fromEpoch(ms, zone);
  return {
    date: iso.slice(0, 10).replaceAll('-', ''),
    time: iso.slice(11, 19).replaceAll(':', ''),
  };
}

/** Returns the minutes of a duration, `003700`, or with days before them, `01003700`; `undefined` for another value. */
export function minutesOf(text: unknown): number | undefined {
  const [, days, hours, minutes] =
    (typeof text === 'string' && /^(\d{0,3})(\d\d)(\d\d)\d\d$/.exec(text)) || [];
  return days === undefined
    ? undefined
    : Number(days) * 1440 + Number(hours) * 60 + Number(minutes);
}
