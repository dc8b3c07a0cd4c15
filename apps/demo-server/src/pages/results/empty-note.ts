import { hasFailed, isBusy } from '../../search/carrier-states.ts';
import { isNotServed } from '../../search/not-served.ts';
import type { ShownProblem } from '../form/shown-problem.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';
import { dayText } from '../journey/display-texts.ts';
import type { Names } from '../journey/names.ts';
import { carrierList, firstAgain } from './carrier-line.ts';
import { askAgain, type NoteTexts, type NoteWays, otherDays } from './notice.ts';
import type { SearchState } from './search-state.ts';

/** Renders what stands in the place of a list that has nothing to show, or `undefined` if it has. */
export function emptyNote(
  state: SearchState,
  {
    names,
    ways,
    shown = state.journeys.size,
  }: {
    readonly names: Names;
    readonly ways: NoteWays;
    /** Journeys that the filters let through. */
    readonly shown?: number;
  },
): SafeHtml | undefined {
  const { phase, carriers, journeys, problem, ends = [], day } = state;
  const lone = (texts: NoteTexts, links: SafeHtml, kind: 'lone' | 'lone nowhere' = 'lone') =>
    note(texts, html`${links}${carriers.length > 0 && answers(state, names)}`, kind);
  if (phase === 'failed') return lone(problemTexts(problem), askAgain(ways));
  if (phase === 'broken' && journeys.size === 0) {
    return lone({ title: 'The connection broke before a carrier answered' }, askAgain(ways));
  }
  if (journeys.size > 0 && shown === 0) {
    const hidden = journeys.size === 1 ? 'the only train' : `all ${journeys.size} trains`;
    return note(
      { title: `Your filters hide ${hidden}` },
      html`<button type="button" class="button" data-clear>Clear filters</button>`,
    );
  }
  if (phase !== 'done' || journeys.size > 0) return undefined;
  const serving = carriers.filter((one) => !isNotServed(one));
  if (serving.length === 0) {
    const [origin, destination] = ends;
    const text = `${numberText(carriers.length)} answered. None of them serves both places, on any day. These searches find something:`;
    return lone(
      { title: `No carrier here goes from ${origin} to ${destination}`, text },
      html`<div class="chips">${ways.examples.map((example) => html`<a class="chip" href="/?${String(new URLSearchParams({ origin: example.origin, destination: example.destination }))}">${example.origin} ${icon('right')}<span class="sr">to</span> ${example.destination}</a>`)}</div>`,
      'lone nowhere',
    );
  }
  const again = askAgain(ways, firstAgain(carriers));
  if (serving.every(({ state }) => state === 'circuit-open')) {
    const text = 'They failed too often, and are asked again in a moment.';
    return lone({ title: 'All carriers are paused', text }, again);
  }
  if (serving.every(isBusy)) {
    return lone(problemTexts({ title: '', detail: '', status: 503 }), again);
  }
  if (serving.every(hasFailed)) {
    const isLate = serving.every(({ state }) => state === 'timeout');
    return lone({ title: isLate ? 'No carrier answered in time' : 'No carrier answered' }, again);
  }
  return lone(
    { title: `No trains on ${day === undefined ? 'this day' : dayText(day)}` },
    otherDays(day, ways, names.lang),
  );
}

/** Returns why a search did not begin, or ended, in the words of travellers. */
function problemTexts(
  { status, title, detail }: ShownProblem = { title: '', detail: '' },
): NoteTexts {
  if (status === 503 || status === 429) {
    return { title: 'Too many people are searching', text: 'Try again in a few seconds.' };
  }
  if (status === 504) return { title: 'No carrier answered in time' };
  if (status === 502) return { title: 'No carrier answered' };
  return { title: title || 'The search failed', text: detail };
}

/** `lone`: without a list there is nothing to sort or to narrow; `nowhere`: and no other day. */
function note({ title, text }: NoteTexts, ways: SafeHtml, kind = ''): SafeHtml {
  return html`<div class="card empty ${kind}">${icon('nowhere')}<h2>${title}</h2>${text !== undefined && html`<p>${text}</p>`}${ways}</div>`;
}

function answers({ carriers }: SearchState, names: Names): SafeHtml {
  return html`<details class="answers"><summary>What each carrier answered ${icon('down', 'chevron')}</summary>${carrierList(carriers, names)}</details>`;
}

function numberText(count: number): string {
  const words = ['None', 'One', 'Both', 'All three', 'All four', 'All five', 'All six'];
  return words[count] ?? `All ${count}`;
}
