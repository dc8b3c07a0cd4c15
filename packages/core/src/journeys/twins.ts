import { groupBy } from '../model/group-by.ts';
import { type Journey, type RideLeg, ridesOf } from '../model/journey.ts';
import type { Cluster, MergeContext } from './loose-journeys.ts';
import type { SameStops } from './same-stops.ts';

/** Trains of one number and the same stations within this time are one. */
export const SAME_TRAIN_MS: number = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/**
 * Returns whether another carrier may list a journey under another id: its day is not that of its departure, or may be another one by a
 * few minutes, or its stops have several ids. Most journeys are not so, and ids alone tell them apart.
 */
function isOdd({ legs }: Journey, stops: SameStops | undefined): boolean {
  for (const leg of legs) {
    if (leg.kind !== 'ride') continue;
    if (isOddDay(leg) || (stops !== undefined && isAt(stops, leg))) return true;
  }
  return false;
}

function isOddDay({ operatingDay, departure: { iso } }: RideLeg): boolean {
  // Of two departures on either side of midnight, at most ten minutes apart, one is in the first ten minutes of its day.
  return (
    (operatingDay !== undefined && !iso.startsWith(operatingDay)) || iso.startsWith('00:0', 11)
  );
}

function isAt(stops: SameStops, { origin, destination }: RideLeg): boolean {
  return stops.has(origin) || stops.has(destination);
}

/** Returns whether ids alone tell journeys apart: each has its own, and every train has a number. Most lists are so. */
export function areApart(journeys: readonly Journey[], stops: SameStops | undefined): boolean {
  const ids = new Set<string>();
  const odd: Journey[] = [];
  for (const journey of journeys) {
    ids.add(journey.id);
    for (const leg of journey.legs) {
      if (leg.kind === 'ride' && leg.number === undefined) return false;
    }
    if (isOdd(journey, stops)) odd.push(journey);
  }
  return ids.size === journeys.length && !areTwins(odd, journeys, stops);
}

/** Returns whether any two journeys may be one train under two ids, given the odd ones. */
function areTwins(
  odd: readonly Journey[],
  journeys: readonly Journey[],
  stops: SameStops | undefined,
): boolean {
  if (odd.length === 0) return false;
  const times = timesNear(odd);
  const seen = new Set<string>();
  for (const journey of journeys) {
    if (!times.has(tenMinutesOf(journey))) continue;
    const trains = trainsOf(journey, stops);
    if (seen.has(trains)) return true;
    seen.add(trains);
  }
  return false;
}

/**
 * Joins clusters that are one train under several ids: numbers and stops of each ride agree, and their leaders depart within ten
 * minutes. Only what departs near an odd one is looked at.
 */
export function joinTwins(
  clusters: readonly Cluster[],
  { compare, stops }: MergeContext,
): Cluster[] {
  const odd = new Set(clusters.filter(([leader]) => isOdd(leader, stops)));
  const times = timesNear([...odd].map(([leader]) => leader));
  const isNear = (cluster: Cluster): boolean => times.has(tenMinutesOf(cluster[0]));
  const groups = groupBy(clusters.filter(isNear), ([leader]) => trainsOf(leader, stops));
  const gone = new Set<Cluster>();
  const joined = new Map<Cluster, Cluster>();
  for (const group of groups.values()) {
    if (group.length === 1) continue;
    group.sort(([a], [b]) => compare(a, b));
    let first: Cluster | undefined;
    for (const cluster of group) {
      const [leader] = cluster;
      if (
        first !== undefined &&
        leader.departure.ms - first[0].departure.ms <= SAME_TRAIN_MS &&
        (odd.has(cluster) || odd.has(first))
      ) {
        const all = joined.get(first) ?? [...first];
        all.push(...cluster);
        joined.set(first, all as Cluster);
        gone.add(cluster);
      } else {
        first = cluster;
      }
    }
  }
  if (gone.size === 0) return [...clusters];
  for (const cluster of joined.values()) cluster.sort(compare);
  return clusters
    .filter((cluster) => !gone.has(cluster))
    .map((cluster) => joined.get(cluster) ?? cluster);
}

/** The ten minutes of some journeys, and those before and after them. */
function timesNear(journeys: readonly Journey[]): ReadonlySet<number> {
  const times = new Set<number>();
  for (const journey of journeys) {
    const own = tenMinutesOf(journey);
    times
      .add(own - 1)
      .add(own)
      .add(own + 1);
  }
  return times;
}

function tenMinutesOf({ departure }: Journey): number {
  return Math.floor(departure.ms / SAME_TRAIN_MS);
}

/** The number and stops of each ride, and how many days after the first one it leaves. */
function trainsOf({ legs, departure }: Journey, stops: SameStops | undefined): string {
  return ridesOf(legs)
    .map((ride) => {
      const [from, to] = [ride.origin, ride.destination].map((id) => stops?.get(id) ?? id);
      const days = Math.round((ride.departure.ms - departure.ms) / DAY_MS);
      return `${days} ${ride.number} ${from} ${to}`;
    })
    .join(' > ');
}
