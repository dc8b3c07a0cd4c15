import { channel, type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import { type BucketCounter, createBucketCounts, createSignalListeners } from '@ticketing/kit';
import { CarrierError, RailError } from '../errors.ts';
import type { CarrierId, Journey } from '../model/journey.ts';
import { createLocalClock } from '../model/local-clock.ts';
import { createEventQueue } from './event-queue.ts';
import { createJourneyFeed, mergeJourneys } from './merge.ts';
import { type JourneyOrder, sortJourneys } from './order.ts';
import { carrierChannel, type ScatterTask, type SearchTrace, scatter } from './scatter.ts';
import {
  resolveCallOptions,
  resolveSearchOptions,
  type SearchCallOptions,
  type SearchOptions,
} from './search-options.ts';
import { type ResolvedQuery, resolveQuery, type SearchQuery } from './search-query.ts';
import type {
  CarrierStatus,
  SearchEvent,
  SearchResult,
  SearchStats,
  SettledState,
} from './search-result.ts';

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
  /** Counters since the start. */
  stats(): SearchStats;
  /** Refuses new searches and resolves when those in flight have ended. Idempotent. */
  close(): Promise<void>;
}

/** Receives the events of one search; none after `aborted`. */
interface Observer {
  settled(status: CarrierStatus, journeys: readonly Journey[]): void;
  done(ended: Omit<SearchResult, 'journeys'>): void;
  aborted(reason: unknown): void;
}

/** One search under way. */
interface Running {
  readonly started: SearchEvent & { type: 'search-started' };
  readonly order: JourneyOrder;
  leave(reason: unknown): void;
}

const carrierSettled = channel('ticketing:core:carrier-settled');
const searchDone = channel('ticketing:core:search-done');
/** `start` and `end` around the calls of all carriers, `asyncStart` and `asyncEnd` when the last one has settled. */
const searchChannel: TracingChannel<unknown, SearchTrace> = tracingChannel('ticketing:core:search');

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
  const { carriers, now } = resolved;
  const clock = createLocalClock();
  const ends = { complete: 0, partial: 0, aborted: 0 };
  const states = new Map(carriers.map(({ id }) => [id, noEnds()]));
  const latency = new Map<CarrierId, Map<SettledState, BucketCounter>>(
    carriers.map(({ id }) => [id, new Map()]),
  );
  const whenIdle: (() => void)[] = [];
  const listeners = createSignalListeners();
  let searching = 0;
  let closed = false;

  function begin(query: SearchQuery, call: SearchCallOptions, observer: Observer): Running {
    const { signal, deadlineMs, order, carriers: asked } = resolveCallOptions(call, resolved);
    if (closed) throw new RailError('ERR_CLOSED', 'Cannot search: the search is closed');
    const startedAt = now();
    const checked = resolveQuery(query, startedAt, clock);
    signal?.throwIfAborted();
    let aborted = false;
    const waiter = { aborted: leave };
    searching += 1;

    const trace = traceOf(checked, deadlineMs);
    const task: ScatterTask = {
      carriers: asked,
      query: checked,
      startedAt,
      deadlineMs,
      trace,
      onSettled(status, journeys) {
        count(status);
        if (carrierSettled.hasSubscribers) carrierSettled.publish({ query: checked, status });
        if (!aborted) observer.settled(status, journeys);
      },
      onDone() {
        if (signal) listeners.remove(signal, waiter);
        const statuses = [...scattered.statuses];
        const complete = statuses.every(({ state }) => state === 'ok' || state === 'empty');
        const ended = {
          query: checked,
          carriers: statuses,
          complete,
          ms: Math.max(0, now() - startedAt),
        };
        searching -= 1;
        ends[aborted ? 'aborted' : complete ? 'complete' : 'partial'] += 1;
        if (searchDone.hasSubscribers) searchDone.publish({ ...ended, aborted });
        if (trace !== undefined) {
          trace.ended = { ...ended, aborted };
          searchChannel.asyncStart.publish(trace);
          searchChannel.asyncEnd.publish(trace);
        }
        if (!aborted) observer.done(ended);
        if (searching === 0) for (const resolve of whenIdle.splice(0)) resolve();
      },
    };
    const scattered =
      trace === undefined
        ? scatter(resolved, task)
        : searchChannel.start.runStores(trace, scatter, undefined, resolved, task);
    if (trace !== undefined) searchChannel.end.publish(trace);
    function leave(reason: unknown): void {
      aborted = true;
      scattered.cancel(reason);
      observer.aborted(reason);
    }
    // A carrier's first synchronous steps may have aborted it.
    if (signal?.aborted) leave(signal.reason);
    else if (signal) listeners.add(signal, waiter);
    const started = {
      type: 'search-started',
      query: checked,
      carriers: [...scattered.statuses],
    } as const;
    return { started: { ...started, deadline: startedAt + deadlineMs }, order, leave };
  }

  function count({ carrier, state, ms }: CarrierStatus): void {
    const settled = state as SettledState;
    const counts = states.get(carrier);
    if (counts) counts[settled] += 1;
    const byState = latency.get(carrier);
    let buckets = byState?.get(settled);
    if (buckets === undefined) {
      buckets = createBucketCounts();
      byState?.set(settled, buckets);
    }
    buckets.add(ms);
  }

  return {
    search(query, call = {}) {
      return new Promise((resolve, reject) => {
        const found: Journey[] = [];
        const { order } = begin(query, call, {
          settled: (_status, journeys) => {
            for (const journey of journeys) found.push(journey);
          },
          done: ({ query: checked, ...ended }) =>
            resolve({
              query: checked,
              journeys: sortJourneys(mergeJourneys(found), order),
              ...ended,
            }),
          aborted: reject,
        });
      });
    },
    stream(query, call = {}) {
      const events = createEventQueue<SearchEvent>(() =>
        running.leave(new CarrierError('ABORTED', 'the consumer left the stream')),
      );
      let seq = 0;
      const running = begin(query, call, {
        settled(status, journeys) {
          events.push({ type: 'carrier-status', status });
          if (journeys.length === 0) return;
          seq += 1;
          events.push({ type: 'journeys-upsert', seq, ...feed.add(journeys) });
        },
        done({ carriers: statuses, complete, ms }) {
          events.push({ type: 'search-done', carriers: statuses, complete, found: feed.found, ms });
          events.end();
        },
        aborted: events.fail,
      });
      const feed = createJourneyFeed(running.order);
      events.push(running.started);
      return events;
    },
    stats: () => ({
      state: closed ? 'closed' : 'open',
      running: searching,
      ...ends,
      carriers: Object.fromEntries([...states].map(([id, counts]) => [id, { ...counts }])),
      latency: Object.fromEntries(
        [...latency].map(([id, byState]) => [
          id,
          Object.fromEntries([...byState].map(([state, buckets]) => [state, buckets.summary()])),
        ]),
      ),
    }),
    close() {
      closed = true;
      if (searching === 0) return Promise.resolve();
      return new Promise((resolve) => whenIdle.push(resolve));
    },
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}

/** Returns what subscribers see of a search; `undefined` when there are none. */
function traceOf(query: ResolvedQuery, deadlineMs: number): SearchTrace | undefined {
  if (!searchChannel.hasSubscribers && !carrierChannel.hasSubscribers) return undefined;
  return { searchId: crypto.randomUUID(), query, deadlineMs };
}

function noEnds(): Record<SettledState, number> {
  return { ok: 0, empty: 0, timeout: 0, error: 0, cancelled: 0, 'rejected-busy': 0 };
}
