import { addDays, type DayState, type Money } from '@ticketing/core';
import { hasFailed } from '../../search/carrier-states.ts';
import { isNotServed } from '../../search/not-served.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';
import { countText, dayText, priceText } from '../journey/display-texts.ts';
import { isSoldOut } from '../journey/journey-badge.ts';
import type { Names } from '../journey/names.ts';
import { againCount } from '../words/again-count.ts';
import { oldPrices } from '../words/kept-ages.ts';
import { firstAgain, missingText, toAskAgain } from './carrier-line.ts';
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

/** Words of a note. */
export interface NoteTexts {
  readonly title: string;
  readonly text?: string | undefined;
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

function notice(
  { title, text }: NoteTexts,
  ways: SafeHtml | false,
  sign: 'alert' | 'info' = 'alert',
): SafeHtml {
  return html`<div class="notice">${icon(sign)}<p><b>${title}</b> ${text}</p>${ways}</div>`;
}

/** A link, which the script follows without a new page, and not before `first` may be asked again. */
export function askAgain({ addressOf }: NoteWays, first?: ShownStatus): SafeHtml {
  const count = first && againCount(first);
  return html`<a class="button" href="${addressOf()}" data-again>${icon('again')} Ask again ${count}</a>`;
}

/** A link to new prices. */
function refresh({ freshAddress }: NoteWays): SafeHtml {
  return html`<a class="button" href="${freshAddress}" data-fresh>${icon('again')} Refresh</a>`;
}

/** Links to the days before and after. */
export function otherDays(
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
