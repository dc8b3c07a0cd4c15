import type { JourneyOrder } from '@ticketing/core';
import { html, type SafeHtml } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';
import { journeyRow, type RowPlace } from '../journey/journey-row.ts';
import type { Names } from '../journey/names.ts';
import { type Counted, carrierLine, carrierList, countLine } from './carrier-line.ts';
import { dayHeading } from './day-heading.ts';
import { dayStrip } from './day-strip.ts';
import { emptyNote, type NoteWays, noticeOf } from './empty-note.ts';
import { type ListItem, leaderIds, leadersOf, listItems, longestOf } from './listed-journeys.ts';
import { orderSelect, orderTabs } from './order-tabs.ts';
import { pageLinks } from './page-links.ts';
import { addressOnDay, addressWith } from './search-address.ts';
import type { SearchState } from './search-state.ts';

/** A search as it is shown, and where it leads. */
export interface ShownSearch {
  readonly state: SearchState;
  readonly names: Names;
  readonly order: JourneyOrder;
  /** The address that the page has. */
  readonly address: URLSearchParams;
  /** The day that is asked for, also before an answer. */
  readonly day: string;
  readonly ways: Omit<NoteWays, 'addressOf'>;
}

/** Rows that hold the place of those that will come, with and without others above them. */
const GHOSTS = 3;
const GHOSTS_ALONE = 8;

/** Each place of the results, with what is shown in it. The server fills them once, the browser whenever something comes. */
export const places = {
  days: ({ state, names, address, day, ways }: ShownSearch): SafeHtml =>
    dayStrip({
      day,
      bounds: ways.bounds,
      prices: ways.prices,
      isAsking: isAsking(state),
      lang: names.lang,
      addressOf: (one) => addressOnDay(address, one),
    }),
  tabs: ({ state, names, address, order }: ShownSearch): SafeHtml =>
    orderTabs({
      leading: leadersOf([...state.journeys.values()], state.day),
      order,
      isAsking: isAsking(state),
      lang: names.lang,
      addressOf: (one) => addressWith(address, { order: one }),
    }),
  count: ({ state }: ShownSearch, shown?: number): SafeHtml => carrierLine(counted(state, shown)),
  carriers: ({ state, names }: ShownSearch): SafeHtml => carrierList(state.carriers, names),
  notice: (search: ShownSearch): SafeHtml | undefined => noticeOf(search.state, noteOf(search)),
  empty: (search: ShownSearch, shown?: number): SafeHtml | undefined =>
    emptyNote(search.state, { ...noteOf(search), ...(shown !== undefined && { shown }) }),
  pages: ({ state, address }: ShownSearch): SafeHtml =>
    pageLinks(isAsking(state) ? {} : state.pages, (page) => addressWith(address, { page })),
} as const;

/** Renders the results of a search with every place. `rows`: most rows of the list; `below`: whether they can be opened. */
export function resultsFrame(
  search: ShownSearch,
  {
    rows = Number.POSITIVE_INFINITY,
    isPlain,
  }: {
    readonly rows?: number;
    /** For a browser without script: nothing in it needs one. */
    readonly isPlain: boolean;
  },
): SafeHtml {
  const { state, names, order, address, day } = search;
  const all = [...state.journeys.values()];
  const items = listItems(all, { order, day: state.day ?? day }).slice(0, rows);
  const place: RowPlace = {
    longestMinutes: longestOf(all),
    leaders: leaderIds(leadersOf(all, state.day)),
  };
  const isWhole = items.length === all.length || !isAsking(state);
  const fields = [...address].filter(([name, value]) => name !== 'order' && value !== '');
  return html`<nav class="days" id="days" aria-label="Other days" data-day="${day}" data-first="${search.ways.bounds.first}" data-last="${search.ways.bounds.last}">${places.days(search)}</nav>
<div id="results" class="results${isPlain && ' alone'}">${
    !isPlain &&
    html`<aside class="side" aria-label="Filters"><form id="filters" class="filters"></form></aside>`
  }
<section class="found" aria-label="Journeys"><div id="tabs">${places.tabs(search)}</div>
<div class="listhead"><details id="asked" class="asked"><summary id="count">${places.count(search)}</summary><div id="carriers" class="pop">${places.carriers(search)}</div></details>${orderSelect(order, fields)}${
    !isPlain &&
    html`<button type="button" id="filter-button" class="button small">${icon('sliders')} <span>Filters</span></button>`
  }</div>
<p id="status" class="sr" role="status">${isPlain && countLine(counted(state))}</p><div id="notice" role="status">${places.notice(search)}</div><div id="empty" role="status">${places.empty(search)}</div>
<div id="list" class="card list"><ol id="journeys" class="journeys" data-order="${order}" aria-label="Journeys">${items.map((item) => itemRow(item, { names, place, isWhole }))}</ol>${isAsking(state) && ghostRows(items.length === 0)}</div>
<nav id="pages" class="more" aria-label="Other times">${places.pages(search)}</nav></section></div>
${!isPlain && filterSheet}`;
}

/** Renders an item of the list; `isWhole`: with all that is below its line. */
function itemRow(
  item: ListItem,
  {
    names,
    place,
    isWhole,
  }: {
    readonly names: Names;
    readonly place: RowPlace;
    readonly isWhole: boolean;
  },
): SafeHtml {
  if (item.kind === 'day') return dayHeading(item);
  return journeyRow(item.journey, { names, place, ...(!isWhole && { below: false }) });
}

/** Renders rows without a train, of the size of rows with one. */
export function ghostRows(isAlone: boolean): SafeHtml {
  const ghost = html`<div class="ghost"><span class="skeleton"></span><span class="skeleton"></span><span></span><span class="skeleton"></span></div>`;
  return html`<div id="ghosts" aria-hidden="true">${Array.from({ length: isAlone ? GHOSTS_ALONE : GHOSTS }, () => ghost)}</div>`;
}

const filterSheet = html`<dialog id="sheet" class="sheet" aria-label="Filters"><form method="dialog" class="sheet-head"><b>Filters</b><button type="button" class="button quiet" data-clear>Clear</button></form><div id="sheet-body"></div><form method="dialog" class="sheet-foot"><button class="button">Close</button><button id="sheet-show" class="button primary">Show</button></form></dialog>`;

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

function isAsking({ phase }: SearchState): boolean {
  return phase === 'asking' || phase === 'idle';
}

function noteOf({ names, ways, address }: ShownSearch): { names: Names; ways: NoteWays } {
  const addressOf = (day?: string): string =>
    day === undefined ? addressWith(address, {}) : addressOnDay(address, day);
  return { names, ways: { ...ways, addressOf } };
}
