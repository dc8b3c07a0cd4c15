import type { JourneyOrder } from '@ticketing/core';
import { html, type SafeHtml } from '../frame/html.ts';
import type { Names } from '../journey/names.ts';
import { type Counted, carrierLine, carrierList } from './carrier-line.ts';
import { dayStrip } from './days/day-strip.ts';
import { type Leading, leadersOf, USUAL_ORDER } from './listed-journeys.ts';
import { type NoteWays, noticeOf } from './notice.ts';
import { orderOf, orderTabs } from './order-tabs.ts';
import { pageLinks } from './page-links.ts';
import { addressOnDay, addressWith } from './search-address.ts';
import { namesOf, type SearchState } from './search-state.ts';

/** A search as it is shown, and where it leads. */
export interface ShownSearch {
  readonly state: SearchState;
  readonly names: Names;
  readonly order: JourneyOrder;
  /** The address that the page has. */
  readonly address: URLSearchParams;
  /** The day that is asked for, also before an answer. */
  readonly day: string;
  readonly ways: Omit<NoteWays, 'addressOf' | 'freshAddress'>;
}

/** Puts together what is shown of a search. `usual`: the day that an address without one means. */
export function shownSearch({
  state,
  names,
  address,
  usual,
  ways,
}: Pick<ShownSearch, 'state' | 'names' | 'address' | 'ways'> & {
  readonly usual: string;
}): ShownSearch {
  return {
    state,
    names: {
      ...names,
      ...namesOf(state, address),
      stations: new Map([...names.stations, ...state.stations]),
    },
    order: orderOf(address.get('order'), USUAL_ORDER),
    address,
    day: state.day ?? (address.get('date') || usual),
    ways,
  };
}

/** Rows that hold the place of rows to come, with and without others above them. */
const GHOSTS = 3;
const GHOSTS_ALONE = 8;

/** Each place of the results, with what is shown in it. The server fills them once, the browser whenever something comes. */
export const places = {
  days: ({ state, names, address, day, ways }: ShownSearch): SafeHtml =>
    dayStrip({
      day,
      bounds: ways.bounds,
      prices: ways.prices,
      states: ways.states,
      isAsking: isAsking(state),
      lang: names.lang,
      addressOf: (one) => addressOnDay(address, one),
    }),
  tabs: ({ state, names, address, order }: ShownSearch): SafeHtml =>
    orderTabs({
      leading: leading(state),
      order,
      isAsking: isAsking(state),
      lang: names.lang,
      addressOf: (one) => addressWith(address, { order: one }),
    }),
  count: ({ state }: ShownSearch, shown?: number): SafeHtml => carrierLine(counted(state, shown)),
  carriers: ({ state, names }: ShownSearch): SafeHtml => carrierList(state.carriers, names),
  notice: (search: ShownSearch): SafeHtml | undefined => noticeOf(search.state, noteOf(search)),
  pages: ({ state, address }: ShownSearch): SafeHtml =>
    pageLinks(isAsking(state) ? {} : state.pages, (page) =>
      addressWith(address, { page, split: '' }),
    ),
} as const;

/** Renders rows without a train, of the size of rows with one. */
export function ghostRows(isAlone: boolean): SafeHtml {
  const ghost = html`<div class="ghost"><span class="skeleton"></span><span class="skeleton"></span><span></span><span class="skeleton"></span></div>`;
  return html`<div id="ghosts" aria-hidden="true">${Array.from({ length: isAlone ? GHOSTS_ALONE : GHOSTS }, () => ghost)}</div>`;
}

const known = new WeakMap<SearchState['journeys'], Leading>();

/** Returns the journeys of a search that stand out; worked out once, however often it is drawn. */
export function leading({ journeys, day }: SearchState): Leading {
  const found = known.get(journeys) ?? leadersOf([...journeys.values()], day);
  known.set(journeys, found);
  return found;
}

/** Counts what a search has found. */
export function counted(state: SearchState, shown?: number): Counted {
  const all = [...state.journeys.values()];
  return {
    carriers: state.carriers,
    found: all.length,
    shown,
    sellers: new Set(all.flatMap(({ sources }) => sources)).size,
    isAsking: isAsking(state),
  };
}

/** True while an answer may still come. */
export function isAsking({ phase }: SearchState): boolean {
  return phase === 'asking' || phase === 'idle';
}

/** Returns the names and addresses that a note about a search has. */
export function noteOf({ names, ways, address }: ShownSearch): { names: Names; ways: NoteWays } {
  const addressOf = (day?: string): string =>
    day === undefined ? addressWith(address, {}) : addressOnDay(address, day);
  const freshAddress = addressWith(address, { fresh: '1' });
  return { names, ways: { ...ways, addressOf, freshAddress } };
}
