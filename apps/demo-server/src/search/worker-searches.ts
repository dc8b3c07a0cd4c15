import type { CarrierStatus, Search } from '@ticketing/core';
import { type Dispatcher, type RawJson, rawJson, type TaskContext } from '@ticketing/dispatch';
import { mapItems } from '../map-items.ts';
import { retryOptions, TRANSIT_MS } from '../questions.ts';
import type { CarrierName } from './carriers.ts';
import type { SearchDocument } from './documents.ts';
import { rejectRestored } from './restored-error.ts';
import type { DocumentQuestion } from './search-query.ts';
import { eventOf } from './search-view.ts';
import { localSearches, type Searches } from './searches.ts';

interface WholeSearch {
  readonly question: DocumentQuestion;
  readonly deadlineMs: number;
}

/** Tasks that run whole searches. A type, since tasks are indexed. */
export type SearchTasks = {
  searchDocument(asked: WholeSearch, context: TaskContext): Promise<SearchDocument>;
  /** Yields events as JSON text: to copy their journeys would cost several times as much. */
  searchEvents(asked: WholeSearch, context: TaskContext): AsyncIterable<RawJson>;
};

/** Creates the tasks. The first of them calls `search`: a worker that runs no search reports no counts of searches. */
export function searchTasks(search: () => Search): SearchTasks {
  return {
    searchDocument: ({ question, deadlineMs }, context) =>
      localSearches(search()).document(question, {
        signal: context.signal,
        deadlineMs: leftMs(deadlineMs, context),
      }),
    searchEvents({ question, deadlineMs }, context) {
      const left = { deadlineMs: leftMs(deadlineMs, context) };
      return mapItems(localSearches(search()).stream(question, left), rawJson);
    },
  };
}

/** Returns the same items; errors have the class that they had in the worker. */
function restored<Item>(items: AsyncIterableIterator<Item>): AsyncIterableIterator<Item> {
  return { ...mapItems(items, (item) => item), next: () => items.next().catch(rejectRestored) };
}

/** Returns the rest of a deadline: the time that a task waited for its worker has passed of it. */
function leftMs(deadlineMs: number, { deadline = Number.POSITIVE_INFINITY }: TaskContext): number {
  return Math.max(1, Math.min(deadlineMs, deadline - TRANSIT_MS - Date.now()));
}

interface WorkerSearchOptions {
  /** The carriers of a question that names none. */
  readonly carriers: readonly CarrierName[];
  /** Gets the milliseconds that a carrier took to answer, or had taken at the deadline. */
  readonly onEnd: (carrier: string, ms: number) => void;
}

/**
 * Returns searches that each run whole in a worker; their events come as their carriers answer. If the worker is lost before the
 * first event, the search begins again, once; later the loss is one error. `own` counts the searches that run in this process.
 */
export function workerSearches(
  dispatcher: Dispatcher<SearchTasks>,
  own: Pick<Searches, 'stats' | 'close'>,
  { carriers, onEnd }: WorkerSearchOptions,
): Searches {
  const asked = (question: DocumentQuestion, deadlineMs: number): WholeSearch => ({
    question: { carriers, ...question },
    deadlineMs,
  });
  const limits = (deadlineMs: number) => ({ timeoutMs: deadlineMs + TRANSIT_MS, ...retryOptions });
  const note = ({ carrier, state, ms }: CarrierStatus): void => {
    // The time of a failure does not show how long the carrier takes.
    if (state === 'ok' || state === 'empty' || state === 'timeout') onEnd(carrier, ms);
  };
  return {
    async document(question, { signal, deadlineMs }) {
      const found = await dispatcher
        .run('searchDocument', asked(question, deadlineMs), { signal, ...limits(deadlineMs) })
        .catch(rejectRestored);
      for (const status of found.carriers) note(status);
      return found;
    },
    stream(question, { deadlineMs }) {
      const input = asked(question, deadlineMs);
      const events = dispatcher.stream('searchEvents', input, limits(deadlineMs));
      return mapItems(restored(events), (bytes) => {
        const event = eventOf(bytes);
        if (event.type === 'carrier-status') note(event.status);
        return event;
      });
    },
    stats: own.stats,
    close: own.close,
  };
}
