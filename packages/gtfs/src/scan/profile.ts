import type { Feed } from '../feed/feed.ts';
import { NO_ALIGHTING, NO_BOARDING } from '../feed/feed.ts';
import type { End } from './ends.ts';
import type { Stream } from './open-streams.ts';
import { mayStay, NEVER, type Reach, stayAfter } from './reach.ts';

/** Fields of an entry before its arrivals: the entry that departs next after it, its departure, its place in the reach. */
const NEXT = 0;
const DEPARTURE = 1;
const PLACE = 2;
const ARRIVALS = 3;
/** Share of the connections that have an entry, at first: room grows when it is full. */
const FIRST_SHARE = 0.3;

/**
 * Ways to the destination from every node: for each a list of departures, the earliest first, none as good as a later one. The arrival of an
 * entry at `rides` is the earliest with so many rides or fewer.
 */
export interface Profile {
  /** Entry of a node that departs first, 0 without any. */
  head(node: number): number;
  next(entry: number): number;
  departure(entry: number): number;
  /** Place in the reach of the connection in which the entry departs. */
  place(entry: number): number;
  /** Arrival with at most `rides` rides, from 1 on; {@link NEVER} without any. */
  arrival(entry: number, rides: number): number;
  /** Returns the first entry of a node that departs at a time or later, 0 without any. */
  from(node: number, seconds: number): number;
}

/**
 * Scans the reach backwards, by departure. For each connection the earliest arrivals of those who are in it are known from what comes later:
 * by staying in it, by leaving it at the destination, or by a change.
 *
 * After Dibbelt, Pajor, Strasser, Wagner, "Connection Scan Algorithm" (2018), profiles with a bound of rides.
 */
export function buildProfile(
  feed: Feed,
  {
    streams,
    reach,
    destinations,
    maxRides,
  }: {
    readonly streams: readonly Stream[];
    readonly reach: Reach;
    readonly destinations: readonly End[];
    readonly maxRides: number;
  },
): Profile {
  const { departures, arrivals, from, to, runs, rows } = feed.connections;
  const { trips: tripOf } = feed.runs;
  const { first: firstChange, to: changeTo, seconds: changeSeconds, nodeCount } = feed.changes;
  const { flags } = feed.stopTimes;
  const secondsToEnd = new Int32Array(nodeCount).fill(NEVER);
  const isDestination = new Uint8Array(nodeCount);
  for (const { node, seconds, isOnFoot } of destinations) {
    secondsToEnd[node] = seconds;
    if (!isOnFoot) isDestination[node] = 1;
  }
  const width = ARRIVALS + maxRides;
  const heads = new Int32Array(nodeCount);
  // Entry 0 is none. Arrivals on board, by slot and the number of rides after it.
  let entries = new Int32Array((Math.ceil(reach.length * FIRST_SHARE) + 2) * width);
  let entryCount = 1;
  const onBoard = new Int32Array((reach.slotCount + 1) * maxRides).fill(NEVER);

  function entryFrom(node: number, seconds: number): number {
    let entry = heads[node] as number;
    while (entry !== 0 && (entries[entry * width + DEPARTURE] as number) < seconds) {
      entry = entries[entry * width + NEXT] as number;
    }
    return entry;
  }

  function addEntry(node: number, departure: number, place: number, best: number): void {
    const head = heads[node] as number;
    let isBetter = false;
    for (let rides = 0; rides < maxRides && !isBetter; rides++) {
      isBetter =
        (onBoard[best + rides] as number) <
        (head === 0 ? NEVER : (entries[head * width + ARRIVALS + rides] as number));
    }
    if (!isBetter) return;
    if ((entryCount + 1) * width > entries.length) {
      const larger = new Int32Array(entries.length * 2);
      larger.set(entries);
      entries = larger;
    }
    const at = entryCount * width;
    entries[at + NEXT] = head;
    entries[at + DEPARTURE] = departure;
    entries[at + PLACE] = place;
    for (let rides = 0; rides < maxRides; rides++) {
      const before = head === 0 ? NEVER : (entries[head * width + ARRIVALS + rides] as number);
      entries[at + ARRIVALS + rides] = Math.min(onBoard[best + rides] as number, before);
    }
    heads[node] = entryCount++;
  }

  for (let place = reach.length - 1; place >= 0; place--) {
    const connection = reach.connections[place] as number;
    const stream = reach.streams[place] as number;
    const { base, active } = streams[stream] as Stream;
    const row = rows[connection] as number;
    const best = (reach.slots[place] as number) * maxRides;
    const trip = tripOf[runs[connection] as number] as number;
    const stay = mayStay(feed, trip, row) ? stayAfter(feed, trip, active) : -1;
    if (stay >= 0) {
      const after = reach.slotOf(stream, stay) * maxRides;
      for (let rides = 0; rides < maxRides; rides++) {
        onBoard[best + rides] = Math.min(
          onBoard[best + rides] as number,
          onBoard[after + rides] as number,
        );
      }
    }
    if (((flags[row + 1] as number) & NO_ALIGHTING) === 0) {
      const node = to[connection] as number;
      const arrival = base + (arrivals[connection] as number);
      const onFoot = secondsToEnd[node] as number;
      if (onFoot !== NEVER) {
        const end = arrival + onFoot;
        for (let rides = 0; rides < maxRides; rides++) {
          if (end < (onBoard[best + rides] as number)) onBoard[best + rides] = end;
        }
      }
      if (isDestination[node] === 0) {
        for (let at = firstChange[node] as number; at < (firstChange[node + 1] as number); at++) {
          const entry = entryFrom(changeTo[at] as number, arrival + (changeSeconds[at] as number));
          if (entry === 0) continue;
          const begin = entry * width + ARRIVALS;
          for (let rides = 1; rides < maxRides; rides++) {
            const other = entries[begin + rides - 1] as number;
            if (other < (onBoard[best + rides] as number)) onBoard[best + rides] = other;
          }
        }
      }
    }
    const node = from[connection] as number;
    if (isDestination[node] === 1 || ((flags[row] as number) & NO_BOARDING) !== 0) continue;
    addEntry(node, base + (departures[connection] as number), place, best);
  }

  return {
    head: (node) => heads[node] as number,
    next: (entry) => entries[entry * width + NEXT] as number,
    departure: (entry) => entries[entry * width + DEPARTURE] as number,
    place: (entry) => entries[entry * width + PLACE] as number,
    arrival: (entry, rides) => entries[entry * width + ARRIVALS + rides - 1] as number,
    from: entryFrom,
  };
}
