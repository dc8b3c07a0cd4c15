import { html, type SafeHtml } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';
import { journeyDetails } from '../journey/journey-details.ts';
import { journeyRow, type RowPlace } from '../journey/journey-row.ts';
import type { Names } from '../journey/names.ts';
import { countLine } from './carrier-line.ts';
import { dayHeading } from './days/day-heading.ts';
import { emptyNote } from './empty-note.ts';
import { type ListItem, leaderIds, listItems, longestOf } from './listed-journeys.ts';
import { orderSelect } from './order-tabs.ts';
import {
  counted,
  ghostRows,
  isAsking,
  leading,
  noteOf,
  places,
  type ShownSearch,
} from './places.ts';
import { ratesNoteOf } from './rates-note.ts';

/** Renders the results of a search with every place. `rows`: most rows of the list. */
export function resultsFrame(
  search: ShownSearch,
  {
    rows = Number.POSITIVE_INFINITY,
    isPlain,
  }: {
    readonly rows?: number;
    /** True for a browser without script: nothing in the page needs one. */
    readonly isPlain: boolean;
  },
): SafeHtml {
  const { state, names, order, address, day } = search;
  const all = [...state.journeys.values()];
  const items = listItems(all, { order, day: state.day ?? day }).slice(0, rows);
  const place: RowPlace = {
    longestMinutes: longestOf(all),
    leaders: leaderIds(leading(state)),
  };
  const isWhole = items.length === all.length || !isAsking(state);
  const fields = [...address].filter(
    ([name, value]) => name !== 'order' && name !== 'fresh' && value !== '',
  );
  return html`<nav class="days" id="days" aria-label="Other days" data-day="${day}" data-first="${search.ways.bounds.first}" data-last="${search.ways.bounds.last}">${places.days(search)}</nav>
<section id="trip" class="trip" aria-label="Way back" role="status"></section>
<div id="results" class="results${isPlain && ' alone'}">${
    !isPlain &&
    html`<aside class="side" aria-label="Filters"><form id="filters" class="filters"></form></aside>`
  }
<section class="found" aria-label="Journeys"><div id="tabs">${places.tabs(search)}</div>
<div class="listhead"><details id="asked" class="asked"><summary id="count">${places.count(search)}</summary><div id="carriers" class="pop">${places.carriers(search)}</div></details>${orderSelect(order, fields)}${
    !isPlain &&
    html`<button type="button" id="filter-button" class="button small">${icon('sliders')} <span>Filters</span></button>`
  }</div>
<p id="status" class="sr" role="status">${isPlain && countLine(counted(state))}</p><div id="empty" role="status">${emptyNote(state, noteOf(search))}</div>
<div id="list" class="card list"><div id="notice" role="status">${places.notice(search)}</div><ol id="journeys" class="journeys" data-order="${order}" aria-label="Journeys">${items.map((item) => itemRow(item, { names, place, isWhole }))}</ol>${isAsking(state) && ghostRows(items.length === 0)}</div>
<p id="rates" class="rates muted">${ratesNoteOf(search)}</p><nav id="pages" class="more" aria-label="Other times">${places.pages(search)}</nav></section></div>
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
  return journeyRow(item.journey, {
    names,
    place,
    below: isWhole && journeyDetails(item.journey, names),
  });
}

const filterSheet = html`<dialog id="sheet" class="sheet" aria-label="Filters"><form method="dialog" class="sheet-head"><h2>Filters</h2><button type="button" class="button quiet" data-clear>Clear</button></form><div id="sheet-body"></div><form method="dialog" class="sheet-foot"><button class="button">Close</button><button id="sheet-show" class="button primary">Show</button></form></dialog>`;
