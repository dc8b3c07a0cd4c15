import {
  addDays,
  type CarrierContext,
  CarrierError,
  type CarrierHttpResponse,
  type LocalClock,
  type ResolvedQuery,
} from '@ticketing/core';
import { stationCode } from '../wire/station-code.ts';

/** The bytes of the one-day windows that a local day touches, and when they came (epoch ms). */
export interface AvloWire {
  readonly days: readonly Uint8Array<ArrayBuffer>[];
  readonly receivedAt: number;
}

/** Reads the timetable of each UTC day in which the local day has a part: one or two, side by side. */
export async function requestAvlo(
  baseUrl: string,
  clock: LocalClock,
  { date, origin, destination }: ResolvedQuery,
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
    return await http.send({ method: 'GET', url, signal, deadline });
  } catch (error) {
    if (!CarrierError.is(error) || error.httpStatus !== 404) throw error;
    throw new CarrierError(
      'DATE_OUT_OF_RANGE',
      `Cannot ask avlo: a day on sale expected, got ${url.slice(-15, -5)}`,
      {
        cause: error,
      },
    );
  }
}
