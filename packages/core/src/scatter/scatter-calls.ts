import { type BucketCounter, createBucketCounts, createSignalListeners } from '@ticketing/kit';
import { type AskTask, askSources } from './ask-sources.ts';
import { createEventQueue, type EventQueue } from './event-queue.ts';
import type { BareStatus, ScatterFace } from './scatter-face.ts';
import type { CallStats, EndsBySource, LatencyBySource, SettledState } from './source-status.ts';

/** One checked call. */
export interface ScatterCall<Source, Query> {
  readonly sources: readonly Source[];
  readonly query: Query;
  /** Epoch ms, from `enter()`. */
  readonly startedAt: number;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Receives the events of one call; none after `aborted`. */
export interface CallObserver<Answer, Status, Ended> {
  /** `outcome` has an `answer` when the source gave one. */
  settled(status: Status, outcome: { readonly answer?: Answer }): void;
  done(ended: Ended): void;
  aborted(reason: unknown): void;
}

/** Receives the same for a stream, and the start; the queue is notified of an abort. */
export interface StreamObserver<Answer, Status, Ended>
  extends Omit<CallObserver<Answer, Status, Ended>, 'aborted'> {
  started(running: RunningCall<Status>): void;
}

/** One call under way. */
export interface RunningCall<Status> {
  /** Current statuses, in the order of the sources. */
  readonly statuses: readonly Status[];
  /** Epoch ms. */
  readonly deadline: number;
}

/** The calls of one kind of scatter, from the first to `close()`. */
export interface ScatterCalls<Source, Query, Answer, Status, Ended> {
  /** Returns the time at which a call starts. @throws the error of a call after `close()` */
  enter(): number;
  /** Asks the sources. @throws the reason of a signal that has aborted already */
  begin(
    call: ScatterCall<Source, Query>,
    observer: CallObserver<Answer, Status, Ended>,
  ): RunningCall<Status>;
  /** Asks the sources, with a queue of events as observer: what `begin` throws, and leaving the loop cancels. */
  stream<Event>(
    call: ScatterCall<Source, Query>,
    observe: (events: EventQueue<Event>) => StreamObserver<Answer, Status, Ended>,
  ): AsyncIterableIterator<Event>;
  stats(): {
    readonly calls: CallStats;
    readonly ends: EndsBySource;
    readonly latency: LatencyBySource;
  };
  /** Refuses new calls and resolves when those in flight have ended. Idempotent. */
  close(): Promise<void>;
}

/** Creates the lifetime of calls: signals, counters, traces and the end. Holds timers and listeners only during calls. */
export function createScatterCalls<
  Source extends { readonly id: string },
  Query,
  Answer,
  Status extends BareStatus,
  Ended extends { readonly complete: boolean },
>(
  face: ScatterFace<Source, Query, Answer, Status, Ended>,
): ScatterCalls<Source, Query, Answer, Status, Ended> {
  const { channels, now } = face;
  const counts = { complete: 0, partial: 0, aborted: 0 };
  const counters = createCounters(face.sources);
  const listeners = createSignalListeners();
  const whenIdle: (() => void)[] = [];
  let running = 0;
  let closed = false;

  function begin(
    { sources, query, startedAt, deadlineMs, signal }: ScatterCall<Source, Query>,
    observer: CallObserver<Answer, Status, Ended>,
  ): RunningCall<Status> & { leave(reason: unknown): void } {
    signal?.throwIfAborted();
    let aborted = false;
    const waiter = { aborted: leave };
    running += 1;
    const traced = channels.call.hasSubscribers || channels.source.hasSubscribers;
    const trace = traced ? face.traceCall(query, deadlineMs) : undefined;
    const task: AskTask<Source, Query, Answer, Status> = {
      sources,
      query,
      startedAt,
      deadlineMs,
      trace,
      onSettled(id, status, outcome) {
        counters.count(id, status);
        if (channels.settled.hasSubscribers) {
          channels.settled.publish(face.settled(query, status, outcome.cause));
        }
        if (!aborted) observer.settled(status, outcome);
      },
      onDone() {
        if (signal) listeners.remove(signal, waiter);
        const ended = face.ended(query, [...asked.statuses], Math.max(0, now() - startedAt));
        running -= 1;
        counts[aborted ? 'aborted' : ended.complete ? 'complete' : 'partial'] += 1;
        if (channels.done.hasSubscribers) channels.done.publish({ ...ended, aborted });
        if (trace !== undefined) {
          trace.ended = { ...ended, aborted };
          channels.call.asyncStart.publish(trace);
          channels.call.asyncEnd.publish(trace);
        }
        if (!aborted) observer.done(ended);
        if (running === 0) for (const resolve of whenIdle.splice(0)) resolve();
      },
    };
    const asked =
      trace === undefined
        ? askSources(face, task)
        : channels.call.start.runStores(trace, () => askSources(face, task));
    if (trace !== undefined) channels.call.end.publish(trace);
    function leave(reason: unknown): void {
      aborted = true;
      asked.cancel(reason);
      observer.aborted(reason);
    }
    // A source's first synchronous steps may have aborted it.
    if (signal?.aborted) leave(signal.reason);
    else if (signal) listeners.add(signal, waiter);
    return { statuses: asked.statuses, deadline: startedAt + deadlineMs, leave };
  }

  return {
    enter() {
      if (closed) throw face.closed();
      return now();
    },
    begin,
    stream<Event>(
      call: ScatterCall<Source, Query>,
      observe: (events: EventQueue<Event>) => StreamObserver<Answer, Status, Ended>,
    ) {
      const events = createEventQueue<Event>(() => begun.leave(face.left()));
      const observer = observe(events);
      const begun = begin(call, {
        settled: observer.settled,
        done: observer.done,
        aborted: events.fail,
      });
      observer.started(begun);
      return events;
    },
    stats: () => ({
      calls: { state: closed ? 'closed' : 'open', running, ...counts },
      ...counters.summary(),
    }),
    close() {
      closed = true;
      if (running === 0) return Promise.resolve();
      return new Promise((resolve) => whenIdle.push(resolve));
    },
  };
}

/** Counts how each source ended, and how long it took. */
function createCounters(sources: readonly { readonly id: string }[]): {
  count(id: string, status: BareStatus): void;
  summary(): { readonly ends: EndsBySource; readonly latency: LatencyBySource };
} {
  const byId = new Map(sources.map(({ id }) => [id, new Map<SettledState, BucketCounter>()]));
  const ofEach = <T>(read: (states: ReadonlyMap<SettledState, BucketCounter>) => T) =>
    Object.fromEntries([...byId].map(([id, states]) => [id, read(states)]));
  return {
    count(id, { state, ms }) {
      const states = byId.get(id);
      const buckets = states?.get(state as SettledState) ?? createBucketCounts();
      states?.set(state as SettledState, buckets);
      buckets.add(ms);
    },
    summary: () => ({
      ends: ofEach((states) => countOf(states)),
      latency: ofEach((states) =>
        Object.fromEntries([...states].map(([state, buckets]) => [state, buckets.summary()])),
      ),
    }),
  };
}

function countOf(
  states: ReadonlyMap<SettledState, BucketCounter>,
): Readonly<Record<SettledState, number>> {
  const count = (state: SettledState): number =>
    states
      .get(state)
      ?.summary()
      .counts.reduce((sum, each) => sum + each) ?? 0;
  return {
    ok: count('ok'),
    empty: count('empty'),
    timeout: count('timeout'),
    error: count('error'),
    cancelled: count('cancelled'),
    'rejected-busy': count('rejected-busy'),
    'rate-limited': count('rate-limited'),
    'circuit-open': count('circuit-open'),
  };
}
