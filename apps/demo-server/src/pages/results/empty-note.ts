import { addDays, type DayState, type Money } from '@ticketing/core';
import { hasFailed, isBusy } from '../../search/carrier-states.ts';
import { isNotServed } from '../../search/not-served.ts';
import type { ShownProblem } from '../form/shown-problem.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';
import { countText, dayText, priceText } from '../journey/display-texts.ts';
import { isSoldOut } from '../journey/journey-badge.ts';
import type { Names } from '../journey/names.ts';
import { againCount } from '../words/again-count.ts';
import { oldPrices } from '../words/kept-ages.ts';
import { carrierList, firstAgain, missingText, toAskAgain } from './carrier-line.ts';
import type { DayBounds } from './days/day-strip.ts';
import type { SearchState, ShownStatus } from './search-state.ts';

/** Addresses to which a note about a search leads. */
export interface NoteWays {
  readonly bounds: DayBounds;
  readonly prices: ReadonlyMap<string, Money>;
  /** States of days without a price. */
  readonly states?: ReadonlyMap<string, DayState> | undefined;
  /** Searches that find something. */
  readonly examples: readonly { readonly origin: string; readonly destination: string }[];
  /** Address of this search, on another day if one is given. */
  addressOf(day?: string): string;
  /** Address of this search, for which every carrier is asked now. */
  readonly freshAddress: string;
}

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

/** Renders what is wrong with a list that has something to show. */
export function noticeOf(
  state: SearchState,
  { names, ways }: { readonly names: Names; readonly ways: NoteWays },
): SafeHtml | undefined {
  const { phase, carriers, journeys, day } = state;
  if (phase === 'broken' && journeys.size > 0) {
    return notice(
      { title: `The connection broke after ${countText(journeys.size, 'train')}.` },
      askAgain(ways),
    );
  }
  if (phase !== 'done') return undefined;
  const missing = missingText(carriers, names);
  const isAll = journeys.size === 0 && carriers.every((one) => isNotServed(one) || hasFailed(one));
  if (missing !== undefined && !isAll) {
    return notice(missing, toAskAgain(carriers).length > 0 && askAgain(ways, firstAgain(carriers)));
  }
  const all = [...journeys.values()];
  const old = all.length > 0 ? oldPrices(carriers, names) : undefined;
  if (old !== undefined) return notice(old, refresh(ways), 'info');
  if (all.length === 0 || !all.every(isSoldOut)) return undefined;
  const title =
    all.length === 1 ? 'The only train is sold out.' : `All ${all.length} trains are sold out.`;
  return notice({ title }, otherDays(day, ways, names.lang));
}

interface NoteTexts {
  readonly title: string;
  readonly text?: string | undefined;
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

function notice(
  { title, text }: NoteTexts,
  ways: SafeHtml | false,
  sign: 'alert' | 'info' = 'alert',
): SafeHtml {
  return html`<div class="notice">${icon(sign)}<p><b>${title}</b> ${text}</p>${ways}</div>`;
}

function answers({ carriers }: SearchState, names: Names): SafeHtml {
  return html`<details class="answers"><summary>What each carrier answered ${icon('down', 'chevron')}</summary>${carrierList(carriers, names)}</details>`;
}

/** A link, which the script follows without a new page, and not before `first` may be asked again. */
function askAgain({ addressOf }: NoteWays, first?: ShownStatus): SafeHtml {
  const count = first && againCount(first);
  return html`<a class="button" href="${addressOf()}" data-again>${icon('again')} Ask again ${count}</a>`;
}

/** A link to new prices. */
function refresh({ freshAddress }: NoteWays): SafeHtml {
  return html`<a class="button" href="${freshAddress}" data-fresh>${icon('again')} Refresh</a>`;
}

function otherDays(
  day: string | undefined,
  { bounds, prices, addressOf }: NoteWays,
  lang: string | undefined,
): SafeHtml {
  const days = day === undefined ? [] : [addDays(day, -1), addDays(day, 1)];
  const within = days.filter((one) => one >= bounds.first && one <= bounds.last);
  return html`<div class="chips">${within.map((one) => {
    const price = prices.get(one);
    return html`<a class="chip" href="${addressOf(one)}" data-day="${one}">${dayText(one)}${price && html` <b>${priceText(price, lang)}</b>`}</a>`;
  })}</div>`;
}

function numberText(count: number): string {
  const words = ['None', 'One', 'Both', 'All three', 'All four', 'All five', 'All six'];
  return words[count] ?? `All ${count}`;
}
