import type { Station } from '@ticketing/core';
import type { Card } from '../../carriers/carrier-cards.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';
import { fieldNote } from './field-note.ts';
import { type FormValues, fieldOf, type PageField, parametersOf } from './page-fields.ts';
import { MOST_PASSENGERS, partyOf, partyText } from './passengers.ts';
import { type ChipName, chipTexts, isTicked, type SearchNames } from './search-words.ts';
import type { ShownProblem } from './shown-problem.ts';

/** First and last day that can be searched, as `2026-12-01`, and the day that is searched by default. */
export interface SearchDays {
  readonly first: string;
  readonly last: string;
  readonly usual: string;
}

export interface SearchForm {
  readonly values: FormValues;
  readonly days: SearchDays;
  /** Stations of the carriers: suggested without script, and while the server is asked. */
  readonly stations: readonly Station[];
  readonly placeOf: SearchNames['placeOf'];
  /** Cards that carriers read. */
  readonly cards: readonly Card[];
  /** Currencies to which prices can be converted, the usual one first; none: there are no rates. */
  readonly currencies: readonly string[];
  readonly problem?: ShownProblem | undefined;
}

/** Renders the form of a search. It works without script, which changes places in place and counts passengers by buttons. */
export function searchForm({
  values,
  days,
  stations,
  placeOf,
  cards,
  currencies,
  problem,
}: SearchForm): SafeHtml {
  const wrong = problem && fieldOf(problem);
  const note = (...fields: readonly PageField[]): SafeHtml =>
    html`<div data-notes="${fields.join(' ')}">${
      problem !== undefined &&
      fields.some((field) => field === wrong) &&
      fieldNote(
        problem,
        (field, value) => `/?${parametersOf({ ...values, [field]: value })}&plain=1`,
      )
    }</div>`;
  const state = (field: PageField): SafeHtml | false =>
    field === wrong && html` aria-invalid="true" aria-describedby="${field}-note"`;
  const place = (field: 'origin' | 'destination' | 'via', label: string): SafeHtml =>
    html`<label class="field"><span>${label}</span><input id="${field}" name="${field}" list="stations"${field !== 'via' && html` required`} maxlength="200" placeholder="City or station" autocomplete="off" spellcheck="false" value="${values[field] ?? ''}"${state(field)}></label>`;
  const chips = chipTexts(values, placeOf);
  const chip = (name: ChipName, inside: SafeHtml, fields: readonly PageField[]): SafeHtml =>
    html`<details class="drop" data-chip="${name}"${fields.some((field) => field === wrong) && ' open'}><summary class="chip${chips[name].isOn && ' on'}"><span>${chips[name].text}</span>${icon('down')}</summary><div class="pop">${inside}${note(...fields)}</div></details>`;
  const choice = (
    field: 'arriveBy' | 'maxTransfers' | 'class',
    label: string,
    options: readonly (readonly [value: string, text: string])[],
  ): SafeHtml =>
    html`<fieldset><legend class="sr">${label}</legend>${options.map(
      ([value, text]) =>
        html`<label class="check"><input type="radio" name="${field}" value="${value}"${value === (values[field] ?? '') && ' checked'}><span>${text}</span></label>`,
    )}</fieldset>`;
  const box = (field: 'split' | 'stops', label: string): SafeHtml =>
    html`<label class="check"><input type="checkbox" id="${field}" name="${field}" value="1"${isTicked(values[field]) && ' checked'}><span>${label}</span></label>`;
  const plain = (field: 'ages' | 'cards', label: string, example: string): SafeHtml =>
    html`<label class="field"><span>${label}</span><input id="${field}" name="${field}" maxlength="200" autocomplete="off" spellcheck="false" placeholder="${example}" value="${values[field] ?? ''}"${state(field)}></label>`;
  const changes = values.maxTransfers ?? '';
  const currency = values.currency?.toUpperCase() ?? '';
  const [usual = 'As sold', ...others] = currencies;
  const known = currency === '' || currencies.includes(currency) ? others : [...others, currency];
  return html`<form id="search" class="search" action="/" method="get" data-usual="${days.usual}">
<div class="search-main"><div class="anchor">${place('origin', 'From')}${note('origin')}</div><button type="button" id="swap" class="button round swap scripted" aria-label="Swap From and To" title="Swap From and To">${icon('swap')}</button><div class="anchor">${place('destination', 'To')}${note('destination')}</div>
<div class="anchor end"><label class="field"><span>Day</span><input id="date" name="date" type="date" min="${days.first}" max="${days.last}" value="${values.date || days.usual}"${state('date')}><b class="fake" aria-hidden="true"></b></label>${note('date')}</div>
<div class="anchor end"><details class="drop" id="party" data-cards="${JSON.stringify(cards)}"><summary class="field"><span>Passengers</span><b class="fake">${partyText(partyOf(values))}</b>${icon('down')}</summary><div class="pop pax"><div id="party-plain"><label class="field"><span>Passengers</span><input id="passengers" name="passengers" type="number" min="1" max="${MOST_PASSENGERS}" value="${values.passengers || String(partyOf(values).length)}"${state('passengers')}></label>${plain('ages', 'Age of each', '35,8')}${plain('cards', 'Cards of each', 'BC50,')}</div></div></details>${note('passengers', 'ages', 'cards')}</div>
<button class="button primary">Search</button></div>
<div class="search-more">${chip(
    'time',
    html`${choice('arriveBy', 'Time of', [
      ['', 'Leave after'],
      ['1', 'Arrive by'],
    ])}<label class="field"><span>Time</span><input id="time" name="time" type="time" value="${values.time ?? ''}"${state('time')}></label><button type="button" class="button quiet scripted" id="any-time">Any time</button>`,
    ['time', 'arriveBy'],
  )}${chip(
    'class',
    choice('class', 'Class', [
      ['', 'Any class'],
      ['second', 'Second class'],
      ['first', 'First class'],
    ]),
    ['class'],
  )}${chip(
    'changes',
    html`${choice('maxTransfers', 'Changes', [
      ['', 'Any changes'],
      ['0', 'Direct only'],
      ['1', 'At most 1 change'],
      ...(/^[2-8]$/.test(changes) ? [[changes, `At most ${changes} changes`] as const] : []),
    ])}${box('split', 'Also two separate tickets, at your own risk')}`,
    ['maxTransfers', 'split'],
  )}${chip(
    'way',
    html`${place('via', 'Via')}${box('stops', 'Show where trains stop on the way')}`,
    ['via', 'stops'],
  )}${
    (currencies.length > 0 || currency !== '') &&
    chip(
      'currency',
      html`<label class="field"><span>Prices in</span><select id="currency" name="currency"${state('currency')}><option value="">${usual}${known.map(
        (one) => html`<option${one === currency && ' selected'}>${one}`,
      )}</select></label>`,
      ['currency'],
    )
  }</div>
<noscript><input type="hidden" name="plain" value="1"></noscript>
<datalist id="stations">${stations.map(({ id, name, aliases = [] }) => [
    html`<option value="${name}" data-id="${id}">`,
    ...aliases.map((alias) => html`<option value="${alias}" label="${name}">`),
  ])}</datalist></form>`;
}
