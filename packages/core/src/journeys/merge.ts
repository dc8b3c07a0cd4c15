import { groupBy } from '../model/group-by.ts';
import {
  type CarrierId,
  compareOffers,
  compareText,
  type Journey,
  journeyKey,
  type Leg,
  type Offer,
  type RideLeg,
  ridesOf,
  sortOffers,
  type TimeConflict,
} from '../model/journey.ts';
import { presentFields } from '../model/present-fields.ts';
import { type JourneyOrder, sortJourneys } from './order.ts';

const SAME_TRAIN_MS = 10 * 60_000;
const SAME_TIMES_MS = 2 * 60_000;
const CONFLICT_MS = 3 * 60_000;

/** Journeys of several carriers that are one and the same: it has the times and legs of the first member. */
type Cluster = [leader: Journey, ...others: Journey[]];

/**
 * Returns the journeys of several carriers, each once. The result is unordered and does not depend on the
 * order of the input. Two are the same when
 * - every ride has the same operating day, train number and stations, and they depart within 10 minutes; or
 * - one of them has no train number, stations are the same, departure and arrival are within
 *   2 minutes, neither brand, operator nor number contradict each other, and no carrier lists both without
 *   numbers at two times.
 *
 * Keeps the offers of all sellers; of two with one seller and id in two answers, the one fetched later. The times are those
 * of the numbered journey that departs first, never averaged; a time more than 3 minutes off is kept as a
 * conflict. The ids of the result are unique.
 *
 * @example
 * const journeys = mergeJourneys([...renfeAnswer.journeys, ...ouigoAnswer.journeys]);
 */
export function mergeJourneys(journeys: readonly Journey[]): Journey[] {
  const ids = new Set<string>();
  for (const { id } of journeys) ids.add(id);
  const isEachOnce = ids.size === journeys.length;
  const numbered = journeys.filter(isNumbered);
  if (isEachOnce && numbered.length === journeys.length) return numbered;
  const clusters = isEachOnce
    ? numbered.map((journey): Cluster => [journey])
    : [...groupBy(numbered, ({ id }) => id).values()].flatMap(clusterNumbered);
  attachLoose(
    clusters,
    journeys.filter((journey) => !isNumbered(journey)),
  );
  const merged = clusters.map(mergeCluster);
  return isEachOnce ? merged : uniqueIds(merged);
}

function isNumbered({ legs }: Journey): boolean {
  return ridesOf(legs).every(({ number }) => number !== undefined);
}

/** Journeys with one id are the same if their keys are, and one departs soon after the other. */
function clusterNumbered(journeys: Journey[]): Cluster[] {
  const clusters: Cluster[] = [];
  for (const journey of journeys.sort(compareCanonical)) {
    const cluster = clusters.find(
      ([leader]) =>
        journey.departure.ms - leader.departure.ms <= SAME_TRAIN_MS &&
        journeyKey(ridesOf(journey.legs)) === journeyKey(ridesOf(leader.legs)),
    );
    if (cluster) cluster.push(journey);
    else clusters.unshift([journey]);
  }
  return clusters;
}

/** Each journey without a number joins the nearest cluster that it does not contradict, or opens one. */
function attachLoose(clusters: Cluster[], loose: Journey[]): void {
  for (const journey of loose.sort(compareCanonical)) {
    let nearest: Cluster | undefined;
    let least = 0;
    for (const cluster of clusters) {
      const [leader] = cluster;
      const apart = timesApart(leader, journey);
      if (apart === undefined || !areAlike(leader, journey) || contradicts(cluster, journey)) {
        continue;
      }
      if (!nearest || (apart - least || compareCanonical(leader, nearest[0])) < 0) {
        nearest = cluster;
        least = apart;
      }
    }
    if (nearest) nearest.push(journey);
    else clusters.push([journey]);
  }
}

/** Whether the rides of two journeys are between the same stations. */
function areAlike(a: Journey, b: Journey): boolean {
  const rides = ridesOf(a.legs);
  const others = ridesOf(b.legs);
  return (
    rides.length === others.length &&
    rides.every(
      ({ origin, destination }, index) =>
        origin === others[index]?.origin && destination === others[index]?.destination,
    )
  );
}

function timesApart(a: Journey, b: Journey): number | undefined {
  const departure = Math.abs(a.departure.ms - b.departure.ms);
  const arrival = Math.abs(a.arrival.ms - b.arrival.ms);
  return departure <= SAME_TIMES_MS && arrival <= SAME_TIMES_MS ? departure + arrival : undefined;
}

function contradicts(cluster: Cluster, journey: Journey): boolean {
  const rides = ridesOf(journey.legs);
  return cluster.some(
    (member) =>
      areTwoOfOneCarrier(member, journey) ||
      ridesOf(member.legs).some(
        (ride, index) =>
          differ(ride.brand, rides[index]?.brand) ||
          differ(ride.operator, rides[index]?.operator) ||
          differ(ride.number, rides[index]?.number),
      ),
  );
}

/** A carrier without train numbers may list two trains within two minutes. */
function areTwoOfOneCarrier(a: Journey, b: Journey): boolean {
  return (
    (a.departure.ms !== b.departure.ms || a.arrival.ms !== b.arrival.ms) &&
    !isNumbered(a) &&
    a.sources.some((source) => b.sources.includes(source))
  );
}

function differ(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a.toLowerCase() !== b.toLowerCase();
}

function mergeCluster(cluster: Cluster): Journey {
  const [leader] = cluster;
  if (cluster.length === 1) return leader;
  const unpriced = carriersIn(cluster, 'unpriced');
  const conflicts = conflictsIn(cluster);
  return {
    ...leader,
    legs: legsWithExpected(cluster),
    offers: mergeOffers(cluster),
    sources: carriersIn(cluster, 'sources'),
    ...(unpriced.length > 0 && { unpriced }),
    ...(conflicts.length > 0 && { conflicts }),
  };
}

function carriersIn(cluster: Cluster, field: 'sources' | 'unpriced'): readonly CarrierId[] {
  const carriers = new Set<CarrierId>();
  for (const { [field]: some = [] } of cluster) for (const carrier of some) carriers.add(carrier);
  return [...carriers].sort(compareText);
}

/** The leader's legs; a ride without news of its own has that of the first other member that has any. */
function legsWithExpected([leader, ...others]: Cluster): readonly Leg[] {
  const rides = others.map(({ legs }) => ridesOf(legs));
  if (!rides.some((other) => other.some(hasNews))) return leader.legs;
  let index = -1;
  return leader.legs.map((leg) => {
    if (leg.kind === 'transfer') return leg;
    index += 1;
    if (hasNews(leg)) return leg;
    const news = rides.map((other) => other[index]).find((other) => other && hasNews(other));
    if (news === undefined) return leg;
    const { expectedDeparture, expectedArrival, cancelled } = news;
    return { ...leg, ...presentFields({ expectedDeparture, expectedArrival, cancelled }) };
  });
}

function hasNews({ expectedDeparture, expectedArrival, cancelled }: RideLeg): boolean {
  return expectedDeparture !== undefined || expectedArrival !== undefined || cancelled === true;
}

/** Each offer of each seller once, as it was fetched last. Most sellers have offers in one answer alone: those need no search. */
function mergeOffers(cluster: Cluster): Offer[] {
  const offers: Offer[] = [];
  const bySeller = new Map<CarrierId, Journey>();
  let isShared = false;
  for (const member of cluster) {
    for (const offer of member.offers) {
      offers.push(offer);
      const first = bySeller.get(offer.seller);
      if (first === undefined) bySeller.set(offer.seller, member);
      else if (first !== member) isShared = true;
    }
  }
  if (!isShared) return sortOffers(offers);
  return offers
    .sort(compareIdentity)
    .filter(({ seller, id }, index) => {
      const before = offers[index - 1];
      return before?.id !== id || before.seller !== seller;
    })
    .sort(compareOffers);
}

function conflictsIn([leader, ...others]: Cluster): readonly TimeConflict[] {
  const conflicts: TimeConflict[] = [];
  for (const other of others) {
    for (const field of ['departure', 'arrival'] as const) {
      const value = other[field];
      if (Math.abs(leader[field].ms - value.ms) <= CONFLICT_MS) continue;
      conflicts.push({ field, source: other.sources[0] ?? '', value });
    }
  }
  return conflicts;
}

/** Numbers the trains that share a key (they depart more than 10 minutes apart) in the order of their times. */
function uniqueIds(journeys: Journey[]): Journey[] {
  const taken = new Set(journeys.map(({ id }) => id));
  if (taken.size === journeys.length) return journeys;
  const seen = new Set<string>();
  return journeys.sort(compareCanonical).map((journey) => {
    let { id } = journey;
    for (let count = 2; seen.has(id); count++) {
      const next = `${journey.id}-${count}`;
      if (!taken.has(next)) id = next;
    }
    seen.add(id);
    return id === journey.id ? journey : { ...journey, id };
  });
}

/** Offers with one seller and id come together, the last fetched first. */
function compareIdentity(a: Offer, b: Offer): number {
  return (
    compareText(a.seller, b.seller) ||
    compareText(a.id, b.id) ||
    b.fetchedAt - a.fetchedAt ||
    compareOffers(a, b)
  );
}

/** A total order of whole values, so that the result does not depend on who answered first. */
function compareCanonical(a: Journey, b: Journey): number {
  return (
    a.departure.ms - b.departure.ms ||
    a.arrival.ms - b.arrival.ms ||
    compareText(a.id, b.id) ||
    compareText(a.sources[0] ?? '', b.sources[0] ?? '') ||
    compareText(JSON.stringify(a), JSON.stringify(b))
  );
}

/** Merges answers as they come. */
interface JourneyFeed {
  /** Adds an answer, and returns the journeys that are new or changed, sorted, and the ids that are gone. */
  add(journeys: readonly Journey[]): {
    readonly journeys: readonly Journey[];
    readonly removed: readonly string[];
  };
  readonly found: number;
}

/** Creates a feed. Applying its changes in turn gives the same as merging everything at once. */
export function createJourneyFeed(order: JourneyOrder): JourneyFeed {
  const answers: Journey[] = [];
  let known = new Map<string, Journey>();
  return {
    add(journeys) {
      for (const journey of journeys) answers.push(journey);
      const merged = new Map(mergeJourneys(answers).map((journey) => [journey.id, journey]));
      const before = known;
      known = merged;
      return {
        journeys: sortJourneys(
          [...merged.values()].filter((journey) => !isSame(journey, before.get(journey.id))),
          order,
        ),
        removed: [...before.keys()].filter((id) => !merged.has(id)),
      };
    },
    get found() {
      return known.size;
    },
  };
}

/** A merge keeps the object of a journey that one carrier has, and makes a new one of every other each time. */
function isSame(journey: Journey, before: Journey | undefined): boolean {
  if (journey === before) return true;
  return before !== undefined && JSON.stringify(journey) === JSON.stringify(before);
}
