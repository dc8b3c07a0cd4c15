import type { Journey } from '@ticketing/core';
import { compareText, journeyKey, ridesOf } from '../src/model/journey.ts';

type Cluster = [leader: Journey, ...others: Journey[]];

const MINUTE_MS = 60_000;

/** Returns which journeys are one and the same, and its id: the rules of `mergeJourneys()`, with each journey compared with every other. */
export function naiveMerge(
  journeys: readonly Journey[],
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
  for (const journey of inOrder.filter((one) => !isNumbered(one))) {
    const [nearest] = clusters
      .filter((cluster) => isNear(cluster[0], journey) && !contradicts(cluster, journey))
      .sort(([a], [b]) => apart(a, journey) - apart(b, journey) || compare(a, b));
    if (nearest) nearest.push(journey);
    else clusters.push([journey]);
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

function isNumbered({ legs }: Journey): boolean {
  return ridesOf(legs).every(({ number }) => number !== undefined);
}

function apart(a: Journey, b: Journey): number {
  return Math.abs(a.departure.ms - b.departure.ms) + Math.abs(a.arrival.ms - b.arrival.ms);
}

function isNear(a: Journey, b: Journey): boolean {
  const stations = ({ legs }: Journey): string =>
    JSON.stringify(ridesOf(legs).map(({ origin, destination }) => [origin, destination]));
  return (
    Math.abs(a.departure.ms - b.departure.ms) <= 2 * MINUTE_MS &&
    Math.abs(a.arrival.ms - b.arrival.ms) <= 2 * MINUTE_MS &&
    stations(a) === stations(b)
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
        return (['brand', 'operator', 'number'] as const).some((field) => {
          const [one, two] = [ride[field]?.toLowerCase(), other?.[field]?.toLowerCase()];
          return one !== undefined && two !== undefined && one !== two;
        });
      }),
  );
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
