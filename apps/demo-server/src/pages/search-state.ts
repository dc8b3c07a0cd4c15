import {
  type CarrierStatus,
  type Journey,
  mergeJourneys,
  type Passenger,
  type Place,
} from '@ticketing/core';
import type { SealedPages, SearchAnswerEvent } from '../search/search-answer.ts';
import type { ShownProblem } from './form/shown-problem.ts';

/** A search as the page shows it. */
export interface SearchState {
  /** `broken`: the connection ended before the search did. */
  readonly phase: 'idle' | 'asking' | 'done' | 'failed' | 'broken';
  readonly carriers: readonly CarrierStatus[];
  /** By id. */
  readonly journeys: ReadonlyMap<string, Journey>;
  /** Those of the search before, of which some carriers are asked again. */
  readonly kept: readonly Journey[];
  /** Those of this search, by id. */
  readonly fresh: ReadonlyMap<string, Journey>;
  readonly ms?: number;
  readonly problem?: ShownProblem;
  /** Ids of the stations in the answer, with their names. */
  readonly stations: ReadonlyMap<string, string>;
  /** Names of operators in the answer, by their ids. */
  readonly operators: ReadonlyMap<string, string>;
  /** The day that was asked for. */
  readonly day?: string;
  /** The stations in the answer, by which a train that carriers know at several ids of a stop is one. */
  readonly places: ReadonlyMap<string, Place>;
  /** Who travels. */
  readonly passengers?: readonly Passenger[];
  /** Where earlier and later journeys are. */
  readonly pages?: SealedPages | undefined;
}

/** What can happen to a search besides its events. */
export type FeedEvent =
  | SearchAnswerEvent
  /** With `again`, only these are asked, and what is known stays. */
  | { readonly type: 'asked'; readonly again?: readonly string[] | undefined }
  | { readonly type: 'refused'; readonly problem: ShownProblem }
  | { readonly type: 'broken' };

export const idle: SearchState = {
  phase: 'idle',
  carriers: [],
  journeys: new Map(),
  kept: [],
  fresh: new Map(),
  stations: new Map(),
  places: new Map(),
  operators: new Map(),
};

/** Returns the state after an event. Pure. */
export function reduce(state: SearchState, event: FeedEvent): SearchState {
  switch (event.type) {
    case 'asked':
      return event.again === undefined ? { ...idle, phase: 'asking' } : again(state, event.again);
    case 'search-started': {
      const { date, passengers } = event.query;
      return { ...state, carriers: updated(state.carriers, event.carriers), day: date, passengers };
    }
    case 'carrier-status':
      return { ...state, carriers: updated(state.carriers, [event.status]) };
    case 'journeys-upsert': {
      const fresh = new Map(state.fresh);
      for (const id of event.removed) fresh.delete(id);
      for (const journey of event.journeys) fresh.set(journey.id, journey);
      const stations = new Map(state.stations);
      const places = new Map(state.places);
      for (const place of Object.values(event.places)) {
        stations.set(place.id, place.name);
        places.set(place.id, place);
      }
      const operators = new Map([...state.operators, ...Object.entries(event.operators)]);
      const journeys = joined(state.kept, fresh, places);
      return { ...state, fresh, stations, places, operators, journeys };
    }
    case 'search-done': {
      const carriers = updated(state.carriers, event.carriers);
      return { ...state, phase: 'done', carriers, ms: event.ms, pages: event.pages };
    }
    case 'search-failed':
    case 'refused':
      return { ...state, phase: 'failed', problem: event.problem };
    case 'broken':
      return { ...state, phase: 'broken' };
  }
}

function again(state: SearchState, asked: readonly string[]): SearchState {
  const { ms: _, problem: __, pages: ___, ...rest } = state;
  return {
    ...rest,
    phase: 'asking',
    carriers: state.carriers.map((one) =>
      asked.includes(one.carrier)
        ? { carrier: one.carrier, state: 'running', ms: 0, found: 0 }
        : one,
    ),
    kept: [...state.journeys.values()],
    fresh: new Map(),
  };
}

/** Replaces the states of some carriers; new ones come last. */
function updated(
  carriers: readonly CarrierStatus[],
  changed: readonly CarrierStatus[],
): readonly CarrierStatus[] {
  const byId = new Map(carriers.map((one) => [one.carrier, one]));
  for (const one of changed) byId.set(one.carrier, one);
  return [...byId.values()];
}

/** A train that carriers of both searches sell is one journey. */
function joined(
  kept: readonly Journey[],
  fresh: ReadonlyMap<string, Journey>,
  places: ReadonlyMap<string, Place>,
): ReadonlyMap<string, Journey> {
  if (kept.length === 0) return fresh;
  const merged = mergeJourneys([...kept, ...fresh.values()], { places: places.values() });
  return new Map(merged.map((one) => [one.id, one]));
}

/** Returns what rows of journeys need to know of their search. */
export function namesOf({ stations, operators, day, passengers, carriers }: SearchState) {
  const adultsOnly = carriers.flatMap(({ carrier, ignored }) =>
    ignored?.includes('ages') ? carrier : [],
  );
  return { stations, operators, day, passengers, adultsOnly: new Set(adultsOnly) };
}
