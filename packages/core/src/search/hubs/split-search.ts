import type { SearchQuery } from '../../contract/search-query.ts';
import type { JourneyOrder } from '../../journeys/order.ts';
import type { Journey } from '../../model/journey.ts';
import type { LocalClock } from '../../model/local-clock.ts';
import { createEventQueue } from '../../scatter/event-queue.ts';
import { combineJourneys } from '../../split/combine-journeys.ts';
import { type Hub, resolveHubs } from '../../split/hubs.ts';
import { worthwhile } from '../../split/worthwhile.ts';
import { createOperators } from '../operators.ts';
import { createPlaces } from '../places.ts';
import { resolveQuery } from '../resolve-query.ts';
import type { SearchCallOptions } from '../search-options.ts';
import type { HubResult, SearchEvent, SearchResult } from '../search-result.ts';
import type { SearchTogether } from '../search-together.ts';
import { type HubQueries, hubQueries, type Now } from './hub-queries.ts';

/** Options of one search over hubs. */
export interface SplitOptions extends SearchCallOptions {
  /** One to three hubs, each once. */
  readonly hubs: readonly Hub[];
}

/** A result whose journeys are through journeys, and those over hubs that are cheaper or faster. */
export interface SplitResult extends SearchResult {
  /** Hubs that were asked, in the order of the option. */
  readonly hubs: readonly HubResult[];
}

/** Dependencies of a search over hubs. */
export interface SplitDependencies {
  readonly together: SearchTogether;
  stream(query: SearchQuery, options: SearchCallOptions): AsyncIterableIterator<SearchEvent>;
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
  const { asked, options } = checkSplit(query, given, { clock, nowMs: now() });
  const [through, ...halves] = (await together([query, ...questionsOf(asked)], options)) as [
    SearchResult,
    ...SearchResult[],
  ];
  const { journeys: kept, hubs, complete } = overHubs(through.journeys, asked, halves);
  const journeys = sort([...through.journeys, ...kept], options.order);
  return {
    ...through,
    journeys,
    ...namesOf([through, ...halves], journeys),
    hubs,
    complete: through.complete && complete,
    ms: Math.max(through.ms, ...halves.map(({ ms }) => ms)),
  };
}

/**
 * Returns the same search as events: through journeys as they come, and at the end those over hubs as one more change. Leaving
 * the loop aborts all halves.
 */
export function splitStream(
  query: SearchQuery,
  given: SplitOptions,
  { stream, together, clock, now, sort }: SplitDependencies,
): AsyncIterableIterator<SearchEvent> {
  const { asked, options } = checkSplit(query, given, { clock, nowMs: now() });
  const leaving = new AbortController();
  const through = stream(query, options);
  const signals = [options.signal, leaving.signal].filter((signal) => signal !== undefined);
  const halves = together(questionsOf(asked), { ...options, signal: AbortSignal.any(signals) });
  // It is awaited when the through journeys are there.
  halves.catch(() => {});
  const events = createEventQueue<SearchEvent>(() => {
    leaving.abort();
    void through.return?.();
  });

  async function pump(): Promise<void> {
    const known = new Map<string, Journey>();
    let seq = 0;
    for await (const event of through) {
      if (event.type === 'journeys-upsert') {
        seq = event.seq;
        for (const id of event.removed) known.delete(id);
        for (const journey of event.journeys) known.set(journey.id, journey);
      }
      if (event.type !== 'search-done') {
        events.push(event);
        continue;
      }
      const results = await halves;
      const { journeys, hubs, complete } = overHubs([...known.values()], asked, results);
      if (journeys.length > 0) {
        const sorted = sort(journeys, options.order);
        const change = { seq: seq + 1, journeys: sorted, removed: [] };
        events.push({ type: 'journeys-upsert', ...change, ...namesOf(results, sorted) });
      }
      events.push({
        ...event,
        hubs,
        complete: event.complete && complete,
        found: event.found + journeys.length,
        ms: Math.max(event.ms, ...results.map(({ ms }) => ms)),
      });
    }
  }
  pump().then(events.end, events.fail);
  return events;
}

/** Checks a search over hubs, and returns the questions of its halves. */
function checkSplit(query: SearchQuery, given: SplitOptions, now: Now): CheckedSplit {
  const { hubs, ...options } = Object(given) as SplitOptions;
  const resolved = resolveHubs('search', hubs);
  const { query: checked } = resolveQuery(query, now.nowMs, now.clock);
  return { asked: hubQueries(checked, resolved, now), options };
}

interface CheckedSplit {
  readonly asked: readonly HubQueries[];
  readonly options: SearchCallOptions;
}

/** Returns the questions to and from each hub in turn. */
function questionsOf(asked: readonly HubQueries[]): readonly SearchQuery[] {
  return asked.flatMap(({ to, from }) => [to, from]);
}

/** Combines the halves over each hub, and keeps what is cheaper or faster than the through journeys. */
function overHubs(
  through: readonly Journey[],
  asked: readonly HubQueries[],
  halves: readonly SearchResult[],
): Pick<SplitResult, 'journeys' | 'hubs' | 'complete'> {
  const seen = new Set<string>();
  const combined = asked.map(({ hub, maxTransfers }, index) => {
    const [to, from] = halves.slice(2 * index) as [SearchResult, SearchResult];
    const journeys = combineJourneys(to.journeys, from.journeys, {
      ...hub,
      maxTransfers,
      places: [...Object.values(to.places), ...Object.values(from.places)],
      // A city and one of its stations may both be hubs.
    }).filter(({ id }) => !seen.has(id) && seen.add(id));
    return { hub, to, from, journeys };
  });
  const kept = new Set(
    worthwhile(
      combined.flatMap(({ journeys }) => journeys),
      through,
    ),
  );
  return {
    journeys: [...kept],
    hubs: combined.map(({ hub: { at, minMinutes, maxMinutes }, to, from, journeys }) => ({
      at: at.id,
      minMinutes,
      maxMinutes,
      found: journeys.filter((journey) => kept.has(journey)).length,
      to: to.carriers,
      from: from.carriers,
    })),
    complete: halves.every(({ complete }) => complete),
  };
}

/** Returns the places and operators of journeys of several results, by the names in the first one that has them. */
function namesOf(
  results: readonly SearchResult[],
  journeys: readonly Journey[],
): Pick<SearchResult, 'places' | 'operators'> {
  const [first] = results;
  const places = createPlaces((first as SearchResult).query, []);
  const operators = createOperators([]);
  for (const result of results) {
    places.learn('', Object.values(result.places));
    operators.learn('', result.operators);
  }
  return { places: places.take(journeys), operators: operators.take(journeys) };
}
