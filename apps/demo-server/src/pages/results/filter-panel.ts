import type { CarrierStatus } from '@ticketing/core';
import { carrierMark } from '../frame/carrier-mark.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { priceText } from '../journey/display-texts.ts';
import { type Names, nameOf } from '../journey/names.ts';
import { BANDS, type Choices, carrierChoices, type Filter } from './journey-filter.ts';

const CHANGES = [
  ['0', 'Direct'],
  ['1', '1 change'],
  ['2', '2 or more'],
] as const;
const TICKETS = [
  ['change', 'Can be changed'],
  ['refund', 'Can be refunded'],
] as const;

/** Renders what the list can be narrowed to, with how many journeys there are behind each choice. */
export function filterPanel(panel: {
  readonly choices: Choices;
  readonly filter: Filter;
  readonly carriers: readonly CarrierStatus[];
  readonly names: Names;
  /** Choices without a journey keep their place. */
  readonly isAsking: boolean;
}): SafeHtml {
  const { choices, filter, carriers, names, isAsking } = panel;
  const box = (group: keyof Filter, value: string): SafeHtml =>
    html`<input type="checkbox" name="${group}" value="${value}"${filter[group].has(value) && html` checked`}>`;
  const count = (group: keyof Filter, value: string): number =>
    choices.get(`${group}:${value}`)?.count ?? 0;
  const check = (group: keyof Filter, value: string, text: string): SafeHtml =>
    html`<label class="check">${box(group, value)}<span>${text}</span><span class="check-n num">${count(group, value)}</span></label>`;
  const priceOf = (id: string): string => {
    const { lowest, count: found = 0 } = choices.get(`carriers:${id}`) ?? {};
    return lowest === undefined ? String(found) : priceText(lowest, names.lang);
  };
  const changes = CHANGES.filter(
    ([value]) =>
      value !== '2' || isAsking || count('changes', value) > 0 || filter.changes.has(value),
  );
  return html`<fieldset><legend>Changes</legend>${changes.map(([value, text]) => check('changes', value, text))}</fieldset>
<fieldset><legend>Departure</legend><div class="bands num">${BANDS.map(
    ([from, until]) =>
      html`<label class="chip">${box('bands', from)}<span>${from}–${until}</span><span class="muted">${count('bands', from)}</span></label>`,
  )}</div></fieldset>
<fieldset><legend>Conditions</legend>${TICKETS.map(([value, text]) => check('conditions', value, text))}</fieldset>
<fieldset><legend>Carriers</legend>${carrierChoices(carriers, choices).map(
    ({ id, says }) =>
      html`<label class="check">${box('carriers', id)}${carrierMark(id, nameOf(names.carriers, id), 'small')}<span>${nameOf(names.carriers, id)}</span><span class="check-n num">${says ?? priceOf(id)}</span></label>`,
  )}</fieldset>`;
}
