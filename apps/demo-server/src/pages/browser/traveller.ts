// The traveller's page: reads the form, follows a search, shows what comes. The address holds the state.
import type { JourneyOrder } from '@ticketing/core';
import { carrierChip, carrierNotes, statusText, toAskAgain } from '../carrier-chip.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import type { Names } from '../journey/names.ts';
import { pageLinks, withPage } from '../page-fields.ts';
import { problemNote } from '../problem-note.ts';
import { idle, namesOf, reduce, type SearchState } from '../search-state.ts';
import { show } from './dom/show.ts';
import { createJourneyList, passes, readFilter, showFilters } from './traveller/journey-list.ts';
import { follow } from './traveller/search-feed.ts';
import { enhanceSearchForm } from './traveller/search-form.ts';

/** Screen readers repeat a line that changes: once a second at most. */
const STATUS_EVERY_MS = 1000;
/** Rows that come later push others down: carriers that answer at about the same time are drawn at once. */
const LIST_EVERY_MS = 300;

/** Events after which the rows of the search before are still all that there is. */
const WAITS: ReadonlySet<string> = new Set(['asked', 'search-started', 'carrier-status']);

const main = element('content');
const form = element<HTMLFormElement>('search');
const filters = element<HTMLFormElement>('filters');
const chips = element('chips');
const notes = element('notes');
const status = element('status');
const problemPlace = element('problem');
const journeys = element('journeys');
const pages = element('pages');
const searchForm = enhanceSearchForm(document);

const texts = (name: string): ReadonlyMap<string, string> =>
  new Map(Object.entries(JSON.parse(main.dataset[name] ?? '{}')));
const carrierNames = texts('carriers');
const calls = texts('calls');
const stationNames = new Map(
  [...document.querySelectorAll<HTMLOptionElement>('#stations option[data-id]')].map((option) => [
    option.dataset['id'] ?? '',
    option.value,
  ]),
);

let state: SearchState = idle;
let leaving = new AbortController();
let spokenAt = Number.NEGATIVE_INFINITY;
let speaking: ReturnType<typeof setTimeout> | undefined;
let frame = 0;
let listedAt = 0;
let listing: ReturnType<typeof setTimeout> | undefined;
/** Rows of the last search stay, dimmed, until the first new ones come. */
let isStale = false;

const names = (): Names => ({
  ...namesOf(state),
  stations: new Map([...stationNames, ...state.stations]),
  carriers: carrierNames,
  calls,
});
const list = createJourneyList(journeys, names);

/** Follows the search of an address; without stations there is none. With `again`, only these carriers are asked. */
function search(parameters: URLSearchParams, again?: readonly string[]): void {
  leaving.abort();
  leaving = new AbortController();
  if (!parameters.has('origin') && !parameters.has('destination')) {
    state = idle;
    draw();
    return;
  }
  isStale = journeys.childElementCount > 0;
  listedAt = performance.now();
  // A form that was sent without script has its empty fields, too.
  const wanted = new URLSearchParams(
    [...parameters].filter(([name, value]) => name !== 'plain' && value !== ''),
  );
  if (again !== undefined) wanted.set('carriers', again.join());
  void follow(`/search?${wanted}`, {
    again,
    signal: leaving.signal,
    onEvent(event) {
      state = reduce(state, event);
      if (!WAITS.has(event.type)) isStale = false;
      // Many events come at once: one picture of all.
      if (frame === 0) frame = requestAnimationFrame(draw);
    },
  });
}

function draw(): void {
  frame = 0;
  const { phase, problem } = state;
  if (isStale || phase === 'asking') main.dataset['state'] = phase;
  const failure = phase === 'failed' ? problem : undefined;
  show(
    problemPlace,
    searchForm.showProblem(failure) || failure === undefined
      ? ''
      : html`${problemNote(failure)}<button type="button" data-again>Ask again</button>`,
  );
  show(
    chips,
    html`${state.carriers.map((one) => carrierChip(one, carrierNames.get(one.carrier) ?? one.carrier))}`,
  );
  show(notes, carrierNotes(state.carriers, { carriers: carrierNames, calls }));
  journeys.classList.toggle('stale', isStale);
  drawPages();
  clearTimeout(listing);
  if (!isStale) {
    const wait = phase === 'asking' ? listedAt + LIST_EVERY_MS - performance.now() : 0;
    if (wait <= 0) drawList();
    else listing = setTimeout(drawList, wait);
  }
  const wait = spokenAt + STATUS_EVERY_MS - performance.now();
  clearTimeout(speaking);
  if (wait <= 0 || phase !== 'asking') speak();
  else speaking = setTimeout(speak, wait);
}

/** The links have what the address has: they are drawn again when it changes. */
function drawPages(): void {
  show(
    pages,
    pageLinks(state.pages, (page) => withPage(location.search, page)),
  );
}

function drawList(): void {
  listedAt = performance.now();
  const { phase } = state;
  const all = [...state.journeys.values()];
  const filter = readFilter(filters);
  const visible = all.filter((journey) => passes(journey, filter));
  const hidden = all.length - visible.length;
  filters.toggleAttribute('data-empty', all.length === 0);
  const count = document.getElementById('hidden-count');
  if (count !== null) show(count, hidden === 0 ? '' : `${hidden} hidden by the filters`);
  void list.update(visible, order()).then((isWhole) => {
    if (isWhole) main.dataset['state'] = phase;
  });
}

function speak(): void {
  spokenAt = performance.now();
  show(status, statusLine());
}

function statusLine(): SafeHtml | string {
  const { phase, carriers, journeys: found, ms } = state;
  if (phase === 'idle' || phase === 'failed') return '';
  if (phase === 'broken') {
    return html`The connection broke after ${found.size} journeys. <button type="button" data-again>Ask again</button>`;
  }
  if (carriers.length === 0) return 'Asking';
  const isDone = phase === 'done';
  return html`${statusText({ carriers, found: found.size, names: carrierNames, ms })}${
    isDone &&
    toAskAgain(carriers).length > 0 &&
    html` <button type="button" data-again>Ask again</button>`
  }`;
}

function order(): JourneyOrder {
  return String(new FormData(form).get('order') ?? 'departure') as JourneyOrder;
}

/** Fills the form, and the order of the list, as an address says. */
function fill(parameters: URLSearchParams): void {
  searchForm.fill(parameters);
  const wanted = parameters.get('order') ?? 'departure';
  for (const radio of form.querySelectorAll<HTMLInputElement>('[name=order]')) {
    radio.checked = radio.value === wanted;
  }
}

searchForm.onSearch((parameters) => {
  parameters.set('order', order());
  history.pushState(null, '', `/?${parameters}`);
  search(parameters);
});
form.addEventListener('change', (event) => {
  if ((event.target as HTMLInputElement).name !== 'order') return;
  const parameters = new URLSearchParams(location.search);
  if (parameters.size > 0) {
    parameters.set('order', order());
    history.replaceState(null, '', `/?${parameters}`);
    drawPages();
  }
  drawList();
});
filters.addEventListener('input', drawList);
filters.addEventListener('submit', (event) => event.preventDefault());
main.addEventListener('click', (event) => {
  if (!(event.target as Element).matches('[data-again]')) return;
  const missing = toAskAgain(state.carriers);
  const isSome = missing.length > 0 && missing.length < state.carriers.length;
  search(new URLSearchParams(location.search), isSome ? missing : undefined);
});
addEventListener('popstate', () => {
  const parameters = new URLSearchParams(location.search);
  fill(parameters);
  search(parameters);
});
// Frees the server at once, also where the page goes into the cache for Back.
addEventListener('pagehide', () => leaving.abort());

showFilters(filters, carrierNames);
fill(new URLSearchParams(location.search));
search(new URLSearchParams(location.search));
main.dataset['ready'] = 'true';

function element<E extends HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`Cannot start: no element ${id}`);
  return found as E;
}
