import type { Feed } from '../feed/feed.ts';
import { NO_ALIGHTING, NO_BOARDING } from '../feed/feed.ts';
import type { End } from './ends.ts';
import type { Stream } from './open-streams.ts';

/** Later than every time of a scan. */
export const NEVER = 0x7fff_ffff;

/** Connections that people can be in who start at some nodes, in the order of departure. */
export interface Reach {
  readonly length: number;
  /** Connection, and index of its stream. */
  readonly connections: Int32Array;
  readonly streams: Uint16Array;
  /** A number from 1 on for each ride of a run on a day that is reached. */
  readonly slots: Int32Array;
  readonly slotCount: number;
  /** Slot of a run on a stream's day, 0 if it is not reached. */
  slotOf(stream: number, run: number): number;
}

/**
 * Scans all streams once by departure, from `origins` at the start of the window, and keeps the connections that can be reached: the scan for
 * journeys then passes over no others.
 */
export function reachFrom(feed: Feed, streams: readonly Stream[], origins: readonly End[]): Reach {
  const { departures, arrivals, from, to, runs, rows } = feed.connections;
  const { first: firstChange, to: changeTo, seconds: changeSeconds, nodeCount } = feed.changes;
  const { flags } = feed.stopTimes;
  const { trips: tripOf } = feed.runs;
  const { services } = feed.trips;
  const runCount = tripOf.length;
  const total = streams.reduce((sum, { first, end }) => sum + end - first, 0);
  const slotsOfRuns = new Int32Array(streams.length * runCount);
  const earliest = new Int32Array(nodeCount).fill(NEVER);
  const arrived = new Int32Array(nodeCount).fill(NEVER);
  for (const { node, seconds } of origins) earliest[node] = seconds;
  const found = {
    connections: new Int32Array(total),
    streams: new Uint16Array(total),
    slots: new Int32Array(total),
  };
  const cursors = mergeByDeparture(feed, streams);
  let length = 0;
  let slotCount = 0;
  for (let stream = cursors.next(); stream >= 0; stream = cursors.next()) {
    const { base, active } = streams[stream] as Stream;
    const connection = cursors.connection();
    const run = runs[connection] as number;
    const trip = tripOf[run] as number;
    if (active[services[trip] as number] === 0) continue;
    const row = rows[connection] as number;
    const place = stream * runCount + run;
    let slot = slotsOfRuns[place] as number;
    if (slot === 0) {
      const isBoarded =
        (earliest[from[connection] as number] as number) <=
          base + (departures[connection] as number) && ((flags[row] as number) & NO_BOARDING) === 0;
      if (!isBoarded) continue;
      slot = ++slotCount;
      slotsOfRuns[place] = slot;
    }
    found.connections[length] = connection;
    found.streams[length] = stream;
    found.slots[length++] = slot;
    const next = mayStay(feed, trip, row) ? stayAfter(feed, trip, active) : -1;
    if (next >= 0 && slotsOfRuns[stream * runCount + next] === 0) {
      slotsOfRuns[stream * runCount + next] = ++slotCount;
    }
    const node = to[connection] as number;
    const arrival = base + (arrivals[connection] as number);
    if (arrival >= (arrived[node] as number)) continue;
    if (((flags[row + 1] as number) & NO_ALIGHTING) !== 0) continue;
    arrived[node] = arrival;
    for (let at = firstChange[node] as number; at < (firstChange[node + 1] as number); at++) {
      const other = changeTo[at] as number;
      const time = arrival + (changeSeconds[at] as number);
      if (time < (earliest[other] as number)) earliest[other] = time;
    }
  }
  return {
    ...found,
    length,
    slotCount,
    slotOf: (stream, run) => slotsOfRuns[stream * runCount + run] as number,
  };
}

/** Returns whether people in a run may stay seated after this connection: it is the last of a trip that another follows. */
export function mayStay({ trips }: Feed, trip: number, row: number): boolean {
  return (
    trips.stays.length > 0 &&
    trips.firstStays[trip] !== trips.firstStays[trip + 1] &&
    row + 2 === (trips.firstRows[trip + 1] as number)
  );
}

/**
 * Returns the run in which people stay seated after the end of a trip, -1 without one: the first follower that runs on the day, if it begins at
 * the station where the trip ends.
 */
export function stayAfter(feed: Feed, trip: number, active: Uint8Array): number {
  const { firstStays, stays, firstRows, firstRuns, services } = feed.trips;
  const { stops } = feed.stopTimes;
  const { stations } = feed.stops;
  const end = stations[stops[(firstRows[trip + 1] as number) - 1] as number];
  for (let at = firstStays[trip] as number; at < (firstStays[trip + 1] as number); at++) {
    const other = stays[at] as number;
    if (active[services[other] as number] === 0) continue;
    const begin = stations[stops[firstRows[other] as number] as number];
    return begin === end ? (firstRuns[other] as number) : -1;
  }
  return -1;
}

interface MergedStreams {
  /** Moves to the next connection and returns the index of its stream, -1 at the end. */
  next(): number;
  connection(): number;
}

/** Merges streams by departure; of equal ones, rides that take no time come first. There are a handful of streams. */
function mergeByDeparture(feed: Feed, streams: readonly Stream[]): MergedStreams {
  const { departures, arrivals } = feed.connections;
  const bases = Int32Array.from(streams, ({ base }) => base);
  const ends = Int32Array.from(streams, ({ end }) => end);
  const cursors = Int32Array.from(streams, ({ first }) => first);
  const keys = new Float64Array(streams.length);
  const keyAt = (stream: number): number => {
    const at = cursors[stream] as number;
    if (at === ends[stream]) return Number.POSITIVE_INFINITY;
    const departure = departures[at] as number;
    return (
      2 * ((bases[stream] as number) + departure) + ((arrivals[at] as number) > departure ? 1 : 0)
    );
  };
  for (let stream = 0; stream < keys.length; stream++) keys[stream] = keyAt(stream);
  let current = 0;
  return {
    next() {
      let least = Number.POSITIVE_INFINITY;
      let first = -1;
      for (let stream = 0; stream < keys.length; stream++) {
        if ((keys[stream] as number) < least) {
          least = keys[stream] as number;
          first = stream;
        }
      }
      if (first < 0) return -1;
      current = cursors[first] as number;
      cursors[first] = current + 1;
      keys[first] = keyAt(first);
      return first;
    },
    connection: () => current,
  };
}
