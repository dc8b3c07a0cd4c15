import type { SearchAnswerEvent } from '../../search/search-answer.ts';
import { fieldOf } from '../form/page-fields.ts';
import type { ShownProblem } from '../form/shown-problem.ts';
import { html, SafeHtml } from '../frame/html.ts';
import { pageEnd } from '../frame/page-frame.ts';
import type { Names } from '../journey/names.ts';
import type { DayBounds } from './days/day-strip.ts';
import { lowestPrice } from './listed-journeys.ts';
import type { NoteWays } from './notice.ts';
import { type ShownSearch, shownSearch } from './places.ts';
import { resultsFrame } from './results-frame.ts';
import { idle, reduce, type SearchState } from './search-state.ts';

/** The page around the results. */
export interface ResultsPage {
  readonly names: Pick<Names, 'carriers' | 'calls'>;
  /** Credit to show with the stations. */
  readonly credit: string;
  /** Values of the search, as the page's address has them. */
  readonly form: object;
  readonly days: DayBounds & { readonly usual: string };
  readonly examples?: NoteWays['examples'];
}

/** Rows of a list that is not whole yet: as many as a window shows. */
const FIRST_ROWS = 8;

/** Renders the places that the browser's script fills, as they are before the first answer. */
export function travellerPlaces(page: ResultsPage): SafeHtml {
  const shown = searchOf(page, { ...page.names, stations: new Map() }, idle);
  return html`${resultsFrame(shown, { isPlain: false })}</main>${pageEnd('/', page.credit)}`;
}

/**
 * Renders the results without script: first the places of what will come, then, as each carrier answers, all of it again, of which the
 * style shows the last. Yields what can be sent. Leaving the loop ends the search.
 */
export async function* travellerResults(
  events: AsyncIterable<SearchAnswerEvent>,
  page: ResultsPage & { readonly names: Names },
): AsyncGenerator<SafeHtml, void> {
  let state: SearchState = reduce(idle, { type: 'asked' });
  yield html`<div class="blocks">${interim(page, state)}`;
  for await (const event of events) {
    state = reduce(state, event);
    if (isShown(event)) yield interim(page, state);
  }
  const shown = searchOf(page, page.names, state);
  yield html`<div class="block">${resultsFrame(shown, { isPlain: true })}</div></div></main>${pageEnd('/', page.credit)}`;
}

/** A carrier that found something is shown with what it found. */
function isShown(event: SearchAnswerEvent): boolean {
  if (event.type === 'carrier-status') return event.status.found === 0;
  return event.type === 'journeys-upsert';
}

/** Renders a search that did not begin. A problem of a field is shown beside that. */
export function travellerProblem(problem: ShownProblem, page: ResultsPage): SafeHtml {
  if (fieldOf(problem) !== undefined) {
    return html`</main>${pageEnd('/', page.credit)}`;
  }
  const names = { ...page.names, stations: new Map() };
  const shown = searchOf(page, names, reduce(idle, { type: 'refused', problem }));
  return html`${resultsFrame(shown, { isPlain: true })}</main>${pageEnd('/', page.credit)}`;
}

/** Renders a block without ids, which belong to the last block. */
function interim(page: ResultsPage & { readonly names: Names }, state: SearchState): SafeHtml {
  const shown = searchOf(page, page.names, state);
  const frame = String(resultsFrame(shown, { isPlain: true, rows: FIRST_ROWS }));
  return new SafeHtml(`<div class="block">${frame.replace(/ id="[^"]*"/g, '')}</div>`);
}

function searchOf(page: ResultsPage, names: Names, state: SearchState): ShownSearch {
  const { days, form, examples = [] } = page;
  const address = new URLSearchParams(
    Object.entries(form).filter(([, value]) => typeof value === 'string' && value !== ''),
  );
  const price = lowestPrice([...state.journeys.values()]);
  const day = state.day ?? (address.get('date') || days.usual);
  const prices = new Map(price && [[day, price]]);
  const ways = { bounds: days, prices, examples };
  return shownSearch({ state, names, address, usual: days.usual, ways });
}
