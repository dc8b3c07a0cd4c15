import type { Journey, RideLeg, StationId } from '@ticketing/core';
import { compareText, journeyKey, ridesOf } from '../src/model/journey.ts';

type Cluster = [leader: Journey, ...others: Journey[]];

const MINUTE_MS = 60_000;
/** Every id of a stop in these tests that may have another. */
const KNOWN: readonly StationId[] = ['uic:7160000', 'x:1', 'y:1'];

/** Returns which journeys are one and the same, and its id: the rules of `mergeJourneys()`, with each journey compared with every other. */
export function naiveMerge(
  journeys: readonly Journey[],
  sameStop: SameStop = (id, other) => id === other,
): { readonly id: string; readonly members: Cluster }[] {
  const inOrder = [...journeys].sort(compare);
  const clusters: Cluster[] = [];
  for (const journey of inOrder.filter(isNumbered)) {
    const cluster = clusters.findLast(
      ([leader]) =>
        leader.id === journey.id &&
        journeyKey(ridesOf(leader.legs)) === journeyKey(ridesOf(journey.legs)) &&
        journey.departure.ms - leader.departure.ms <= 10 * MINUTE_MS,
    );
    if (cluster) cluster.push(journey);
    else clusters.push([journey]);
  }
  joinTwins(clusters, sameStop);
  const nearest = (among: readonly Cluster[], [leader, ...others]: Cluster, most: number) =>
    among
      .filter(
        (cluster) =>
          isNear(cluster[0], leader, sameStop) &&
          apart(cluster[0], leader) <= most &&
          ![leader, ...others].some((journey) => contradicts(cluster, journey)),
      )
      .sort(([a], [b]) => apart(a, leader) - apart(b, leader) || compare(a, b))[0];
  const opened: Cluster[] = [];
  for (const journey of inOrder.filter((one) => !isNumbered(one))) {
    const same = nearest([...clusters, ...opened], [journey], 0);
    if (same) same.push(journey);
    else opened.push([journey]);
  }
  for (const cluster of opened) {
    const found = nearest(clusters, cluster, Number.POSITIVE_INFINITY);
    if (found) found.push(...cluster);
    else clusters.push(cluster);
  }
  const taken = new Set(clusters.map(([{ id }]) => id));
  const given = new Set<string>();
  return clusters
    .sort(([a], [b]) => compare(a, b))
    .map((members) => {
      let { id } = members[0];
      for (let count = 2; given.has(id); count++) {
        const next = `${members[0].id}-${count}`;
        if (!taken.has(next)) id = next;
      }
      given.add(id);
      return { id, members };
    });
}

/** Whether two ids mean one stop. */
type SameStop = (id: StationId, other: StationId) => boolean;

/** Lets a cluster join the last one before it that is one train with it under another id. */
function joinTwins(clusters: Cluster[], sameStop: SameStop): void {
  clusters.sort(([a], [b]) => compare(a, b));
  for (let index = 0; index < clusters.length; index++) {
    const [leader, ...others] = clusters[index] as Cluster;
    const last = clusters.slice(0, index).findLast(([one]) => isSameRides(one, leader, sameStop));
    if (last === undefined) continue;
    const mayBe = [last[0], leader].some((one) => hasOtherIds(one, sameStop));
    if (!mayBe || leader.departure.ms - last[0].departure.ms > 10 * MINUTE_MS) continue;
    last.push(leader, ...others);
    last.sort(compare);
    clusters.splice(index, 1);
    index -= 1;
  }
}

function isSameRides(a: Journey, b: Journey, sameStop: SameStop): boolean {
  const [some, others] = [ridesOf(a.legs), ridesOf(b.legs)];
  const daysOf = (journey: Journey, ride: RideLeg) =>
    Math.round((ride.departure.ms - journey.departure.ms) / (24 * 60 * MINUTE_MS));
  return (
    some.length === others.length &&
    some.every((ride, index) => {
      const other = others[index] as RideLeg;
      return (
        ride.number === other.number &&
        daysOf(a, ride) === daysOf(b, other) &&
        sameStop(ride.origin, other.origin) &&
        sameStop(ride.destination, other.destination)
      );
    })
  );
}

/** Whether other carriers may list it under another id. */
function hasOtherIds({ legs }: Journey, sameStop: SameStop): boolean {
  return ridesOf(legs).some(({ operatingDay, departure: { iso }, origin, destination }) => {
    const [day, time = ''] = iso.slice(0, 16).split('T');
    return (
      (operatingDay ?? day) !== day ||
      time >= '23:50' ||
      time < '00:10' ||
      [origin, destination].some((id) => KNOWN.some((other) => other !== id && sameStop(id, other)))
    );
  });
}

function isNumbered({ legs }: Journey): boolean {
  return ridesOf(legs).every(({ number }) => number !== undefined);
}

function apart(a: Journey, b: Journey): number {
  return Math.abs(a.departure.ms - b.departure.ms) + Math.abs(a.arrival.ms - b.arrival.ms);
}

function isNear(a: Journey, b: Journey, sameStop: SameStop): boolean {
  const [some, others] = [ridesOf(a.legs), ridesOf(b.legs)];
  return (
    Math.abs(a.departure.ms - b.departure.ms) <= 2 * MINUTE_MS &&
    Math.abs(a.arrival.ms - b.arrival.ms) <= 2 * MINUTE_MS &&
    some.length === others.length &&
    some.every(
      ({ origin, destination }, index) =>
        sameStop(origin, others[index]?.origin ?? '') &&
        sameStop(destination, others[index]?.destination ?? ''),
    )
  );
}

function contradicts(cluster: Cluster, journey: Journey): boolean {
  return cluster.some(
    (member) =>
      (apart(member, journey) > 0 &&
        !isNumbered(member) &&
        member.sources.some((source) => journey.sources.includes(source))) ||
      ridesOf(member.legs).some((ride, index) => {
        const other = ridesOf(journey.legs)[index];
        const [some, others] = [nameOf(ride), other ? nameOf(other) : {}];
        return (['brand', 'operator', 'number'] as const).some((field) => {
          const [one, two] = [some[field]?.toLowerCase(), others[field]?.toLowerCase()];
          return one !== undefined && two !== undefined && one !== two;
        });
      }),
  );
}

/** `AVE 3063` is the brand AVE and the number. */
function nameOf(ride: RideLeg): Partial<Pick<RideLeg, 'brand' | 'number' | 'operator'>> {
  const words = ride.brand?.split(' ') ?? [];
  const last = words.at(-1) ?? '';
  const isNumber = words.length === 2 && /^\d{3,6}$/.test(last);
  if (!isNumber || (ride.number ?? last) !== last) return ride;
  return { ...ride, brand: words[0] ?? '', number: last };
}

function compare(a: Journey, b: Journey): number {
  return (
    a.departure.ms - b.departure.ms ||
    a.arrival.ms - b.arrival.ms ||
    compareText(a.id, b.id) ||
    compareText(a.sources[0] ?? '', b.sources[0] ?? '') ||
    compareText(JSON.stringify(a), JSON.stringify(b))
  );
}
