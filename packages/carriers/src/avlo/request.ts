import {
  addDays,
  type CarrierContext,
  CarrierError,
  type CarrierHttpResponse,
  type CarrierQuery,
  type LocalClock,
} from '@ticketing/core';
import { stationCode } from '../stations/station-table.ts';
import { refuseRedirect } from '../wire/page-for-people.ts';

/** The documents of the UTC days that a local day overlaps, and when the last one arrived (epoch ms). */
export interface AvloWire {
  readonly days: readonly Uint8Array<ArrayBuffer>[];
  readonly receivedAt: number;
}

/** Requests the timetable of each UTC day that the local day overlaps: one or two, at the same time. */
export async function requestAvlo(
  baseUrl: string,
  clock: LocalClock,
  { date, origin, destination }: CarrierQuery,
  context: CarrierContext,
): Promise<AvloWire> {
  for (const station of [origin, destination]) stationCode('avlo', station);
  const first = clock.epoch(`${date}T00:00`, origin.zone);
  const last = clock.epoch(`${addDays(date, 1)}T00:00`, origin.zone) - 1;
  const windows = new Set([first, last].map((ms) => new Date(ms).toISOString().slice(0, 10)));
  const answers = await Promise.all(
    [...windows].map((day) => readDay(`${baseUrl}/timetable/${day}.json`, context)),
  );
  return {
    days: answers.map(({ body }) => body),
    receivedAt: Math.max(...answers.map(({ receivedAt }) => receivedAt)),
  };
}

async function readDay(url: string, context: CarrierContext): Promise<CarrierHttpResponse> {
  const { http, signal, deadline } = context;
  try {
    const response = await http.send({ method: 'GET', url, signal, deadline });
    refuseRedirect('avlo', response);
    return response;
  } catch (error) {
    if (!CarrierError.is(error) || error.httpStatus !== 404) throw error;
    const message = `Cannot ask \`avlo\`: ${url.slice(-15, -5)} is not on sale`;
    throw new CarrierError('DATE_OUT_OF_RANGE', message, { cause: error });
  }
}
