import type { CarrierStatus, Journey, SearchEvent } from '@ticketing/core';
import type { ShownProblem } from './problem-note.ts';

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
      const carriers = state.carriers.map((one) => (one.carrier === status.carrier ? status : one));
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
