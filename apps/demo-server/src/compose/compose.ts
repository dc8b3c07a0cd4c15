import { createAdmission, createQueueSign, createUpstreamSign } from '@ticketing/admission';
import type { Search } from '@ticketing/core';
import type { Dispatcher } from '@ticketing/dispatch';
import type { AnswerTasks } from '../answers/answer-tasks.ts';
import { coalesceStats } from '../answers/answers-stats.ts';
import type { Carriers, CarrierTasks } from '../carriers/carriers.ts';
import { dispatchedSearch } from '../dispatch/dispatched-search.ts';
import { startDispatcher } from '../dispatch/start-dispatcher.ts';
import type { OwnStatus } from '../figures/process-status.ts';
import type { Flags } from '../flags/flag-specs.ts';
import { timeLeft } from '../http/admit.ts';
import { createBodySender } from '../http/body-sender.ts';
import { type CachedDocument, cacheHeaders } from '../http/cache-headers.ts';
import { createDurationCounts } from '../http/duration-counts.ts';
import { timesOf } from '../kept/keep-settings.ts';
import { keepEvents } from '../operator/event-log.ts';
import { createProcessStats } from '../processes/process-stats.ts';
import { createReading } from '../search/reading/search-reader.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { openWorms, type WormLocation } from '../worms/worm-databases.ts';
import { answerChain } from './answer-chain.ts';

/** Everything that a server process has, by what its users call it. */
export type Parts = Awaited<ReturnType<typeof compose>>;

interface ComposeDependencies {
  readonly carriers: Carriers;
  /** Epoch ms. */
  readonly now: () => number;
  /** A store that is filled. */
  readonly worms: WormLocation;
  readonly telemetry: Telemetry;
  /** The primary, in a server process of several. */
  readonly primary?: Dispatcher<CarrierTasks & AnswerTasks>;
  /** Runs whole searches for others, in a host whose workers do not. */
  readonly hostSearch?: Search;
}

/** Makes what the flags ask for. `close()` ends what is in flight, then all of it, the carriers' connections too. */
export async function compose(flags: Flags, dependencies: ComposeDependencies) {
  const { carriers, now, primary, telemetry, hostSearch } = dependencies;
  const events = keepEvents(now);
  const tasks = await startDispatcher({ flags, carriers, primary, telemetry, hostSearch });
  const { dispatcher, searches, whole, reload } = tasks;
  const store = await openWorms(dependencies.worms, flags).catch(async (error) => {
    await tasks.close();
    throw error;
  });
  const queueSign = createQueueSign(() => dispatcher.stats());
  const carriersSign = createUpstreamSign(flags.deadlineMs);
  const onEnd = carriersSign.note;
  const search = dispatchedSearch(dispatcher, { flags, carriers, now, onEnd });
  const { kept } = carriers;
  const { own, answers } = await answerChain(flags, {
    search,
    store,
    searches,
    onEnd,
    primary,
    kept,
    now,
  });
  const admission = createAdmission({
    deadlineMs: flags.deadlineMs,
    maxInFlight: flags.maxInFlight,
    isUnderWay: answers.has,
    signs: () => ({ queueMs: queueSign.read(), upstreamLate: carriersSign.read() }),
  });
  const bodies = createBodySender();
  const durations = createDurationCounts();
  const processStats = createProcessStats(admission.eventLoop);
  return {
    answers,
    own,
    whole,
    reload,
    admission,
    durations,
    bodies,
    telemetry,
    now,
    ...createReading(flags, now),
    cacheHeadersOf: (document: CachedDocument, isLasting: boolean) =>
      cacheHeaders(document, {
        cache: timesOf(flags.httpCache),
        keep: timesOf(flags.keep),
        isLasting,
        nowMs: now(),
      }),
    isShared: flags.coalesce !== 'off',
    rates: carriers.rates.current,
    leftMs: timeLeft(flags.deadlineMs),
    status(): OwnStatus {
      const counted = answers.stats();
      const { streams, search, keys, shared, worms } = counted;
      const stats = {
        admission: admission.stats(),
        routes: durations.rows(),
        ...coalesceStats(counted),
        streams,
        encoding: bodies.stats(),
        search,
        dispatch: dispatcher.stats(),
        ...(tasks.fleet && { hosts: tasks.fleet() }),
        ...(keys && { keys }),
        ...(shared && { shared }),
        http: carriers.http.stats(),
        kept: kept.stats(),
        guards: carriers.guards.stats(),
        worms,
        process: processStats(),
      };
      return { pid: process.pid, events: events.list(), stats };
    },
    async close() {
      admission.close();
      events.close();
      await answers.close();
      await tasks.close();
      await carriers.close();
    },
  };
}
