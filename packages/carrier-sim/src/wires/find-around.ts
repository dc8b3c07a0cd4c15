import { addDays, localTimeAt } from '../timetable/local-clock.ts';
import { findStation } from '../timetable/network.ts';
import type { Train } from '../timetable/train.ts';
import type { AroundQuery, Finding } from './wire.ts';

/** No page looks further than this many days after the first. */
const furthestDays = 3;

/**
 * Returns the journeys of a page, by departure: the `limit` nearest to an instant on one side of it, over midnight and over days
 * without any.
 *
 * @param findDay returns what is sold on one day
 */
export function findAround(query: AroundQuery, findDay: (date: string) => Finding): Finding {
  const {
    origin,
    atMs,
    direction,
    by = 'departure',
    skip = 0,
    limit,
    accepts = () => true,
  } = query;
  const station = findStation(origin);
  if (station === undefined || !Number.isFinite(atMs)) return { kind: 'not-served' };
  const start = localTimeAt(atMs, station.zone).date;
  const asked = findDay(start);
  // Trains of the last day on sale may arrive on the day after it.
  const sold =
    by === 'arrival' && asked.kind === 'date-not-on-sale' ? findDay(addDays(start, -1)) : asked;
  if (sold.kind !== 'trains') return asked;
  const timeOf = ({ departureMs, arrivalMs }: Train): number =>
    by === 'departure' ? departureMs : arrivalMs;
  const isOnSide = (train: Train): boolean => {
    if (direction === 'later') return timeOf(train) >= atMs;
    return by === 'departure' ? timeOf(train) < atMs : timeOf(train) <= atMs;
  };
  const step = direction === 'later' ? 1 : -1;
  const found: Train[] = [];
  // A train of the day before may arrive after the instant. Of the days after the one that fills the page, one is read too: its
  // trains may arrive before slower ones.
  const [first, beyond] = by === 'departure' ? [0, 0] : [direction === 'later' ? -1 : 0, 1];
  let left = beyond;
  for (let days = first; days <= furthestDays; days++) {
    const day = days === 0 ? asked : findDay(addDays(start, days * step));
    if (day.kind === 'trains')
      found.push(...day.trains.filter((one) => isOnSide(one) && accepts(one)));
    if (days >= 0 && found.length >= skip + limit && left-- === 0) break;
  }
  const nearest = found
    .sort((a, b) => step * (timeOf(a) - timeOf(b)))
    .slice(skip, skip + Math.max(0, limit));
  return { kind: 'trains', trains: nearest.sort((a, b) => a.departureMs - b.departureMs) };
}
