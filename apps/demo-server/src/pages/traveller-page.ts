import type { Station } from '@ticketing/core';
import { OPTIONAL_FIELDS } from './form/page-fields.ts';
import type { ShownProblem } from './form/shown-problem.ts';
import { html, type SafeHtml } from './frame/html.ts';
import { type PageAssets, pageEnd, pageStart } from './frame/page-frame.ts';
import type { Names } from './journey/names.ts';
import { fieldNote } from './problem-note.ts';

/** The form as it was sent; every field may be absent. */
export interface TravellerForm {
  readonly origin?: string | undefined;
  readonly destination?: string | undefined;
  readonly date?: string | undefined;
  readonly passengers?: string | undefined;
  readonly order?: string | undefined;
  readonly time?: string | undefined;
  readonly arriveBy?: string | undefined;
  readonly via?: string | undefined;
  readonly maxTransfers?: string | undefined;
  readonly class?: string | undefined;
  readonly ages?: string | undefined;
  readonly cards?: string | undefined;
  readonly stops?: string | undefined;
}

export interface TravellerPage {
  readonly assets: PageAssets;
  readonly stations: readonly Station[];
  /** Credit to show with the stations. */
  readonly credit: string;
  readonly names: Pick<Names, 'carriers' | 'calls'>;
  readonly form: TravellerForm;
  /** First and last day that can be searched, as `2026-12-01`. */
  readonly days: { readonly first: string; readonly last: string; readonly usual: string };
  /** Address of the rendered results, for browsers without script that follow a link. */
  readonly plainUrl?: string | undefined;
}

/** Renders the page for an address that there is not: the form works without script. */
export function unknownAddress(page: TravellerPage, problem: ShownProblem): SafeHtml {
  const { icon, font, style } = page.assets;
  const { detail, nearest = [] } = problem;
  return html`${pageStart({ title: 'No such page', path: '', assets: { icon, font, style } })}<main id="content"><h1>Trains</h1>
<section class="problem" role="alert"><h2>There is no such page</h2><p>${detail}</p>${nearest.map(
    ({ id, name }) => html`<p><a href="${id}">${id}</a> ${name}</p>`,
  )}</section>
${form(page)}</main>${pageEnd('', page.credit)}`;
}

/** Renders the page up to the results: all that a browser with script needs. */
export function travellerStart(page: TravellerPage, problem?: ShownProblem): SafeHtml {
  const { assets, names, plainUrl } = page;
  const [carriers, calls] = [names.carriers, names.calls].map((texts) =>
    JSON.stringify(Object.fromEntries(texts)),
  );
  return html`${pageStart({
    title: 'Train search',
    path: '/',
    assets,
    head:
      plainUrl === undefined
        ? undefined
        : html`<noscript><meta http-equiv="refresh" content="0; url=${plainUrl}"></noscript>`,
  })}<main id="content" data-carriers="${carriers}" data-calls="${calls}"><h1>Trains</h1>
${form(page, problem)}
`;
}

function form({ stations, form: values, days }: TravellerPage, problem?: ShownProblem): SafeHtml {
  const note = (parameter: string): SafeHtml | false =>
    problem?.parameter === parameter && fieldNote(problem);
  const invalid = (parameter: string): SafeHtml | false =>
    problem?.parameter === parameter &&
    html` aria-invalid="true" aria-describedby="${parameter}-note"`;
  const station = (name: 'origin' | 'destination' | 'via', label: string): SafeHtml =>
    html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" list="stations"${name !== 'via' && html` required`} maxlength="200" autocomplete="off" spellcheck="false" value="${values[name] ?? ''}"${invalid(name)}>${note(name)}</div>`;
  const { passengers = '1', date = days.usual } = values;
  const text = (name: 'ages' | 'cards', label: string, example: string): SafeHtml =>
    html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" maxlength="200" autocomplete="off" spellcheck="false" placeholder="${example}" value="${values[name] ?? ''}"${invalid(name)}>${note(name)}</div>`;
  const choice = (
    name: 'arriveBy' | 'maxTransfers' | 'class' | 'stops',
    label: string,
    options: readonly (readonly [value: string, text: string])[],
  ): SafeHtml =>
    html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}">${options.map(
      ([value, text]) =>
        html`<option value="${value}"${value === (values[name] ?? '') && html` selected`}>${text}`,
    )}</select>${note(name)}</div>`;
  const isMore = OPTIONAL_FIELDS.some(
    (name) => (values[name] ?? '') !== '' || problem?.parameter === name,
  );
  return html`<form id="search" action="/" method="get">
${station('origin', 'From')}<button type="button" id="swap">Swap From and To</button>${station('destination', 'To')}
<div class="field"><label for="date">Day</label><input id="date" name="date" type="date" min="${days.first}" max="${days.last}" value="${date}"${invalid('date')}>${note('date')}</div>
<div class="field"><label for="passengers">Passengers</label><input id="passengers" name="passengers" type="number" min="1" max="9" value="${passengers}"${invalid('passengers')}>${note('passengers')}</div>
<details id="more" class="more"${isMore && html` open`}><summary>Time, changes, class, stops, ages and cards</summary><div>
${choice('arriveBy', 'Time of', [
  ['', 'departure'],
  ['1', 'arrival'],
])}
<div class="field"><label for="time">Time</label><input id="time" name="time" type="time" value="${values.time ?? ''}"${invalid('time')}>${note('time')}</div>
${station('via', 'Via')}
${choice('maxTransfers', 'Changes', [
  ['', 'any'],
  ['0', 'none'],
  ['1', '1 at most'],
])}
${choice('class', 'Class', [
  ['', 'any'],
  ['second', 'second'],
  ['first', 'first'],
])}
${choice('stops', 'Stops on the way', [
  ['', 'not shown'],
  ['1', 'shown'],
])}
${text('ages', 'Age of each', '35,8')}
${text('cards', 'Cards of each', 'BC50,')}
</div></details>
<noscript><input type="hidden" name="plain" value="1"></noscript>
<button type="submit" class="main">Search</button>
<datalist id="stations">${stations.map(({ id, name, aliases = [] }) => [
    html`<option value="${name}" data-id="${id}">`,
    ...aliases.map((alias) => html`<option value="${alias}" label="${name}">`),
  ])}</datalist></form>`;
}
