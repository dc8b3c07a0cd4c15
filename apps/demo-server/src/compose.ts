import { stationTable } from '@ticketing/carriers';
import { createSearch, type Search, type StationIndex } from '@ticketing/core';
import type { Dispatcher } from '@ticketing/dispatch';
import type { Flags } from './flags/flag-specs.ts';
import { type Admission, createAdmission, eventLoop } from './overload/admission.ts';
import { createInFlightLimit } from './overload/in-flight-limit.ts';
import { createCarriersSign, createQueueSign } from './overload/load-signs.ts';
import { type Finders, findersOf, localFinds, remoteFinds } from './questions.ts';
import type { Carriers, CarrierTasks } from './search/carriers.ts';
import { startDispatcher } from './search/dispatch.ts';
import { dispatchedCarrier } from './search/run-carrier.ts';
import type { PrimaryTasks } from './serving/cluster-tasks.ts';
import { watchProcess } from './serving/process-watch.ts';
import { openWorms } from './worms/worm-databases.ts';
import type { WormLocation } from './worms/worm-store.ts';

/** What a serving process is made of. */
export interface Parts {
  /** How the routes ask. */
  readonly finders: Finders;
  /** Answers by this process itself, for it or for another that coalesces. */
  readonly local: Finders;
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

/** Dependencies of `compose`. */
export interface ComposeDependencies {
  readonly carriers: Carriers;
  /** Epoch ms. */
  readonly now: () => number;
  /** Where the store is, filled. */
  readonly worms: WormLocation;
  /** The primary of the cluster that this process serves in. */
  readonly primary?: Dispatcher<PrimaryTasks>;
}

/** Makes the parts that the flags ask for. The carriers' connections are theirs from now on. */
export async function compose(flags: Flags, dependencies: ComposeDependencies): Promise<Parts> {
  const { carriers, now, primary } = dependencies;
  const dispatching = await startDispatcher(flags.dispatch, {
    dispatchWorkers: flags.dispatchWorkers,
    carriers,
    primary,
  });
  const { dispatcher } = dispatching;
  const store = await openWorms(dependencies.worms, flags).catch(async (error) => {
    await dispatching.close();
    throw error;
  });
  const carriersSign = createCarriersSign(flags.deadlineMs);
  const search = dispatchedSearch(dispatcher, { flags, carriers, now, onEnd: carriersSign.note });
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
  const finds = localFinds({ search, worms: store });
  const asked = flags.coalesce === 'machine' && primary ? remoteFinds(primary) : finds;
  const finders = findersOf(asked, { isShared: flags.coalesce !== 'off' });
  const admission = createAdmission({
    limit,
    deadlineMs: flags.deadlineMs,
    isUnderWay: (key) => Object.values(finders).some((finder) => finder.has(key)),
    ...eventLoop,
  });
  return {
    finders,
    local: findersOf(finds, { isShared: false }),
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
      coalesce: finders.document.stats(),
      search: search.stats(),
      dispatch: dispatcher.stats(),
      http: carriers.http.stats(),
      worms: { ...store.stats(), coalesce: finders.worms.stats() },
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

/** Asks all carriers through a dispatcher. `onEnd` gets how long each took. */
export function dispatchedSearch(
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
    run: dispatchedCarrier(dispatcher, { offload: flags.offload, now, onEnd }),
    now,
  });
}
