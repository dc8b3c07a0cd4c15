import type { Carrier } from '../contract/carrier.ts';
import type { ResolvedQuery, SearchQuery } from '../contract/search-query.ts';
import { createFinish, createRepeatedFinish } from '../journeys/finish-journeys.ts';
import { createJourneyFeed, mergeJourneys } from '../journeys/merge.ts';
import { type JourneyOrder, sortJourneys } from '../journeys/order.ts';
import type { CarrierId, Journey } from '../model/journey.ts';
import { createLocalClock } from '../model/local-clock.ts';
import { type Conversion, conversionOf } from '../prices/convert-prices.ts';
import { createScatterCalls, type ScatterCall } from '../scatter/scatter-calls.ts';
import { type Calendars, createCalendars } from './calendar/create-calendar.ts';
import { createCarrierFace } from './carrier-face.ts';
import {
  type SplitDependencies,
  type SplitOptions,
  type SplitResult,
  splitSearch,
  splitStream,
} from './hubs/split-search.ts';
import { createOperators } from './operators.ts';
import { type CarrierEnd, checkPage, pagesOf } from './pages.ts';
import { createPlaces } from './places.ts';
import { resolveQuery, type SearchDays } from './resolve-query.ts';
import { createRoundTrips, type RoundTrips } from './round-trip/create-round-trips.ts';
import {
  resolveCallOptions,
  resolveSearchOptions,
  type SearchCallOptions,
  type SearchOptions,
} from './search-options.ts';
import type { SearchEvent, SearchResult, SearchStats } from './search-result.ts';
import type { SearchTogether } from './search-together.ts';

/** Asks many carriers one question. Holds timers, and listeners on signals, only while searches run. */
export interface Search extends AsyncDisposable {
  /**
   * Resolves when every carrier has settled, at the deadline at the latest. A carrier that fails or is late is
   * a status in the result, never a rejection.
   *
   * @throws RailError `ERR_BAD_QUERY`, or `ERR_CLOSED` after `close()`
   * @throws the reason of `signal`, at once when it aborts
   */
  search(query: SearchQuery, options?: SearchCallOptions): Promise<SearchResult>;
  /**
   * Returns the same search as events, each carrier's as soon as it answers. Leaving the loop aborts the rest.
   * `search-done` comes last; applying every `journeys-upsert` gives the journeys of `search`.
   *
   * @throws when called, what `search` rejects with; while iterating, the reason of `signal`
   */
  stream(query: SearchQuery, options?: SearchCallOptions): AsyncIterableIterator<SearchEvent>;
  /**
   * Resolves with the days of a month and their least prices: from carriers' own calendars, from answers that are kept (option `known`),
   * and of the carriers in `byDay` by a search for each day that is left, all under one deadline. A day that no carrier knows is `unknown`.
   *
   * @throws what `search` does
   */
  calendar: Calendars['calendar'];
  /** Returns the same calendar as events, days as soon as a carrier knows them. Leaving the loop aborts the rest. */
  calendarStream: Calendars['calendarStream'];
  /**
   * Resolves with a way out and a way back, each as `search` has it, and with the offers of carriers that price both together, all
   * under one deadline. Each way counts as a search in `stats()`.
   *
   * @throws what `search` does, also `ERR_BAD_QUERY` for a way back before the way out
   */
  roundTrip: RoundTrips['roundTrip'];
  /**
   * Resolves with the through journeys of `search`, and with journeys over hubs that are cheaper or faster than all of these: two journeys
   * that are sold apart, whose connection no seller protects (`TransferLeg.selfTransfer`). The journeys to and from each hub are
   * asked for at the same time, under the same deadline; each counts as a search in `stats()`.
   *
   * @throws what `search` rejects with, also `ERR_BAD_QUERY` for a query with `via` or `page`
   */
  split(query: SearchQuery, options: SplitOptions): Promise<SplitResult>;
  /**
   * Returns the same as events: through journeys as `stream` has them, then the journeys over hubs as one change, then `search-done` with
   * `hubs`. Leaving the loop aborts every half.
   *
   * @throws when called, what `split` rejects with; while iterating, the reason of `signal`
   */
  splitStream(query: SearchQuery, options: SplitOptions): AsyncIterableIterator<SearchEvent>;
  /** Counters of searches since the start. */
  stats(): SearchStats;
  /** Refuses new searches and resolves when those in flight have ended. Idempotent. */
  close(): Promise<void>;
}

interface CheckedCall extends ScatterCall<Carrier, ResolvedQuery> {
  readonly days: SearchDays;
  readonly order: JourneyOrder;
  readonly conversion: Conversion | undefined;
}

/**
 * Creates a search over carriers: one run per carrier, one deadline, one signal, one merged list.
 * Diagnostics channels: `ticketing:core:carrier-settled`, `ticketing:core:search-done`, and the tracing channels
 * `ticketing:core:search` and `ticketing:core:carrier`, inside whose bound stores carriers run.
 *
 * @throws TypeError or RangeError for options that are unknown or out of range
 * @example
 * const silent: Carrier = {
 *   id: 'silent',
 *   name: 'Silent Rail',
 *   request: async () => undefined,
 *   normalise: () => ({ journeys: [] }),
 * };
 * const search = createSearch({ carriers: [silent], deadlineMs: 2000 });
 * const { journeys, carriers, complete } = await search.search({ origin, destination, date });
 */
export function createSearch(options: SearchOptions): Search {
  const resolved = resolveSearchOptions(options);
  const clock = createLocalClock();
  const calls = createScatterCalls(createCarrierFace(resolved, clock));
  const calendars = createCalendars(resolved, clock);

  /** Checks one call. */
  function check(query: SearchQuery, options: SearchCallOptions, entered?: number): CheckedCall {
    const { carriers, signal, deadlineMs, order } = resolveCallOptions(options, resolved);
    const startedAt = entered ?? calls.enter();
    const { query: checked, days } = resolveQuery(query, startedAt, clock);
    checkPage(checked, carriers);
    const conversion = conversionOf(resolved.rates, checked.currency, startedAt);
    const sources = carriers;
    return { sources, query: checked, days, startedAt, deadlineMs, signal, order, conversion };
  }

  /** Asks the carriers of one call, and gathers what they answer. What `checked` throws is a rejection. */
  function gather(checked: () => CheckedCall): Promise<SearchResult> {
    return new Promise((resolve, reject) => {
      const call = checked();
      const answers: (readonly Journey[])[] = [];
      const places = createPlaces(call.query, call.sources);
      const operators = createOperators(call.sources);
      const ends = new Map<CarrierId, CarrierEnd>();
      calls.begin(call, {
        settled({ carrier, state }, { answer }) {
          ends.set(carrier, { state, pages: answer?.pages });
          if (answer === undefined || answer.journeys.length === 0) return;
          answers.push(answer.journeys);
          places.learn(carrier, answer.places);
          operators.learn(carrier, answer.operators);
        },
        done({ query: asked, ...ended }) {
          const finish = createFinish(places.find, call.conversion);
          const found = ([] as Journey[]).concat(...answers);
          const merged = mergeJourneys(found, { places: places.all() });
          const journeys = sortJourneys(finish(merged), call.order);
          const rates = call.conversion?.applied;
          const pages = pagesOf(asked, call.sources, ends, call.days);
          resolve({
            query: asked,
            journeys,
            places: places.take(journeys),
            operators: operators.take(journeys),
            ...(pages && { pages }),
            ...(rates && { rates }),
            ...ended,
          });
        },
        aborted: reject,
      });
    });
  }

  /** Asks several queries at once. All are checked before a carrier is asked; they have one start, one deadline and one signal. */
  const together: SearchTogether = async (queries, options) => {
    const startedAt = calls.enter();
    const checked = queries.map((query) => check(query, options, startedAt));
    return Promise.all(checked.map((call) => gather(() => call)));
  };

  /** Asks the carriers of one call, and returns what they answer as events. */
  function stream(
    query: SearchQuery,
    options: SearchCallOptions = {},
  ): AsyncIterableIterator<SearchEvent> {
    const call = check(query, options);
    const places = createPlaces(call.query, call.sources);
    const feed = createJourneyFeed(call.order, createRepeatedFinish(places.find, call.conversion));
    const rates = call.conversion?.applied;
    const operators = createOperators(call.sources);
    const ends = new Map<CarrierId, CarrierEnd>();
    let seq = 0;
    return calls.stream<SearchEvent>(call, (events) => ({
      started({ statuses, deadline }) {
        const carriers = [...statuses];
        const started = { query: call.query, carriers, deadline, ...(rates && { rates }) };
        events.push({ type: 'search-started', ...started });
      },
      settled(status, { answer }) {
        events.push({ type: 'carrier-status', status });
        const { carrier, state } = status;
        ends.set(carrier, { state, pages: answer?.pages });
        if (answer === undefined || answer.journeys.length === 0) return;
        seq += 1;
        places.learn(carrier, answer.places);
        const changes = feed.add(answer.journeys, { places: places.all() });
        operators.learn(carrier, answer.operators);
        events.push({
          type: 'journeys-upsert',
          seq,
          ...changes,
          places: places.take(changes.journeys),
          operators: operators.take(changes.journeys),
        });
      },
      done({ query: checked, carriers, complete, ms }) {
        const pages = pagesOf(checked, call.sources, ends, call.days);
        const end = { carriers, complete, found: feed.found, ...(pages && { pages }), ms };
        events.push({ type: 'search-done', ...end });
        events.end();
      },
    }));
  }

  const roundTrips = createRoundTrips(resolved, { clock, together });

  async function close(): Promise<void> {
    await Promise.all([calls.close(), calendars.close(), roundTrips.close()]);
  }

  const splitting: SplitDependencies = {
    together,
    stream,
    clock,
    now: resolved.now,
    sort: (journeys, order = resolved.order) => sortJourneys(journeys, order),
  };

  return {
    search: (query, options = {}) => gather(() => check(query, options)),
    stream,
    split: (query, options) => splitSearch(query, options, splitting),
    splitStream: (query, options) => splitStream(query, options, splitting),
    stats() {
      const { calls: counts, ends, latency } = calls.stats();
      return { ...counts, carriers: ends, latency };
    },
    calendar: calendars.calendar,
    calendarStream: calendars.calendarStream,
    roundTrip: roundTrips.roundTrip,
    close,
    [Symbol.asyncDispose]: close,
  };
}
