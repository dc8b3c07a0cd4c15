import {
  type CarrierAnswer,
  type CarrierContext,
  type CarrierDay,
  type CarrierQuery,
  isLocalDate,
  moneyFromNumber,
} from '@ticketing/core';
import { stationCode } from '../stations/station-table.ts';
import type { CarrierDecoder } from '../wire/decoder.ts';
import { refuseRedirect } from '../wire/page-for-people.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import { readLists } from './normalise.ts';
import type { RenfeWire } from './request.ts';

/** Asks the service behind the shop's price calendar: one request, and no session. */
export async function requestCalendar(
  calendarUrl: string,
  { origin, destination, date, calendarUntil = date }: CarrierQuery,
  { http, signal, deadline }: CarrierContext,
): Promise<RenfeWire> {
  const response = await http.send({
    method: 'POST',
    url: `${calendarUrl}/api/wsrviajeros/vhi_priceCalendar`,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      originId: stationCode('renfe', origin),
      destinyId: stationCode('renfe', destination),
      initDate: date,
      endDate: calendarUntil,
      salesChannel: { codApp: 'VLP' },
    }),
    signal,
    deadline,
    // A pair that the calendar lacks; the shop may sell it.
    alsoResolve: [404],
  });
  refuseRedirect('renfe', response);
  const { status, receivedAt } = response;
  const body = status === 404 ? new TextEncoder().encode('{}') : response.body;
  return { isCalendar: true, body, receivedAt };
}

/**
 * Turns the days of a calendar, or those beside the trains of an answer, into days. Prices are per person. A day without a price is
 * unknown: it may be sold out, not on sale, or without trains.
 */
export function normaliseCalendar(
  decoder: CarrierDecoder,
  { isCalendar, body, receivedAt }: RenfeWire,
  query: CarrierQuery,
): CarrierAnswer {
  const { read } = decoder;
  const calendars = isCalendar
    ? [read.record(read.json(body), 'answer')]
    : readLists(read, body).lists.map(
        ({ resultPriceCalendar }) => Object(resultPriceCalendar) as WireRecord,
      );
  const calendar = calendars
    .flatMap((one) => read.records(one['journeysPriceCalendar'], 'journeysPriceCalendar'))
    .flatMap((day): readonly CarrierDay[] => {
      const date = read.text(day, 'date');
      if (!isLocalDate(date)) throw read.error('a day at `date`', date);
      const euros = read.optionalNumber(day, 'minPrice');
      // Without a price it is 0.
      if (euros === undefined || euros === 0 || !read.isTrue(day, 'minPriceAvailable')) return [];
      const lowest = read.guard(() => decoder.total(moneyFromNumber(euros, 'EUR'), query));
      return [{ date, state: 'priced', lowest, fetchedAt: receivedAt }];
    });
  return { journeys: [], calendar };
}
