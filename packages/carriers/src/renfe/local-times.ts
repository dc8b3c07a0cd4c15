import { addDays, type LocalClock, type TimeAt } from '@ticketing/core';
import type { WireReader, WireRecord } from '../wire/wire-reader.ts';

/** What one train's times are read from. */
export interface LocalTimesQuery {
  /** Holds `fecha`, `horaSalida` and `horaLlegada`: wall clocks, with the date of departure alone. */
  readonly times: WireRecord;
  readonly originZone: string;
  readonly destinationZone: string;
  /** The journey's length, counted from `sinceMs` (default: this departure) to this arrival. */
  readonly minutes?: number | undefined;
  readonly sinceMs?: number | undefined;
}

/**
 * Reads departure and arrival. The length of the journey tells the day of arrival, and which of two
 * hours is meant when clocks go back; where it does not fit the wall clock, or is absent, an arrival
 * that reads earlier than the departure is on the next day.
 */
export function readLocalTimes(
  read: WireReader,
  clock: LocalClock,
  { times, originZone, destinationZone, minutes = 0, sinceMs }: LocalTimesQuery,
): { departure: TimeAt; arrival: TimeAt } {
  const day = read.text(times, 'fecha');
  const leaves = read.text(times, 'horaSalida');
  const arrives = read.text(times, 'horaLlegada');
  const departure = clock.fromLocal(`${day}T${leaves}`, originZone);
  const arrivalDay = arrives < leaves ? addDays(day, 1) : day;
  const byClock = clock.fromLocal(`${arrivalDay}T${arrives}`, destinationZone);
  const byLengthMs = (sinceMs ?? departure.ms) + minutes * 60_000;
  if (byLengthMs === byClock.ms || !isPlausible(byLengthMs, departure.ms))
    return { departure, arrival: byClock };
  const byLength = clock.fromEpoch(byLengthMs, destinationZone);
  return { departure, arrival: byLength.iso.slice(11, 16) === arrives ? byLength : byClock };
}

function isPlausible(arrivalMs: number, departureMs: number): boolean {
  return arrivalMs > departureMs && arrivalMs - departureMs < 2 * 86_400_000;
}
