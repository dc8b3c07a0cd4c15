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
  /** As text, which costs a fraction of copies of their journeys. */
  searchEvents(asked: WholeSearch, context: TaskContext): AsyncIterable<RawJson>;
};

/** Creates the tasks. `search` is called by the first of them: a worker without searches counts none. */
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

/** The time that a task waited for its worker is a part of its deadline. */
function leftMs(deadlineMs: number, { deadline = Number.POSITIVE_INFINITY }: TaskContext): number {
  return Math.max(1, Math.min(deadlineMs, deadline - TRANSIT_MS - Date.now()));
}

interface WorkerSearchOptions {
  /** Those that are asked unless a question names some. */
  readonly carriers: readonly CarrierName[];
  /** Gets the milliseconds that a carrier took to answer, or had taken at the deadline. */
  readonly onEnd: (carrier: string, ms: number) => void;
}

/**
 * Runs each search whole in a worker: its events come as its carriers answer. A worker that is lost is one error; before the
 * first event the search is begun again, once. `own` counts the searches of this process, which are none of these.
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
