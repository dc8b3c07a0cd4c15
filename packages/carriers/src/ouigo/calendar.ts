import {
  addDays,
  type CarrierAnswer,
  type CarrierContext,
  type CarrierDay,
  type CarrierQuery,
  isLocalDate,
  moneyFromNumber,
} from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import { errorOf } from './normalise.ts';
import {
  endsBody,
  type OuigoAccess,
  type OuigoWire,
  passengersBody,
  postAsUser,
} from './request.ts';

/** Answers of the calendar, one for each 30 days. */
export interface OuigoCalendarWire {
  readonly parts: readonly OuigoWire[];
}

/** Most days of one request. */
const MAX_DAYS = 30;

/**
 * Asks for the least price of each day, 30 days at a time. For several travellers nothing is asked: it is not known whether the prices
 * are then for all of them.
 */
export async function requestCalendar(
  access: OuigoAccess,
  query: CarrierQuery,
  context: CarrierContext,
): Promise<OuigoCalendarWire> {
  const { date, calendarUntil = date, passengers } = query;
  const ends = endsBody(query);
  const parts: OuigoWire[] = [];
  if (passengers.length > 1) return { parts };
  for (let begin = date; begin <= calendarUntil; begin = addDays(begin, MAX_DAYS)) {
    const [end] = [addDays(begin, MAX_DAYS - 1), calendarUntil].sort();
    const body = JSON.stringify({
      direction: 'outbound',
      begin,
      end,
      ...ends,
      passengers: passengersBody(query),
    });
    parts.push(await postAsUser(access, context, { path: '/Calendar/prices', body }));
  }
  return { parts };
}

/** Turns the lists of days into a calendar. A day without a price is unknown: it may be sold out, not on sale, or without trains. */
export function normaliseCalendar(
  { read }: CarrierDecoder,
  { parts }: OuigoCalendarWire,
): CarrierAnswer {
  const calendar = parts.flatMap(({ body, receivedAt }) => {
    const answer = read.json(body);
    if (!Array.isArray(answer)) {
      const { error, code } = Object(answer) as WireRecord;
      const problem = error ?? (typeof code === 'string' ? answer : undefined);
      throw problem === undefined ? read.error('a list of days', answer) : errorOf(read, problem);
    }
    return read.records(answer, 'days').flatMap((day): readonly CarrierDay[] => {
      const date = read.text(day, 'date').slice(0, 10);
      if (!isLocalDate(date)) throw read.error('a day at `date`', day['date']);
      const euros = read.optionalNumber(day, 'price');
      if (euros === undefined) return [];
      const lowest = read.guard(() => moneyFromNumber(euros, 'EUR'));
      if (lowest.amount < 0) throw read.error('a price of 0 or more', euros);
      return [{ date, state: 'priced', lowest, fetchedAt: receivedAt }];
    });
  });
  return { journeys: [], calendar };
}
