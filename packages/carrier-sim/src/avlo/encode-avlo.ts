import { stationOf } from '../timetable/network.ts';
import type { Train } from '../timetable/train.ts';

/**
 * Writes Avlo's timetable: JSON rows by date, and by station ids within a minute.
 *
 * @throws TypeError when Avlo has no id for a station.
 */
export function encodeAvlo(trains: readonly Train[]): string {
  const rows = trains.map((train) => {
    const fare = train.fares.find(({ seller }) => seller === 'avlo');
    return {
      date: new Date(train.departureMs).toISOString(),
      origin: avloIdOf(train.origin),
      destination: avloIdOf(train.destination),
      price: fare ? fare.cents / 100 : null,
    };
  });
  const sorted = rows.sort(
    (a, b) =>
      Date.parse(a.date) - Date.parse(b.date) ||
      a.origin - b.origin ||
      a.destination - b.destination,
  );
  return JSON.stringify(sorted);
}

function avloIdOf(uic: string): number {
  const { avloId, name } = stationOf(uic);
  if (avloId !== undefined) return avloId;
  throw new TypeError(`Cannot encode train: expected a station of Avlo, got "${name}"`);
}
