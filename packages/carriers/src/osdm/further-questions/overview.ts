import {
  type CarrierAnswer,
  type CarrierContext,
  type CarrierDay,
  CarrierError,
  type CarrierQuery,
  type LocalDate,
} from '@ticketing/core';
import { wireInstant } from '../../wire/wire-instant.ts';
import { overviewBody } from '../encode-request.ts';
import type { OsdmDecoder } from '../normalise.ts';
import { moneyOf } from '../offers.ts';
import { problemError } from '../problem.ts';
import { type Bytes, type OsdmAccess, send } from '../request.ts';

/** Bytes of a provider's overview of prices; absent: it has none. */
export interface OsdmOverviewWire {
  readonly overview?: Bytes;
  readonly receivedAt: number;
}

/** Statuses of a provider without this resource, which is optional. */
const NO_RESOURCE: readonly (number | undefined)[] = [404, 405, 501];

/** Asks for the least price of each day from `date` to `calendarUntil`: one request. */
export async function requestOverview(
  access: OsdmAccess,
  query: CarrierQuery,
  context: CarrierContext,
): Promise<OsdmOverviewWire> {
  const { carrier, codes, decoder, now } = access;
  const body = overviewBody(query, { carrier, codes, clock: decoder.clock });
  try {
    const overview = await send(access, context, { path: '/offer-overview-route', body });
    return { overview, receivedAt: now() };
  } catch (error) {
    const isNone = CarrierError.is(error) && NO_RESOURCE.includes(error.httpStatus);
    if (!isNone || error.code === 'NOT_SERVED') throw error;
    return { receivedAt: now() };
  }
}

/**
 * Turns an overview into days: of the prices of a day, one for each class and flexibility, the least. A day without a price is unknown,
 * because the standard does not say whether it is sold out.
 */
export function normaliseOverview(
  { decoder }: OsdmDecoder,
  { overview, receivedAt }: OsdmOverviewWire,
  query: CarrierQuery,
): CarrierAnswer {
  if (overview === undefined) return { journeys: [], calendar: [] };
  const { read, carrier, clock } = decoder;
  const answer = read.record(read.json(overview), 'answer');
  const rows = read.records(answer['offerOverviews'], 'offerOverviews');
  const [problem] = read.items(answer['problems'], 'problems');
  if (rows.length === 0 && problem !== undefined) throw problemError(carrier, problem, 200);
  const days = new Map<LocalDate, CarrierDay>();
  read.guard(() => {
    for (const { price, startDateTime } of rows) {
      if (price === undefined || price === null) continue;
      const ms = wireInstant(clock, startDateTime, query.origin.zone);
      if (ms === undefined) throw read.error('a timestamp at `startDateTime`', startDateTime);
      const date = clock.dateOf(ms, query.origin.zone);
      const lowest = moneyOf(read, price, 'price');
      const known = days.get(date)?.lowest;
      // Amounts of two currencies are not compared.
      if (known !== undefined && known.currency !== lowest.currency) {
        days.set(date, { date, state: 'unknown', fetchedAt: receivedAt });
      } else if (!days.has(date) || (known !== undefined && lowest.amount < known.amount)) {
        days.set(date, { date, state: 'priced', lowest, fetchedAt: receivedAt });
      }
    }
  });
  return { journeys: [], calendar: [...days.values()] };
}
