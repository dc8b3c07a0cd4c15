import { stationTable } from '@ticketing/carriers';
import { createSearch, type Search, type StationIndex } from '@ticketing/core';
import type { Dispatcher } from '@ticketing/dispatch';
import type { Carriers, CarrierTasks } from './carriers.ts';
import { documentsBy, type PrimaryTasks, wormsBy } from './cluster-tasks.ts';
import { coalesced, direct, type Find, type Finder } from './coalesced.ts';
import { startDispatcher } from './dispatch.ts';
import {
  type DocumentQuestion,
  documentKey,
  documentsOf,
  type FindDocument,
  type SearchDocument,
} from './documents.ts';
import type { Flags } from './flags/flags.ts';
import { type Admission, createAdmission, eventLoop } from './overload/admission.ts';
import { createInFlightLimit } from './overload/in-flight-limit.ts';
import { createCarriersSign, createQueueSign } from './overload/load-signs.ts';
import { watchProcess } from './process-watch.ts';
import { runBy } from './run-carrier.ts';
import { openWorms } from './worms/open-worms.ts';
import { type FindWorms, type WormAnswer, wormKey, wormsOf } from './worms/worm-answers.ts';
import type { WormLocation } from './worms/worm-store.ts';

/** What a serving process is made of. */
export interface Parts {
  /** Answers as one document. */
  readonly documents: Finder<DocumentQuestion, SearchDocument>;
  /** The same by this process itself, for it or for another that coalesces. */
  readonly findDocument: FindDocument;
  /** Answers out of the store; and the same by this process itself. */
  readonly worms: Finder<string, WormAnswer>;
  readonly findWorms: FindWorms;
  /** Answers as events. */
  readonly search: Search;
  readonly stations: StationIndex;
  /** Which requests are begun. */
  readonly admission: Admission;
  /** When a request that is read now came at the earliest, on the clock of `performance.now()`. */
  arrivedAt(): number;
  /** Milliseconds that a request has left, from 1. */
  leftMs(request: { readonly arrivedAt: number }): number;
  /** Epoch ms. */
  now(): number;
  /** Pids of the processes that tasks run in, besides this one. */
  taskPids(): readonly number[];
  /** Every part's counters. */
  stats(): Record<string, unknown>;
  /** Replaces the workers that tasks run in. */
  reload(): Promise<void>;
  /** Ends what is in flight, then everything that `compose` started. */
  close(): Promise<void>;
}

/** Where a process finds itself. */
export interface Surroundings {
  readonly carriers: Carriers;
  /** Epoch ms. */
  readonly now: () => number;
  /** Where the store is, filled. */
  readonly worms: WormLocation;
  /** The primary of the cluster that this process serves in. */
  readonly primary?: Dispatcher<PrimaryTasks>;
}

/** Makes the parts that the flags ask for. The carriers' connections are theirs from now on. */
export async function compose(flags: Flags, surroundings: Surroundings): Promise<Parts> {
  const { carriers, now, primary } = surroundings;
  const dispatching = await startDispatcher({ flags, carriers, primary });
  const { dispatcher } = dispatching;
  const store = await openWorms(surroundings.worms, flags).catch(async (error) => {
    await dispatching.close();
    throw error;
  });
  const carriersSign = createCarriersSign(flags.deadlineMs);
  const search = searchBy(dispatcher, { flags, carriers, now, onEnd: carriersSign.note });
  const findDocument = documentsOf(search);
  const limit = createInFlightLimit(flags.maxInFlight);
  const queueSign = createQueueSign(() => dispatcher.stats());
  const watch = watchProcess((lateMs) =>
    limit.learn({
      lateMs,
      queueMs: queueSign.read(),
      carriersLate: carriersSign.read(),
      peak: admission.look(),
    }),
  );
  const findWorms = wormsOf(store);
  const shared = flags.coalesce === 'machine' ? primary : undefined;
  const finder = <Q, A>(
    find: Find<Q, A>,
    options: { name: string; key: (question: Q) => string },
  ) => (flags.coalesce === 'off' ? direct(find) : coalesced(find, options));
  const documents = finder(shared ? documentsBy(shared) : findDocument, {
    name: 'search',
    key: documentKey,
  });
  const worms = finder(shared ? wormsBy(shared) : findWorms, {
    name: 'worms',
    key: wormKey,
  });
  const admission = createAdmission({
    limit,
    deadlineMs: flags.deadlineMs,
    isUnderWay: (key) => documents.has(key) || worms.has(key),
    ...eventLoop,
  });
  return {
    documents,
    findDocument,
    worms,
    findWorms,
    search,
    stations: stationTable,
    admission,
    arrivedAt: watch.arrivedAt,
    leftMs: ({ arrivedAt }) =>
      Math.max(1, Math.ceil(arrivedAt + flags.deadlineMs - performance.now())),
    now,
    taskPids: dispatching.pids,
    stats: () => ({
      admission: admission.stats(),
      coalesce: documents.stats(),
      search: search.stats(),
      dispatch: dispatcher.stats(),
      http: carriers.http.stats(),
      worms: { ...store.stats(), coalesce: worms.stats() },
      process: watch.stats(),
    }),
    reload: dispatching.reload,
    async close() {
      watch.close();
      await search.close();
      await store.close();
      await dispatching.close();
      await carriers.http.close();
    },
  };
}

/** Asks the carriers, whose work a dispatcher runs. `onEnd` is told how long each took. */
export function searchBy(
  dispatcher: Dispatcher<CarrierTasks>,
  given: {
    readonly flags: Flags;
    readonly carriers: Carriers;
    readonly now: () => number;
    readonly onEnd?: (carrier: string, ms: number) => void;
  },
): Search {
  const { flags, carriers, now, onEnd = () => {} } = given;
  return createSearch({
    carriers: flags.carriers.map((name) => carriers.byName[name]),
    deadlineMs: flags.deadlineMs,
    http: carriers.http.clientOf,
    run: runBy(dispatcher, { offload: flags.offload, now, onEnd }),
    now,
  });
}
