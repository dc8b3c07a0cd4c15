import type { ResolvedQuery, SearchQuery } from '../../contract/search-query.ts';
import type { JourneyOrder } from '../../journeys/order.ts';
import type { Journey } from '../../model/journey.ts';
import type { LocalClock } from '../../model/local-clock.ts';
import { combineJourneys, MAX_COMBINED_TRANSFERS } from '../../split/combine-journeys.ts';
import { type Hub, resolveHubs } from '../../split/hubs.ts';
import { worthwhile } from '../../split/worthwhile.ts';
import type { StationId } from '../../stations/station-index.ts';
import { createOperators } from '../operators.ts';
import { createPlaces } from '../places.ts';
import { resolveQuery } from '../resolve-query.ts';
import type { SearchCallOptions } from '../search-options.ts';
import type { CarrierStatus, SearchResult } from '../search-result.ts';
import type { SearchTogether } from '../search-together.ts';
import { hubQueries } from './hub-queries.ts';

/** Options of one search over hubs. */
export interface SplitOptions extends SearchCallOptions {
  /** One to three hubs, each once. */
  readonly hubs: readonly Hub[];
}

/** What was found over one hub. */
export interface HubResult {
  /** Id of the station or city. */
  readonly at: StationId;
  readonly minMinutes: number;
  readonly maxMinutes: number;
  /** Number of journeys of the result that change there. */
  readonly found: number;
  /** One status per carrier of the journeys to the hub. */
  readonly to: readonly CarrierStatus[];
  /** One status per carrier of the journeys from the hub. */
  readonly from: readonly CarrierStatus[];
}

/** A result whose journeys are through journeys, and those over hubs that are cheaper or faster. */
export interface SplitResult extends SearchResult {
  /** Hubs that were asked, in the order of the option. */
  readonly hubs: readonly HubResult[];
}

/** Dependencies of a search over hubs. */
export interface SplitDependencies {
  readonly together: SearchTogether;
  readonly clock: LocalClock;
  now(): number;
  /** Sorts by an order, or by that of the search. */
  sort(journeys: readonly Journey[], order: JourneyOrder | undefined): readonly Journey[];
}

/** Asks for through journeys and for those to and from each hub at the same time, and combines the latter. */
export async function splitSearch(
  query: SearchQuery,
  given: SplitOptions,
  { together, clock, now, sort }: SplitDependencies,
): Promise<SplitResult> {
  const { hubs, ...options } = Object(given) as SplitOptions;
  const resolved = resolveHubs('search', hubs);
  const nowMs = now();
  const checked = resolveQuery(query, nowMs, clock).query;
  const asked = hubQueries(checked, resolved, { clock, nowMs });
  const results = await together([query, ...asked.flatMap(({ to, from }) => [to, from])], options);
  const [through, ...halves] = results as [SearchResult, ...SearchResult[]];
  const seen = new Set<string>();
  const combined = asked.map(({ hub }, index) => {
    const [to, from] = halves.slice(2 * index) as [SearchResult, SearchResult];
    const { maxTransfers = MAX_COMBINED_TRANSFERS } = checked;
    const journeys = combineJourneys(to.journeys, from.journeys, {
      ...hub,
      maxTransfers: Math.min(maxTransfers, MAX_COMBINED_TRANSFERS),
      places: [...Object.values(to.places), ...Object.values(from.places)],
      // A city and one of its stations may both be hubs.
    }).filter(({ id }) => !seen.has(id) && seen.add(id));
    return { hub, to, from, journeys };
  });
  const kept = new Set(
    worthwhile(
      combined.flatMap(({ journeys }) => journeys),
      through.journeys,
    ),
  );
  const journeys = sort([...through.journeys, ...kept], options.order);
  const { places, operators } = namesOf(checked, results, journeys);
  return {
    ...through,
    journeys,
    places,
    operators,
    hubs: combined.map(({ hub: { at, minMinutes, maxMinutes }, to, from, journeys: own }) => ({
      at: at.id,
      minMinutes,
      maxMinutes,
      found: own.filter((journey) => kept.has(journey)).length,
      to: to.carriers,
      from: from.carriers,
    })),
    complete: results.every(({ complete }) => complete),
    ms: Math.max(...results.map(({ ms }) => ms)),
  };
}

/** Returns the places and operators of journeys of several results, by the names in the first one that has them. */
function namesOf(
  query: ResolvedQuery,
  results: readonly SearchResult[],
  journeys: readonly Journey[],
): Pick<SearchResult, 'places' | 'operators'> {
  const places = createPlaces(query, []);
  const operators = createOperators([]);
  for (const result of results) {
    places.learn('', Object.values(result.places));
    operators.learn('', result.operators);
  }
  return { places: places.take(journeys), operators: operators.take(journeys) };
}
