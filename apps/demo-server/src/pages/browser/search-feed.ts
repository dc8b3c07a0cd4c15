import type { CarrierStatus, Journey, SearchEvent } from '@ticketing/core';
import type { ShownProblem } from '../problem-note.ts';
import { readLines } from './line-reader.ts';

/** A search as the page shows it. */
export interface SearchState {
  /** `broken`: the connection ended before the search did. */
  readonly phase: 'idle' | 'asking' | 'done' | 'failed' | 'broken';
  readonly carriers: readonly CarrierStatus[];
  /** By id. */
  readonly journeys: ReadonlyMap<string, Journey>;
  readonly ms?: number;
  readonly problem?: ShownProblem;
  /** Ids of the stations in the answer, with their names. */
  readonly stations: ReadonlyMap<string, string>;
}

/** What can happen to a search besides its events. */
export type FeedEvent =
  | SearchEvent
  | { readonly type: 'asked' }
  | { readonly type: 'refused'; readonly problem: ShownProblem }
  | { readonly type: 'broken' };

export const idle: SearchState = {
  phase: 'idle',
  carriers: [],
  journeys: new Map(),
  stations: new Map(),
};

/** Returns the state after an event. Pure. */
export function reduce(state: SearchState, event: FeedEvent): SearchState {
  switch (event.type) {
    case 'asked':
      return { ...idle, phase: 'asking' };
    case 'search-started': {
      const { origin, destination } = event.query;
      const stations = new Map([origin, destination].map(({ id, name }) => [id, name]));
      return { ...state, phase: 'asking', carriers: event.carriers, stations };
    }
    case 'carrier-status': {
      const { status } = event;
      const carriers = state.carriers.map((one) =>
        one.carrier === status.carrier ? status : one,
      );
      return { ...state, carriers };
    }
    case 'journeys-upsert': {
      const journeys = new Map(state.journeys);
      for (const id of event.removed) journeys.delete(id);
      for (const journey of event.journeys) journeys.set(journey.id, journey);
      return { ...state, journeys };
    }
    case 'search-done':
      return { ...state, phase: 'done', carriers: event.carriers, ms: event.ms };
    case 'refused':
      return { ...state, phase: 'failed', problem: event.problem };
    case 'broken':
      return { ...state, phase: 'broken' };
  }
}

/**
 * Asks the server, and calls back with each event. Resolves when the search has ended in whatever way; after an abort
 * nothing is called any more.
 */
export async function follow(
  url: string,
  { signal, onEvent }: { signal: AbortSignal; onEvent: (event: FeedEvent) => void },
): Promise<void> {
  const emit = (event: FeedEvent): void => {
    if (!signal.aborted) onEvent(event);
  };
  emit({ type: 'asked' });
  let isDone = false;
  try {
    const response = await fetch(url, { headers: { accept: 'application/x-ndjson' }, signal });
    if (!response.ok || response.body === null) {
      emit({ type: 'refused', problem: (await response.json()) as ShownProblem });
      return;
    }
    for await (const line of readLines(response.body)) {
      const event = JSON.parse(line) as SearchEvent;
      isDone ||= event.type === 'search-done';
      emit(event);
    }
  } catch {
    // A network that fails, an answer cut off or of another kind: all leave the search without its end.
  }
  if (!isDone) emit({ type: 'broken' });
}
