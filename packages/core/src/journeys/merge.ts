import { getOrAdd } from '../model/get-or-add.ts';
import { groupBy } from '../model/group-by.ts';
import {
  type CarrierId,
  compareOffers,
  compareText,
  type Journey,
  journeyKey,
  type Offer,
  ridesOf,
  sortOffers,
  type TimeConflict,
} from '../model/journey.ts';
import { doorToDoorMinutes } from '../model/leg-times.ts';
import { presentFields } from '../model/present-fields.ts';
import { joinRemarks } from '../model/remark.ts';
import type { Place } from '../stations/station-index.ts';
import { joinLegs } from './join-legs.ts';
import { attachLoose, type Cluster, type CompareJourneys, isNumbered } from './loose-journeys.ts';
import { type JourneyOrder, sortJourneys } from './order.ts';
import { type SameStops, sameStops } from './same-stops.ts';
import { areApart, joinTwins, SAME_TRAIN_MS } from './twins.ts';

const CONFLICT_MS = 3 * 60_000;

/** Options of `mergeJourneys()`. */
export interface MergeOptions {
  /**
   * Stops of the journeys: those within 300 m whose names agree are one stop, whatever their ids. Default: none, so that each id is a
   * stop of its own.
   */
  readonly places?: Iterable<Place> | undefined;
}

/**
 * Returns the journeys of several carriers, each once. The result is unordered and does not depend on the
 * order of the input. Two are the same when
 * - every ride has the same train number and stations, and they depart within 10 minutes: carriers differ in the operating day that
 *   they give a train after midnight, or give none; or
 * - one of them has no train number, stations are the same, departure and arrival are within
 *   2 minutes, neither brand, operator nor number contradict each other, and no carrier lists both without
 *   numbers at two times.
 *
 * Journeys of two tickets (`selfTransfer`) are the same only if their ids are.
 *
 * Details of a train that the leader lacks (expected times, platforms, stops, remarks) come from the next journey that has them.
 * Keeps the offers of all sellers; of two with one seller and id in two answers, the one fetched later. The times are those
 * of the numbered journey that departs first, never averaged; a time more than 3 minutes off is kept as a
 * conflict. The ids of the result are unique.
 *
 * @example
 * const journeys = mergeJourneys([...renfeAnswer.journeys, ...ouigoAnswer.journeys]);
 */
export function mergeJourneys(
  journeys: readonly Journey[],
  { places }: MergeOptions = {},
): Journey[] {
  const stops = places && sameStops(places);
  if (areApart(journeys, stops)) return [...journeys];
  // Journeys of two tickets are one only by their ids: beside the same trains on one ticket they would lose the mark of their connection.
  const compare = totalOrder();
  const soldApart = groupBy(journeys.filter(isSoldApart), ({ id }) => id);
  const sold = journeys.filter((journey) => !isSoldApart(journey));
  return [
    ...mergeTrains(sold, stops),
    ...[...soldApart.values()].map((group) => mergeCluster(group.sort(compare) as Cluster)),
  ];
}

function isSoldApart({ legs }: Journey): boolean {
  return legs.some((leg) => leg.kind === 'transfer' && leg.selfTransfer);
}

function mergeTrains(journeys: readonly Journey[], stops: SameStops | undefined): Journey[] {
  const compare = totalOrder();
  const numbered = groupBy(journeys.filter(isNumbered), ({ id }) => id);
  const byId = [...numbered.values()].flatMap((group) => clusterNumbered(group, compare));
  const clusters = joinTwins(byId, { compare, stops });
  const loose = journeys.filter((journey) => !isNumbered(journey));
  if (loose.length > 0) {
    clusters.sort(([a], [b]) => compare(a, b));
    attachLoose(clusters, loose, { compare, stops });
  }
  return uniqueIds(clusters.map(mergeCluster), compare);
}

/** Journeys with one id are the same if their keys are, and one departs soon after the other. */
function clusterNumbered(journeys: Journey[], compare: CompareJourneys): Cluster[] {
  if (journeys.length === 1) return [journeys as Cluster];
  const clusters: Cluster[] = [];
  // They come in the order of departures: of one key only the last cluster can be near.
  const last = new Map<string, Cluster>();
  for (const journey of journeys.sort(compare)) {
    const key = journeyKey(ridesOf(journey.legs));
    const cluster = last.get(key);
    if (cluster && journey.departure.ms - cluster[0].departure.ms <= SAME_TRAIN_MS) {
      cluster.push(journey);
    } else {
      const opened: Cluster = [journey];
      clusters.push(opened);
      last.set(key, opened);
    }
  }
  return clusters;
}

function mergeCluster(cluster: Cluster): Journey {
  const [leader, ...others] = cluster;
  if (others.length === 0) return leader;
  const unpriced = carriersIn(cluster, 'unpriced');
  const conflicts = conflictsIn(cluster);
  const legs = joinLegs(
    leader.legs,
    others.map((other) => other.legs),
  );
  const remarks = joinRemarks(cluster.map((member) => member.remarks));
  const passengers = cluster.find((member) => member.passengers !== undefined)?.passengers;
  return {
    ...leader,
    ...(legs !== leader.legs && {
      legs,
      durationMinutes: doorToDoorMinutes(legs),
    }),
    offers: mergeOffers(cluster),
    sources: carriersIn(cluster, 'sources'),
    ...(unpriced.length > 0 && { unpriced }),
    ...(conflicts.length > 0 && { conflicts }),
    ...presentFields({ remarks, passengers }),
  };
}

function carriersIn(cluster: Cluster, field: 'sources' | 'unpriced'): readonly CarrierId[] {
  const carriers = new Set<CarrierId>();
  for (const { [field]: some = [] } of cluster) for (const carrier of some) carriers.add(carrier);
  return [...carriers].sort(compareText);
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
function uniqueIds(journeys: Journey[], compare: CompareJourneys): Journey[] {
  const taken = new Set(journeys.map(({ id }) => id));
  if (taken.size === journeys.length) return journeys;
  const counts = new Map<string, number>();
  return journeys.sort(compare).map((journey) => {
    let count = counts.get(journey.id) ?? 0;
    let id: string;
    do {
      count += 1;
      id = count === 1 ? journey.id : `${journey.id}-${count}`;
    } while (count > 1 && taken.has(id));
    counts.set(journey.id, count);
    return count === 1 ? journey : { ...journey, id };
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

/** Returns a total order of whole values, so that the result does not depend on who answered first. */
function totalOrder(): CompareJourneys {
  const texts = new Map<Journey, string>();
  const textOf = (journey: Journey): string =>
    getOrAdd(texts, journey, () => JSON.stringify(journey));
  return (a, b) =>
    a.departure.ms - b.departure.ms ||
    a.arrival.ms - b.arrival.ms ||
    compareText(a.id, b.id) ||
    compareText(a.sources[0] ?? '', b.sources[0] ?? '') ||
    compareText(textOf(a), textOf(b));
}

/** Merges answers as they come. */
interface JourneyFeed {
  /** Adds an answer, and returns the journeys that are new or changed, sorted, and the ids that are gone. */
  add(
    journeys: readonly Journey[],
    options?: MergeOptions,
  ): {
    readonly journeys: readonly Journey[];
    readonly removed: readonly string[];
  };
  readonly found: number;
}

/**
 * Creates a feed. Applying its changes in turn gives the same as merging everything at once. `finish` adds details to merged journeys, and
 * returns the same object for a journey that it does not change.
 */
export function createJourneyFeed(
  order: JourneyOrder,
  finish: (journeys: readonly Journey[]) => readonly Journey[] = (journeys) => journeys,
): JourneyFeed {
  const answers: Journey[] = [];
  let known = new Map<string, Journey>();
  return {
    add(journeys, options) {
      for (const journey of journeys) answers.push(journey);
      const merged = new Map(
        finish(mergeJourneys(answers, options)).map((journey) => [journey.id, journey]),
      );
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
