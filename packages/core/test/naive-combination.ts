import { type Journey, lowestTotals, type RideLeg } from '@ticketing/core';

const MINUTE_MS = 60_000;

interface Options {
  readonly stations: readonly string[];
  readonly minMinutes: number;
  readonly maxMinutes: number;
  readonly maxTransfers?: number | undefined;
}

/** A pair that a comparison with every other pair left. */
export interface NaivePair {
  readonly first: Journey;
  readonly second: Journey;
  readonly gapMinutes: number;
  readonly arrivalMs: number;
  readonly departureMs: number;
  readonly transfers: number;
  readonly totals: ReadonlyMap<string, number>;
}

/** Combines each journey with every other, and compares each pair with every other. */
export function naiveCombination(
  first: readonly Journey[],
  second: readonly Journey[],
  options: Options,
): NaivePair[] {
  const pairs = first.flatMap((a) =>
    second.flatMap((b) => {
      const pair = pairOf(a, b);
      return isPossible(pair, options) ? [pair] : [];
    }),
  );
  return pairs
    .filter((pair) => !isDominated(pair, pairs))
    .sort((a, b) => a.arrivalMs - b.arrivalMs || compareEqual(a, b));
}

function pairOf(first: Journey, second: Journey): NaivePair {
  const [last, next] = [first.legs.at(-1), second.legs[0]];
  const ride = (legs: Journey['legs'], place: number) =>
    legs.filter((leg): leg is RideLeg => leg.kind === 'ride').at(place) as RideLeg;
  const [before, after] = [ride(first.legs, -1), ride(second.legs, 0)];
  const walkTo = last?.kind === 'transfer' ? last.minutes : 0;
  const walkFrom = next?.kind === 'transfer' ? next.minutes : 0;
  const arrives = Math.max(before.arrival.ms, before.expectedArrival?.ms ?? 0);
  const leaves = Math.min(after.departure.ms, after.expectedDeparture?.ms ?? Number.MAX_VALUE);
  const totals = new Map<string, number>();
  for (const { currency, amount } of lowestTotals(first)) {
    const other = lowestTotals(second).find((total) => total.currency === currency);
    if (other) totals.set(currency, amount + other.amount);
  }
  const [begin, end] = [first.legs[0], second.legs.at(-1)];
  return {
    first,
    second,
    gapMinutes: (leaves - arrives) / MINUTE_MS - walkTo - walkFrom,
    arrivalMs: second.arrival.ms + (end?.kind === 'transfer' ? end.minutes * MINUTE_MS : 0),
    departureMs: first.departure.ms - (begin?.kind === 'transfer' ? begin.minutes * MINUTE_MS : 0),
    transfers: first.transfers + second.transfers + 1,
    totals,
  };
}

function isPossible(
  { first, second, gapMinutes, transfers }: NaivePair,
  { stations, minMinutes, maxMinutes, maxTransfers = 7 }: Options,
): boolean {
  const isSoldOut = ({ offers, sources, unpriced = [] }: Journey) =>
    offers.length === 0 && !sources.every((source) => unpriced.includes(source));
  return (
    stations.includes(first.legs.at(-1)?.destination ?? '') &&
    stations.includes(second.legs[0]?.origin ?? '') &&
    gapMinutes >= minMinutes &&
    gapMinutes <= maxMinutes &&
    transfers <= maxTransfers &&
    !isSoldOut(first) &&
    !isSoldOut(second)
  );
}

/** Dominated in each currency; of equal pairs the better by {@link compareEqual} stays. */
function isDominated(pair: NaivePair, pairs: readonly NaivePair[]): boolean {
  const better = (other: NaivePair, isEqual: boolean): boolean =>
    other !== pair &&
    other.arrivalMs <= pair.arrivalMs &&
    other.transfers <= pair.transfers &&
    (!isEqual ||
      other.arrivalMs < pair.arrivalMs ||
      other.transfers < pair.transfers ||
      compareEqual(other, pair) < 0);
  if (pair.totals.size === 0) return pairs.some((other) => better(other, other.totals.size === 0));
  return [...pair.totals].every(([currency, amount]) =>
    pairs.some((other) => {
      const price = other.totals.get(currency);
      return price !== undefined && price <= amount && better(other, price === amount);
    }),
  );
}

function compareEqual(a: NaivePair, b: NaivePair): number {
  const name = ({ first, second }: NaivePair): string => `${first.id} ${second.id}`;
  return b.departureMs - a.departureMs || (name(a) < name(b) ? -1 : 1);
}
