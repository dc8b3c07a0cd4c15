import {
  BatchingError,
  type CoalescerStats,
  createCoalescer,
  type LoadContext,
} from '@ticketing/batching';
import { CarrierError, type KnownAnswer, type RunCarrier, type RunContext } from '@ticketing/core';
import { type Clock, systemClock } from '@ticketing/kit';
import { isAskedAnew } from './ask-anew.ts';
import { askCarrier, type CarrierQuestion } from './carrier-load.ts';
import {
  answerOf,
  bytesOf,
  type CarrierRecord,
  freshLeft,
  isWhole,
  staleLeft,
} from './carrier-record.ts';
import { createDayMemory } from './day-memory.ts';
import type { KeepSettings } from './keep-settings.ts';
import { questionKey } from './question-key.ts';

/** Loads a record. Returned by {@link ShareRecords}, it asks other servers for theirs, too. */
export type LoadRecord = (
  question: CarrierQuestion,
  context: LoadContext<CarrierQuestion>,
) => Promise<CarrierRecord>;

/** Makes a load of records one for several servers. */
export type ShareRecords = (load: LoadRecord, keep: KeepSettings) => LoadRecord;

/** Answers of carriers, kept by carrier and question. */
export interface KeptAnswers {
  /** Returns `run` behind the kept answers of the carrier that it is to ask. */
  around(run: RunCarrier): RunCarrier;
  /** Returns an answer of a whole day that is at most an hour old: calendars have it without a question to a carrier. */
  readonly known: KnownAnswer;
  /** Has other servers share what is loaded from now on. */
  shareBy(share: ShareRecords): void;
  /** Absent if nothing is kept. */
  stats(): CoalescerStats | undefined;
  close(): Promise<void>;
}

interface KeptDependencies {
  /** Absent: nothing is kept, and no load is shared. */
  readonly keep: KeepSettings | undefined;
  /** Milliseconds that a load in the background may take. */
  readonly deadlineMs: number;
  /** Epoch ms. */
  readonly now: () => number;
  /** Default: the platform's timers. */
  readonly timers?: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
}

/** Bounds of what a process keeps. */
const MAX_ENTRIES = 5000;
const MAX_BYTES = 32 * 1024 * 1024;

/** An answer that ends early, while a whole one is kept: it goes to those who wait for it, and replaces nothing. */
class EndedEarly extends Error {
  readonly record: CarrierRecord;
  constructor(record: CarrierRecord) {
    super('An answer that ends early is not kept');
    this.record = record;
  }
}

/** A load in flight. */
interface Flight {
  readonly startedAt: number;
  /** Reason with which its last caller left. */
  left: unknown;
}

/** Reason why a kept answer has not been renewed. */
interface Failure {
  readonly error: CarrierError;
  readonly at: number;
}

/**
 * Keeps the answers of a process. A fresh one is given as it is; a stale one at once, while one load asks the carrier again. After a load
 * that failed the stale answer has the reason, so that its search is not complete. Searches that ask the same question at the same
 * time share one load; it goes on until the last of them has left.
 */
export function createKeptAnswers(dependencies: KeptDependencies): KeptAnswers {
  const { keep, deadlineMs, now, timers = systemClock } = dependencies;
  if (keep === undefined) {
    return {
      around: (run) => run,
      known: () => undefined,
      shareBy: () => {},
      stats: () => undefined,
      close: async () => {},
    };
  }
  const { setTimeout, clearTimeout } = timers;
  const clock: Clock = { now, setTimeout, clearTimeout };
  const flights = new Map<string, Flight>();
  const days = createDayMemory(now);
  const failures = new WeakMap<CarrierRecord, Failure>();
  let loadRecord: LoadRecord = (question, { signal }) =>
    askCarrier(question, {
      signal,
      reasonOf: (reason) => flights.get(question.id)?.left ?? reason,
      deadlineMs,
      clock,
    });

  const coalescer = createCoalescer<CarrierQuestion, CarrierRecord>(load, {
    name: 'carriers',
    key: ({ id }) => id,
    // Spans of a carrier's calls belong to the search that began them.
    context: 'caller',
    ttlMs: (record) => freshLeft(record, keep, now()),
    staleMs: (record) => staleLeft(record, keep, now()),
    maxEntries: MAX_ENTRIES,
    maxBytes: MAX_BYTES,
    sizeOf: bytesOf,
    clock,
  });

  function keptOf(question: CarrierQuestion): CarrierRecord | undefined {
    const known = coalescer.peek(question);
    return known?.kind === 'value' ? known.value : undefined;
  }

  async function load(
    question: CarrierQuestion,
    context: LoadContext<CarrierQuestion>,
  ): Promise<CarrierRecord> {
    const flight: Flight = { startedAt: now(), left: undefined };
    flights.set(question.id, flight);
    try {
      const record = await loadRecord(question, context);
      const kept = isWhole(record) ? undefined : keptOf(question);
      if (kept === undefined) return record;
      if (record.outcome.kind === 'answer') fail(kept, record.outcome.answer.failure);
      throw new EndedEarly(record);
    } catch (error) {
      const kept = keptOf(question);
      if (kept !== undefined && !(error instanceof EndedEarly)) fail(kept, error);
      throw error;
    } finally {
      if (flights.get(question.id) === flight) flights.delete(question.id);
    }
  }

  /** Remembers why a kept answer was not renewed. A caller that left shows nothing of the carrier. */
  function fail(kept: CarrierRecord, cause: unknown): void {
    const error = CarrierError.from(cause);
    if (error.code !== 'ABORTED') failures.set(kept, { error, at: now() });
  }

  /** Returns the reason why a kept answer was not renewed, with what is left of the time that the carrier asked to wait. */
  function failureOf(record: CarrierRecord): CarrierError | undefined {
    const failure = failures.get(record);
    if (failure === undefined) return undefined;
    const { error, at } = failure;
    const { code, message, retryable, retryAfterMs } = error;
    if (retryAfterMs === undefined) return error;
    const left = Math.max(0, at + retryAfterMs - now());
    return new CarrierError(code, message, { retryable, retryAfterMs: left });
  }

  /** Waits for the load of a question. The reason with which the caller leaves is that of the load, if no other caller waits. */
  async function waitFor(question: CarrierQuestion, renew: boolean): Promise<CarrierRecord> {
    const { signal } = question.context;
    const leave = (): void => {
      const flight = flights.get(question.id);
      if (flight !== undefined) flight.left = signal.reason;
    };
    signal.addEventListener('abort', leave);
    try {
      return await coalescer.get(question, { signal, renew });
    } catch (error) {
      if (error instanceof EndedEarly) return error.record;
      // Above the bounds each search asks for itself.
      if (!isFull(error)) throw error;
      return await askCarrier(question, {
        signal,
        reasonOf: (reason) => reason,
        deadlineMs,
        clock,
      });
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Asks for a record that is not kept here. `isKept`: another server has kept it. */
  async function recordFor(
    question: CarrierQuestion,
  ): Promise<{ readonly record: CarrierRecord; readonly isKept: boolean }> {
    const { anew, context } = question;
    const askedAt = now();
    const hasTime = (): boolean => !context.signal.aborted && now() < context.deadline;
    for (;;) {
      const joined = flights.get(question.id);
      // A kept failure is that of an earlier search.
      const renew = anew || coalescer.peek(question)?.kind === 'error';
      try {
        const record = await waitFor(question, renew);
        const isKept = record.at < (joined?.startedAt ?? askedAt);
        if (isKept && anew && joined !== undefined && hasTime()) continue;
        return { record, isKept: isKept && !anew };
      } catch (error) {
        // The load that was joined had less time than this search has.
        const isLate = CarrierError.from(error).code === 'TIMEOUT';
        if (joined === undefined || !isLate || !hasTime()) throw error;
      }
    }
  }

  return {
    around: (run) => async (carrier, query, context) => {
      const anew = isAskedAnew();
      const id = questionKey(carrier.id, query);
      const question: CarrierQuestion = { id, carrier, query, context, run, anew };
      const known = anew ? undefined : coalescer.peek(question);
      if (known?.kind === 'value') {
        // Counts the hit, and begins the renewal of a stale answer.
        const record = await coalescer.get({ ...question, context: inBackground(context) });
        days.remember({ carrier: carrier.id, id, query }, record);
        noteKept(record, known.stale, context);
        return answerOf(record, known.stale ? failureOf(record) : undefined);
      }
      const { record, isKept } = await recordFor(question);
      days.remember({ carrier: carrier.id, id, query }, record);
      if (isKept) noteKept(record, false, context);
      return answerOf(record);
    },
    known: ({ id: carrier }, query) =>
      days.recall({ carrier, id: questionKey(carrier, query), query }),
    shareBy(share) {
      loadRecord = share(loadRecord, keep);
    },
    stats: () => coalescer.stats(),
    close: () => coalescer.close(),
  };

  function noteKept({ at }: CarrierRecord, isStale: boolean, { note }: RunContext): void {
    note({ cache: isStale ? 'stale' : 'fresh', ageMs: Math.max(0, now() - at) });
  }
}

/** Returns the context of a load for which no search waits. */
function inBackground(context: RunContext): RunContext {
  return { ...context, note: () => {}, deadline: 0 };
}

function isFull(error: unknown): boolean {
  return (
    BatchingError.is(error) &&
    (error.code === 'ERR_TOO_MANY_KEYS' || error.code === 'ERR_TOO_MANY_WAITERS')
  );
}
