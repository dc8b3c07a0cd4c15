import { groupBy } from '../model/group-by.ts';
import { compareText } from '../model/journey.ts';
import { arrivalMsOf, departureMsOf, type Half } from './halves.ts';
import type { Choice } from './undominated.ts';

/** Bounds of the time between two journeys, in milliseconds, and of the changes of both together. */
export interface PairBounds {
  readonly minMs: number;
  readonly maxMs: number;
  readonly maxTransfers: number;
}

/** Two journeys of which the second one can be reached from the first one. */
export interface Pair extends Choice {
  readonly first: Half;
  readonly second: Half;
}

/**
 * Returns, for each second journey, the best first one of each number of changes that it can follow: by price in each currency, and
 * by departure alone. Every pair that no other pair dominates is among them. Each list is sorted once and read once for each number
 * of changes, of which there are few: the cost grows with the lengths of the lists, not with the number of pairs.
 */
export function bestPairs(
  firsts: readonly Half[],
  seconds: readonly Half[],
  bounds: PairBounds,
): readonly Pair[] {
  const { maxTransfers } = bounds;
  const few = ({ journey }: Half): boolean => journey.transfers < maxTransfers;
  const arriving = firsts.filter(few).sort(compareAtHub);
  const leaving = seconds.filter(few).sort(compareAtHub);
  const arrivingIn = byCurrency(arriving);
  const pairs = new Map<string, Pair>();
  for (const [currency, later] of [[undefined, leaving] as const, ...byCurrency(leaving)]) {
    const earlier = currency === undefined ? arriving : (arrivingIn.get(currency) ?? []);
    for (const [transfers, group] of groupBy(earlier, ({ journey }) => journey.transfers)) {
      const isFew = ({ journey }: Half): boolean => transfers + journey.transfers < maxTransfers;
      for (const pair of bestBefore(group, later.filter(isFew), bounds, currency)) {
        pairs.set(pair.id, pair);
      }
    }
  }
  return [...pairs.values()];
}

function compareAtHub(a: Half, b: Half): number {
  return a.atHubMs - b.atHubMs;
}

function byCurrency(halves: readonly Half[]): ReadonlyMap<string, readonly Half[]> {
  const entries = halves.flatMap((half) =>
    [...half.totals.keys()].map((currency) => ({ currency, half })),
  );
  const groups = groupBy(entries, ({ currency }) => currency);
  return new Map([...groups].map(([currency, own]) => [currency, own.map(({ half }) => half)]));
}

/**
 * Returns the best of the first journeys for each second one: minimum of a sliding window. `queue` has the journeys of the window of
 * which no later one is better, so that the best of them is its head.
 */
function bestBefore(
  firsts: readonly Half[],
  seconds: readonly Half[],
  { minMs, maxMs }: PairBounds,
  currency: string | undefined,
): readonly Pair[] {
  const priceOf = ({ totals }: Half): number =>
    currency === undefined ? 0 : (totals.get(currency) ?? 0);
  const isBetter = (a: Half, b: Half): boolean =>
    (priceOf(a) - priceOf(b) ||
      departureMsOf(b.journey) - departureMsOf(a.journey) ||
      compareText(a.journey.id, b.journey.id)) <= 0;
  const queue: Half[] = [];
  let head = 0;
  let next = 0;
  return seconds.flatMap((second): Pair[] => {
    const latestMs = second.atHubMs - minMs;
    const earliestMs = second.atHubMs - maxMs;
    for (; next < firsts.length; next++) {
      const first = firsts[next] as Half;
      if (first.atHubMs > latestMs) break;
      while (queue.length > head && isBetter(first, queue.at(-1) as Half)) queue.pop();
      queue.push(first);
    }
    while (head < queue.length && (queue[head] as Half).atHubMs < earliestMs) head += 1;
    const best = queue[head];
    return best === undefined ? [] : [pairOf(best, second)];
  });
}

function pairOf(first: Half, second: Half): Pair {
  const totals = new Map<string, number>();
  for (const [currency, amount] of first.totals) {
    const other = second.totals.get(currency);
    if (other !== undefined) totals.set(currency, amount + other);
  }
  return {
    first,
    second,
    arrivalMs: arrivalMsOf(second.journey),
    departureMs: departureMsOf(first.journey),
    transfers: first.journey.transfers + second.journey.transfers + 1,
    totals,
    id: `${first.journey.id} ${second.journey.id}`,
  };
}
