import type { AppliedRates, CarrierStatus, Journey, Passenger, Place } from '@ticketing/core';
import type { SealedPages, SearchAnswerEvent } from '../../search/search-answer.ts';
import type { ShownProblem } from '../form/shown-problem.ts';

/** Status of a carrier as the page shows it. */
export interface ShownStatus extends CarrierStatus {
  /** Epoch ms until which it is not asked again. */
  readonly againAt?: number;
}

/** A search as the page shows it. */
export interface SearchState {
  /** `broken`: the connection ended before the search did. */
  readonly phase: 'idle' | 'asking' | 'done' | 'failed' | 'broken';
  readonly carriers: readonly ShownStatus[];
  /** Journeys by id. */
  readonly journeys: ReadonlyMap<string, Journey>;
  /** Journeys of the search before, which stay while some carriers are asked again, or another page is. */
  readonly kept: readonly Journey[];
  /** Joins `kept` with `fresh`. */
  readonly join?: JoinJourneys | undefined;
  /** Journeys of this search, by id. */
  readonly fresh: ReadonlyMap<string, Journey>;
  readonly ms?: number;
  readonly problem?: ShownProblem;
  /** Ids of the stations in the answer, with their names. */
  readonly stations: ReadonlyMap<string, string>;
  /** Names of operators in the answer, by their ids. */
  readonly operators: ReadonlyMap<string, string>;
  /** The day that was asked for. */
  readonly day?: string;
  /** Names of the ends that were asked for. */
  readonly ends?: readonly [origin: string, destination: string];
  /** The page that is asked for beside what is known. */
  readonly more?: Direction | undefined;
  /** The stations in the answer, by which a train that carriers know at several ids of a stop is one. */
  readonly places: ReadonlyMap<string, Place>;
  /** Exchange rates of the search, if it has any. */
  readonly rates?: AppliedRates | undefined;
  /** Passengers of the search. */
  readonly passengers?: readonly Passenger[];
  /** Tokens of the pages with earlier and later journeys. */
  readonly pages?: SealedPages | undefined;
}

/** Direction in which another page of a search lies. */
export type Direction = keyof SealedPages;

/** Joins journeys of several searches. The places are the stations in both. */
export type JoinJourneys = (
  journeys: readonly Journey[],
  places: Iterable<Place>,
) => readonly Journey[];

/** Events of the page besides the events of a search. */
export type FeedEvent =
  | SearchAnswerEvent
  /** Start of a question. With `join`, known journeys stay: only the carriers of `again` are asked, or for another page. */
  | {
      readonly type: 'asked';
      readonly join?: JoinJourneys | undefined;
      readonly again?: readonly string[] | undefined;
      readonly more?: Direction | undefined;
    }
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

/** Returns the state after an event that came `at`, in epoch ms. Pure. */
export function reduce(state: SearchState, event: FeedEvent, at = 0): SearchState {
  switch (event.type) {
    case 'asked':
      return event.join === undefined ? { ...idle, phase: 'asking' } : again(state, event);
    case 'search-started': {
      const { date: day, passengers, origin, destination } = event.query;
      const carriers = updated(state.carriers, event.carriers, at);
      const { rates } = event;
      return { ...state, carriers, day, passengers, rates, ends: [origin.name, destination.name] };
    }
    case 'carrier-status':
      return { ...state, carriers: updated(state.carriers, [event.status], at) };
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
      const journeys = joined(state, fresh, places);
      return { ...state, fresh, stations, places, operators, journeys };
    }
    case 'search-done': {
      const carriers = updated(state.carriers, event.carriers, at);
      const pages = pagesAfter(state, event.pages);
      return { ...state, phase: 'done', carriers, ms: event.ms, pages, more: undefined };
    }
    case 'search-failed':
    case 'refused':
      return { ...state, phase: 'failed', problem: event.problem };
    case 'broken':
      return { ...state, phase: 'broken' };
  }
}

function again(
  state: SearchState,
  { again: asked, more, join }: Extract<FeedEvent, { readonly type: 'asked' }>,
): SearchState {
  const { ms: _, problem: __, ...rest } = state;
  return {
    ...rest,
    phase: 'asking',
    more,
    join,
    carriers: state.carriers.map((one) =>
      asked === undefined || asked.includes(one.carrier)
        ? { carrier: one.carrier, state: 'running', ms: 0, found: 0 }
        : one,
    ),
    kept: [...state.journeys.values()],
    fresh: new Map(),
  };
}

/** A page that was asked for moves its own end alone. */
function pagesAfter({ more, pages }: SearchState, said: SealedPages = {}): SealedPages {
  if (more === undefined) return said;
  const { [more]: _, ...other } = pages ?? {};
  return said[more] === undefined ? other : { ...other, [more]: said[more] };
}

/** Replaces the states of some carriers; new ones come last. */
function updated(
  carriers: readonly ShownStatus[],
  changed: readonly CarrierStatus[],
  at: number,
): readonly ShownStatus[] {
  const byId = new Map(carriers.map((one) => [one.carrier, one]));
  for (const one of changed) byId.set(one.carrier, withAgain(one, byId.get(one.carrier), at));
  return [...byId.values()];
}

/** Adds the time until which a carrier is not asked again. The end of a search repeats its statuses: then the first time counts. */
function withAgain(status: CarrierStatus, known: ShownStatus | undefined, at: number): ShownStatus {
  const { retryAfterMs } = status.error ?? {};
  if (retryAfterMs === undefined) return status;
  const isKnown = known?.againAt !== undefined && known.state === status.state;
  return { ...status, againAt: isKnown ? known.againAt : at + retryAfterMs };
}

function joined(
  { kept, join }: SearchState,
  fresh: ReadonlyMap<string, Journey>,
  places: ReadonlyMap<string, Place>,
): ReadonlyMap<string, Journey> {
  if (join === undefined || kept.length === 0) return fresh;
  return new Map(join([...kept, ...fresh.values()], places.values()).map((one) => [one.id, one]));
}

/** Returns what rows of journeys need to know of their search. */
export function namesOf(state: SearchState, address = new URLSearchParams()) {
  const { stations, operators, day, passengers, carriers, ends = [] } = state;
  const cities = [...ends, ...['origin', 'destination'].flatMap((end) => address.get(end) ?? [])];
  const adultsOnly = carriers.flatMap(({ carrier, ignored }) =>
    ignored?.includes('ages') ? carrier : [],
  );
  return { stations, operators, day, passengers, cities, adultsOnly: new Set(adultsOnly) };
}
