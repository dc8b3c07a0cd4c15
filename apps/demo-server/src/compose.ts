import {
  type Admission,
  createAdmission,
  createQueueSign,
  createUpstreamSign,
} from '@ticketing/admission';
import { createSharedBodies, type SharedBodies } from '@ticketing/batching/http';
import type { Search } from '@ticketing/core';
import type { Dispatcher } from '@ticketing/dispatch';
import type { StationBook } from '@ticketing/stations';
import type { Flags } from './flags/flag-specs.ts';
import { joinQuestionFleet } from './fleet/question-fleet.ts';
import { encodingStats } from './http/send-document.ts';
import { createDurationCounts, type DurationCounts } from './metrics/duration-counts.ts';
import { keepEvents } from './operator/event-log.ts';
import { createFinders, type Finders, localFinds, remoteFinds } from './questions.ts';
import type { CarrierName, Carriers, CarrierTasks } from './search/carriers.ts';
import { startDispatcher, type WorkerTasks } from './search/dispatch.ts';
import { dispatchedSearch } from './search/dispatched-search.ts';
import { createPageTokens, newPageKey, type PageTokens } from './search/query/page-tokens.ts';
import { type StationTexts, searchedStations } from './search/query/station-texts.ts';
import { localSearches } from './search/searches.ts';
import { openSharedLoads } from './search/shared-loads.ts';
import { createSharedStreams, type SharedStreams } from './search/shared-streams.ts';
import { workerSearches } from './search/worker-searches.ts';
import { createProcessStats } from './serving/process-stats.ts';
import type { OwnStatus, PrimaryTasks } from './serving/serving.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import { openWorms, type WormLocation } from './worms/worm-databases.ts';

/** What a server process is made of. */
export interface Parts {
  /** Answers the questions of this process's clients, shared as the flags say. */
  readonly finders: Finders;
  /** Runs the carriers' tasks. */
  readonly dispatcher: Dispatcher<CarrierTasks>;
  /** The same, if it has every task of a host. */
  readonly whole: Dispatcher<WorkerTasks> | undefined;
  /** Answers in this process, for itself or for one that coalesces. */
  readonly local: Finders;
  /** Answers as events, shared as the flags say. */
  readonly streams: SharedStreams;
  /** Compresses documents, each once for all clients that get it. */
  readonly encoder: SharedBodies;
  /** Makes spans of requests, if the flags ask for that. */
  readonly telemetry: Telemetry;
  /** Counts the answers of the server. */
  readonly durations: DurationCounts;
  /** Seals the pages of answers, and opens them again. */
  readonly pageTokens: PageTokens;
  /** All stations, opened at the first call. */
  stationBook(): Promise<StationBook>;
  /** What texts of searches mean, of all stations. */
  stationTexts(): Promise<StationTexts>;
  /** Those that are asked. */
  readonly carriers: readonly CarrierName[];
  /** Decides which requests begin. */
  readonly admission: Admission;
  /** Milliseconds that a request has left, from 1. */
  leftMs(request: { readonly arrivedAt: number }): number;
  /** Epoch ms. */
  now(): number;
  status(): OwnStatus;
  /** Replaces the workers that tasks run in. */
  reload(): Promise<void>;
  /** Ends what is in flight, then everything that `compose` started. */
  close(): Promise<void>;
}

/** Dependencies of `compose`. */
export interface ComposeDependencies {
  readonly carriers: Carriers;
  /** Epoch ms. */
  readonly now: () => number;
  /** Where the store is, filled. */
  readonly worms: WormLocation;
  /** That of this process, for its workers. */
  readonly telemetry: Telemetry;
  /** The primary, in a server process of several. */
  readonly primary?: Dispatcher<PrimaryTasks>;
  /** Of a host: runs whole searches for others, where its workers do not. */
  readonly hostSearch?: Search;
}

/** Makes the parts that the flags ask for. `close()` closes the carriers' connections too. */
export async function compose(flags: Flags, dependencies: ComposeDependencies): Promise<Parts> {
  const { carriers, now, primary, telemetry, hostSearch } = dependencies;
  const events = keepEvents(now);
  const dispatching = await startDispatcher(flags.dispatch, {
    flags,
    carriers,
    primary,
    telemetry,
    hostSearch,
  });
  const { dispatcher } = dispatching;
  const store = await openWorms(dependencies.worms, flags).catch(async (error) => {
    await dispatching.close();
    throw error;
  });
  const carriersSign = createUpstreamSign(flags.deadlineMs);
  const onEnd = carriersSign.note;
  const own = localSearches(dispatchedSearch(dispatcher, { flags, carriers, now, onEnd }));
  const search =
    flags.offload === 'search' && dispatching.searches !== undefined
      ? workerSearches(dispatching.searches, own, { carriers: flags.carriers, onEnd })
      : own;
  const ownFinds = localFinds({ search, worms: store });
  const isBeyond = flags.coalesce === 'machine' || flags.coalesce === 'fleet';
  // Of several server processes the primary is the member of the fleet.
  const keys =
    flags.coalesce === 'fleet' && primary === undefined
      ? await joinQuestionFleet(createFinders(ownFinds, { isShared: true }), { flags })
      : undefined;
  const finds = isBeyond && primary ? remoteFinds(primary) : (keys?.finds ?? ownFinds);
  const shared = flags.coalesce === 'shared' ? await openSharedLoads(flags) : undefined;
  const finders = createFinders(finds, {
    isShared: flags.coalesce !== 'off',
    share: shared?.share,
  });
  const streams = createSharedStreams(search, { isShared: flags.coalesce !== 'off' });
  const queueSign = createQueueSign(() => dispatcher.stats());
  // Of codings that a client likes as much, the one that it names first; `@fastify/etag` tags what is sent.
  const encoder = createSharedBodies({
    encodings: ['br', 'gzip'],
    preference: 'client',
    etag: false,
  });
  let book: Promise<StationBook> | undefined;
  let texts: Promise<StationTexts> | undefined;
  const stationBook = (): Promise<StationBook> => {
    book ??= import('@ticketing/stations').then(({ openStations }) => openStations());
    return book;
  };
  const durations = createDurationCounts();
  const admission = createAdmission({
    deadlineMs: flags.deadlineMs,
    maxInFlight: flags.maxInFlight,
    isUnderWay: (key) =>
      Object.values(finders).some((finder) => finder.has(key)) || streams.has(key),
    signs: () => ({ queueMs: queueSign.read(), upstreamLate: carriersSign.read() }),
  });
  const processStats = createProcessStats(admission.eventLoop);
  return {
    finders,
    dispatcher,
    whole: dispatching.whole,
    local: createFinders(ownFinds, { isShared: false }),
    streams,
    encoder,
    telemetry,
    durations,
    pageTokens: createPageTokens(flags.pageKey ?? newPageKey()),
    stationBook,
    stationTexts() {
      texts ??= stationBook().then(searchedStations);
      return texts;
    },
    carriers: flags.carriers,
    admission,
    leftMs: ({ arrivedAt }) =>
      Math.max(1, Math.ceil(arrivedAt + flags.deadlineMs - performance.now())),
    now,
    status: () => ({
      pid: process.pid,
      events: events.list(),
      stats: {
        admission: admission.stats(),
        routes: durations.rows(),
        coalesce: finders.document.stats(),
        streams: streams.stats(),
        encoding: encodingStats(encoder),
        search: search.stats(),
        dispatch: dispatcher.stats(),
        ...(dispatching.fleet && { hosts: dispatching.fleet() }),
        ...(keys && { keys: keys.stats() }),
        ...(shared && { shared: shared.stats() }),
        http: carriers.http.stats(),
        worms: { ...store.stats(), coalesce: finders.worms.stats() },
        process: processStats(),
      },
    }),
    reload: dispatching.reload,
    async close() {
      admission.close();
      events.close();
      await keys?.leave(flags.deadlineMs);
      await keys?.close();
      await shared?.close();
      await search.close();
      await store.close();
      await dispatching.close();
      await carriers.http.close();
    },
  };
}
