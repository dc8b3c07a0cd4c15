import type { StayRule } from '../reader/read-transfers.ts';
import type { OrderedStopTimes } from './build-stop-times.ts';

/** Most trips after which a stay is looked for: a block has one for each kind of day. */
const MAX_FOLLOWERS = 64;

/** Trips in which one may stay seated, by trip. */
export interface Stays {
  readonly firstStays: Int32Array;
  readonly stays: Int32Array;
}

/**
 * Lists for each trip the trips that its vehicle may go on as: first the trips that rules name, then the later trips of its block in order. On a
 * day, the first of them that runs counts, if it begins at the station where the other ends.
 */
export function buildStays(
  { firstRows, arrivals, departures }: OrderedStopTimes,
  {
    blocks,
    rules,
    isFrequent,
    zoneOfTrip,
  }: {
    readonly blocks: readonly number[];
    readonly rules: readonly StayRule[];
    readonly isFrequent: (trip: number) => boolean;
    readonly zoneOfTrip: (trip: number) => number;
  },
): Stays {
  const tripCount = blocks.length;
  const isRidden = (trip: number): boolean =>
    (firstRows[trip] as number) < (firstRows[trip + 1] as number) && !isFrequent(trip);
  const startOf = (trip: number): number => departures[firstRows[trip] as number] as number;
  const endOf = (trip: number): number => arrivals[(firstRows[trip + 1] as number) - 1] as number;
  const follows = (trip: number, other: number): boolean =>
    other !== trip &&
    isRidden(other) &&
    zoneOfTrip(other) === zoneOfTrip(trip) &&
    startOf(other) >= endOf(trip);

  const members = new Map<number, number[]>();
  for (let trip = 0; trip < tripCount; trip++) {
    const block = blocks[trip] as number;
    if (block >= 0 && isRidden(trip)) addTo(members, block, trip);
  }
  for (const list of members.values()) list.sort((a, b) => startOf(a) - startOf(b) || a - b);
  const ruled = new Map<number, StayRule[]>();
  for (const rule of rules) addTo(ruled, rule.from, rule);

  const stays: number[] = [];
  const firstStays = new Int32Array(tripCount + 1);
  for (let trip = 0; trip < tripCount; trip++) {
    firstStays[trip] = stays.length;
    if (!isRidden(trip)) continue;
    const own = ruled.get(trip) ?? [];
    const forbidden = own.filter(({ isPossible }) => !isPossible).map(({ to }) => to);
    const linked = own.filter(({ isPossible }) => isPossible).map(({ to }) => to);
    const ofBlock = members.get(blocks[trip] as number) ?? [];
    // The list is sorted: trips that begin before the end of this one are passed over at once.
    const from = firstAtLeast(ofBlock, endOf(trip), startOf);
    const later = ofBlock.slice(from, from + MAX_FOLLOWERS);
    const followers = [...linked, ...later].filter(
      (other) => follows(trip, other) && !forbidden.includes(other),
    );
    for (const other of new Set(followers)) stays.push(other);
  }
  firstStays[tripCount] = stays.length;
  return { firstStays, stays: Int32Array.from(stays) };
}

function addTo<T>(lists: Map<number, T[]>, key: number, value: T): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function firstAtLeast(
  list: readonly number[],
  least: number,
  timeOf: (one: number) => number,
): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timeOf(list[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
