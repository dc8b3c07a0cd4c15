import type { CarrierStatus, Search, SearchEvent } from '@ticketing/core';
import {
  DispatchError,
  type Dispatcher,
  type RawJson,
  rawJson,
  type TaskContext,
} from '@ticketing/dispatch';
import type { CarrierName } from '../carriers/carriers.ts';
import { hasAnswered } from '../search/carrier-states.ts';
import { iteratorOf, mapItems } from '../search/map-items.ts';
import { findDocument, type SearchDocument } from '../search/search-document.ts';
import type { DocumentQuestion } from '../search/search-query.ts';
import { eventOf } from '../search/search-view.ts';
import type { Timed } from './answer-tasks.ts';
import type { Answers } from './answers.ts';
import { findEvents } from './here.ts';
import { retryOptions, TRANSIT_MS } from './remote-call.ts';
import { restoredError } from './restored-error.ts';

/** Tasks that run whole searches. A type, because tasks are indexed. */
export type SearchTasks = {
  searchDocument(asked: Timed<DocumentQuestion>, context: TaskContext): Promise<SearchDocument>;
  /** Yields events as JSON text: to copy their journeys would cost several times as much. */
  searchEvents(asked: Timed<DocumentQuestion>, context: TaskContext): AsyncIterable<RawJson>;
};

/** Names of the tasks. */
export const SEARCH_TASKS = [
  'searchDocument',
  'searchEvents',
] as const satisfies (keyof SearchTasks)[];

/** Creates the tasks. The first of them calls `search`: a worker that runs no search reports no counts of searches. */
export function searchTasks(search: () => Search): SearchTasks {
  return {
    searchDocument: ({ question, deadlineMs }, context) =>
      findDocument(search())(question, {
        signal: context.signal,
        deadlineMs: leftMs(deadlineMs, context),
      }),
    searchEvents({ question, deadlineMs }, context) {
      const left = { deadlineMs: leftMs(deadlineMs, context) };
      return mapItems(findEvents(search())(question, left), rawJson);
    },
  };
}

/** Returns the items, or others if `isWithout` is true of the error that came before any item. Errors have the class that they had in the worker. */
function orOthers<Item>(
  items: AsyncIterableIterator<Item>,
  isWithout: (error: unknown) => boolean,
  others: () => AsyncIterableIterator<Item>,
): AsyncIterableIterator<Item> {
  let current = items;
  let hasCome = false;
  return iteratorOf(
    async () => {
      try {
        const item = await current.next();
        hasCome = true;
        return item;
      } catch (error) {
        if (hasCome || current !== items || !isWithout(error)) throw restoredError(error);
        current = others();
        return current.next();
      }
    },
    () => current.return?.(),
  );
}

/** Errors of a fleet whose hosts are gone, or answer nothing. */
const LOST: ReadonlySet<string> = new Set(['ERR_WORKER_LOST', 'ERR_CIRCUIT_OPEN', 'ERR_NO_HOST']);

/** Returns the rest of a deadline: the time that a task waited for its worker has passed of it. */
function leftMs(deadlineMs: number, { deadline = Number.POSITIVE_INFINITY }: TaskContext): number {
  return Math.max(1, Math.min(deadlineMs, deadline - TRANSIT_MS - Date.now()));
}

/** Returns what is left of a deadline that begins now. */
function leftOf(deadlineMs: number): () => number {
  const endsAt = performance.now() + deadlineMs;
  return () => Math.max(1, Math.ceil(endsAt - performance.now()));
}

interface WorkersOptions {
  readonly dispatcher: Dispatcher<SearchTasks>;
  /** The carriers of a question that names none. */
  readonly carriers: readonly CarrierName[];
  /** Gets the milliseconds that a carrier took to answer, or had taken at the deadline. */
  readonly onEnd: (carrier: string, ms: number) => void;
}

/**
 * Runs each search whole in a worker; its events come as its carriers answer. If the worker is lost before the first event, the
 * search begins again, once; later the loss is one error. `own` searches, and counts, while no host of a fleet answers.
 */
export function inWorkers(own: Answers, { dispatcher, carriers, onEnd }: WorkersOptions): Answers {
  const asked = (question: DocumentQuestion, deadlineMs: number): Timed<DocumentQuestion> => ({
    question: { carriers, ...question },
    deadlineMs,
  });
  const limits = (deadlineMs: number) => ({ timeoutMs: deadlineMs + TRANSIT_MS, ...retryOptions });
  // A search only reads, so it may run again here.
  const isWithoutHost = (error: unknown): boolean =>
    dispatcher.kind === 'nats' && DispatchError.is(error) && LOST.has(error.code);
  const note = (status: CarrierStatus): void => {
    const { carrier, state, ms, cache } = status;
    // The time of a failure, or of a kept answer, does not show how long the carrier takes.
    const isTimed = (hasAnswered(status) || state === 'timeout') && cache === undefined;
    if (isTimed) onEnd(carrier, ms);
  };
  return {
    ...own,
    async document(question, options) {
      const { signal, deadlineMs } = options;
      const left = leftOf(deadlineMs);
      try {
        const call = { signal, ...limits(deadlineMs) };
        const found = await dispatcher.run('searchDocument', asked(question, deadlineMs), call);
        for (const status of found.carriers) note(status);
        return found;
      } catch (error) {
        if (!isWithoutHost(error)) throw restoredError(error);
        return own.document(question, { ...options, deadlineMs: left() });
      }
    },
    events(question, { deadlineMs }) {
      const input = asked(question, deadlineMs);
      const left = leftOf(deadlineMs);
      const texts = dispatcher.stream('searchEvents', input, limits(deadlineMs));
      const events = mapItems(texts, (bytes): SearchEvent => {
        const event = eventOf(bytes);
        if (event.type === 'carrier-status') note(event.status);
        return event;
      });
      return orOthers(events, isWithoutHost, () => own.events(question, { deadlineMs: left() }));
    },
  };
}
