import type { Feed } from '../feed/feed.ts';
import { NO_ALIGHTING } from '../feed/feed.ts';
import type { BestDeparture } from './best-departures.ts';
import type { Stream } from './open-streams.ts';
import type { Profile } from './profile.ts';
import { type Reach, stayAfter } from './reach.ts';

/** Part of a ride in one run, between two rows of the stop times. */
export interface RidePart {
  readonly stream: Stream;
  readonly run: number;
  readonly firstRow: number;
  readonly lastRow: number;
}

/** A ride: one part, or several between which people stay seated. */
export type FoundRide = readonly [RidePart, ...RidePart[]];

/** Everything that a scan has found. */
export interface Scanned {
  readonly streams: readonly Stream[];
  readonly reach: Reach;
  readonly profile: Profile;
  /** Seconds on foot from a node to the destination, by nodes where journeys may end. */
  readonly secondsToEnd: ReadonlyMap<number, number>;
}

/**
 * Returns the rides of a best departure. Of each ride the stop is looked for where its arrival comes true: at the destination, or by a
 * change to an entry with the same arrival.
 */
export function unroll(feed: Feed, scanned: Scanned, best: BestDeparture): readonly FoundRide[] {
  const { reach, streams } = scanned;
  const rides: FoundRide[] = [];
  let place: number | undefined = best.place;
  for (let left = best.rides; place !== undefined; left--) {
    const stream = streams[reach.streams[place] as number] as Stream;
    const end = endOfRide(feed, scanned, { stream, place, left, arrival: best.arrival });
    rides.push(end.ride);
    place = end.next;
  }
  return rides;
}

interface RideEnd {
  readonly ride: FoundRide;
  /** Place in the reach where the next ride begins; absent at the destination. */
  readonly next: number | undefined;
}

function endOfRide(
  feed: Feed,
  scanned: Scanned,
  {
    stream,
    place,
    left,
    arrival,
  }: { stream: Stream; place: number; left: number; arrival: number },
): RideEnd {
  const { stops, arrivals, flags } = feed.stopTimes;
  const { firstRows } = feed.trips;
  const parts: RidePart[] = [];
  let run = feed.connections.runs[scanned.reach.connections[place] as number] as number;
  let firstRow = feed.connections.rows[scanned.reach.connections[place] as number] as number;
  while (run >= 0) {
    const trip = feed.runs.trips[run] as number;
    const end = firstRows[trip + 1] as number;
    const base = stream.base + (feed.runs.shifts[run] as number);
    for (let row = firstRow + 1; row < end; row++) {
      if (((flags[row] as number) & NO_ALIGHTING) !== 0) continue;
      const node = feed.stops.nodes[stops[row] as number] as number;
      const time = base + (arrivals[row] as number);
      const isEnd = time + (scanned.secondsToEnd.get(node) ?? Number.NaN) === arrival;
      const next = isEnd ? undefined : changeAt(feed, scanned, { node, time, left, arrival });
      if (!isEnd && next === undefined) continue;
      return {
        ride: [...parts, { stream, run, firstRow, lastRow: row }] as unknown as FoundRide,
        next,
      };
    }
    parts.push({ stream, run, firstRow, lastRow: end - 1 });
    run = stayAfter(feed, trip, stream.active);
    firstRow = run < 0 ? -1 : (firstRows[feed.runs.trips[run] as number] as number);
  }
  throw new Error('Cannot follow a journey to its end');
}

/** Returns the place of the last departure after a change here that still arrives in time, `undefined` without one. */
function changeAt(
  feed: Feed,
  { profile }: Scanned,
  { node, time, left, arrival }: { node: number; time: number; left: number; arrival: number },
): number | undefined {
  if (left < 2) return undefined;
  const { first, to, seconds } = feed.changes;
  for (let at = first[node] as number; at < (first[node + 1] as number); at++) {
    let entry = profile.from(to[at] as number, time + (seconds[at] as number));
    if (entry === 0 || profile.arrival(entry, left - 1) !== arrival) continue;
    // Earlier entries repeat the arrival of the one that it is of.
    for (let later = profile.next(entry); later !== 0; later = profile.next(entry)) {
      if (profile.arrival(later, left - 1) !== arrival) break;
      entry = later;
    }
    return profile.place(entry);
  }
  return undefined;
}
