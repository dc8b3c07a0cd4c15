import {
  type Filled,
  type Rule,
  type Rules,
  required,
  resolveByRules,
  wholeBetween,
  wrongOption,
} from '@ticketing/kit';
import { sameStops } from '../journeys/same-stops.ts';
import type { Journey } from '../model/journey.ts';
import type { Place, Station, StationGroup } from '../stations/station-index.ts';
import { bestPairs } from './best-pairs.ts';
import { halvesFrom, halvesTo, hubStations } from './halves.ts';
import { joinHalves } from './join-halves.ts';
import { undominated } from './undominated.ts';

/** Most journeys that one call combines. */
const MAX_PAIRS = 200;
const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
/** Most changes of a journey that is combined: prices of parts are added for 8 trains. */
export const MAX_COMBINED_TRANSFERS = 7;

/** Options of `combineJourneys()`. */
export interface CombineOptions {
  /** Station or city where the traveller changes. Journeys that end or begin elsewhere are not combined. */
  readonly at: Station | StationGroup;
  /** Least minutes between the arrival at the hub and the departure, 0 to 1,440: from a city's one station to its other, with luggage. */
  readonly minMinutes: number;
  /** Most minutes between them, `minMinutes` to 1,440. */
  readonly maxMinutes: number;
  /** Most changes of the whole, the one at the hub among them, 1 to 7. Default 7. */
  readonly maxTransfers?: number | undefined;
  /** Stops of the journeys, so that a station of the hub is known by another id too. Default: none. */
  readonly places?: Iterable<Place> | undefined;
}

/**
 * Returns journeys that a traveller makes of two: one of `first`, which ends at a hub, and one of `second`, which begins there. They are
 * sold apart, so that no seller protects the connection: its {@link TransferLeg} has `selfTransfer`.
 * - A connection has at least `minMinutes` and at most `maxMinutes`, by planned and by expected times, besides ways on foot.
 * - Journeys that are sold out, cancelled or already missed are left out.
 * - No journey of the result is dominated by another pair: one that arrives no later, has no more changes and costs no more. The price
 *   is the sum of both in one currency; without a common currency it is not known, which counts as higher than any.
 * - At most 200 are returned, in the order of arrival. The cost is near `n log n` of both lists.
 *
 * @throws TypeError or RangeError for options that are unknown, missing or out of range
 * @example
 * const splits = combineJourneys(toBarcelona.journeys, fromBarcelona.journeys, {
 *   at: barcelonaSants,
 *   minMinutes: 45,
 *   maxMinutes: 240,
 * });
 */
export function combineJourneys(
  first: readonly Journey[],
  second: readonly Journey[],
  options: CombineOptions,
): Journey[] {
  const { at, minMinutes, maxMinutes, maxTransfers, places } = resolveCombineOptions(options);
  const ids = 'members' in at ? [at, ...at.members].map(({ id }) => id) : [at.id];
  const isAtHub = hubStations(ids, places && sameStops(places));
  const pairs = bestPairs(halvesTo(first, isAtHub), halvesFrom(second, isAtHub), {
    minMs: minMinutes * MINUTE_MS,
    maxMs: maxMinutes * MINUTE_MS,
    maxTransfers,
  });
  return undominated(pairs)
    .slice(0, MAX_PAIRS)
    .map((pair) => joinHalves(pair.first.journey, pair.second.journey, minMinutes));
}

const COMBINE = 'combine journeys';

/** Rule of the station or city of a hub. */
export const aHub: Rule = {
  expected: 'a station or a city with its stations',
  test: (value) => {
    const { id, members = [] } = Object(value) as Partial<StationGroup>;
    return (
      typeof id === 'string' &&
      Array.isArray(members) &&
      members.every((member) => typeof Object(member).id === 'string')
    );
  },
};

/** Rules of the least and of the most minutes of a connection. */
export const minutesOf = (): { readonly min: Rule; readonly max: Rule } => ({
  min: wholeBetween(0, DAY_MINUTES),
  max: wholeBetween(0, DAY_MINUTES),
});

function rulesOfPairs(): Rules {
  const { min, max } = minutesOf();
  return {
    at: required(aHub),
    minMinutes: required(min),
    maxMinutes: required(max),
    maxTransfers: wholeBetween(1, MAX_COMBINED_TRANSFERS, MAX_COMBINED_TRANSFERS),
    places: {
      expected: 'places in a list or another iterable',
      test: (value) => typeof Object(value)[Symbol.iterator] === 'function',
    },
  };
}

type ResolvedCombineOptions = Filled<Omit<CombineOptions, 'places'>> &
  Pick<CombineOptions, 'places'>;

function resolveCombineOptions(options: CombineOptions): ResolvedCombineOptions {
  const resolved = resolveByRules<ResolvedCombineOptions>(COMBINE, options, rulesOfPairs());
  checkMinutes(COMBINE, resolved);
  return resolved;
}

/** Checks that the most minutes are not fewer than the least. @throws RangeError */
export function checkMinutes(
  action: string,
  { minMinutes, maxMinutes }: Pick<CombineOptions, 'minMinutes' | 'maxMinutes'>,
  under = '',
): void {
  if (maxMinutes >= minMinutes) return;
  const expected = `\`minMinutes\` (${minMinutes}) or more`;
  throw wrongOption(action, `${under}maxMinutes`, { expected, range: true }, maxMinutes);
}
