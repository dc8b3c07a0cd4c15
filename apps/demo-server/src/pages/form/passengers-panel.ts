import type { Card } from '../../carriers/carrier-cards.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';
import {
  AGE_GROUPS,
  type AgeGroup,
  countOf,
  GROUPS,
  groupWord,
  MOST_PASSENGERS,
  type Traveller,
} from './passengers.ts';

const TITLES: Readonly<Record<AgeGroup, readonly [title: string, ages: string]>> = {
  adult: ['Adults', `${AGE_GROUPS.adult.from} and over`],
  young: ['Young people', `${AGE_GROUPS.young.from} to ${AGE_GROUPS.young.to}`],
  child: ['Children', `under ${AGE_GROUPS.young.from}`],
};

/** Renders buttons that count each group, and the place of what single passengers need. */
export function passengersPanel(party: readonly Traveller[]): SafeHtml {
  const step = (group: AgeGroup, by: 'fewer' | 'more'): SafeHtml =>
    html`<button type="button" class="button round" data-group="${group}" data-step="${by}" aria-label="One ${groupWord(group)} ${by}"${!canStep(party, group, by) && ' disabled'}>${icon(by === 'more' ? 'plus' : 'minus')}</button>`;
  return html`${GROUPS.map(
    (group) =>
      html`<div class="pax-row"><span><b>${TITLES[group][0]}</b><small>${TITLES[group][1]}</small></span><span class="stepper" role="group" aria-label="${TITLES[group][0]}">${step(group, 'fewer')}<output data-count="${group}">${countOf(party, group)}</output>${step(group, 'more')}</span></div>`,
  )}<div class="pax-each"></div><button type="button" class="button primary pax-done">Done</button>`;
}

/** Returns whether a group can have one more or one fewer. */
export function canStep(
  party: readonly Traveller[],
  group: AgeGroup,
  by: 'fewer' | 'more',
): boolean {
  return by === 'more'
    ? party.length < MOST_PASSENGERS
    : party.length > 1 && countOf(party, group) > 0;
}

/** Renders the age of each passenger who is not an adult, and the card of each who may have one. */
export function passengerFields(party: readonly Traveller[], cards: readonly Card[]): SafeHtml {
  return html`${party.map((one, index) => {
    const { group, age, card = '' } = one;
    const before = countOf(party.slice(0, index), group);
    const name = countOf(party, group) > 1 ? `${groupWord(group)} ${before + 1}` : groupWord(group);
    const { from, to } = AGE_GROUPS[group];
    const known = cards.some(({ code }) => code === card) || card === '';
    const years = Array.from({ length: to - from + 1 }, (_, year) => from + year);
    return html`${
      group !== 'adult' &&
      select({
        label: `Age of ${name}`,
        index,
        field: 'age',
        chosen: `${age ?? ''}`,
        options: years.map((year) => [`${year}`, year === 1 ? '1 year' : `${year} years`]),
      })
    }${
      (cards.length > 0 && group !== 'child') || card !== ''
        ? select({
            label: `Card of ${name}`,
            index,
            field: 'card',
            chosen: card,
            options: [
              ['', 'None'],
              ...cards.map(({ code, name: cardName }) => [code, cardName] as const),
              ...(known ? [] : [[card, card] as const]),
            ],
          })
        : undefined
    }`;
  })}`;
}

function select(given: {
  readonly label: string;
  readonly index: number;
  readonly field: 'age' | 'card';
  readonly chosen: string;
  readonly options: readonly (readonly [value: string, text: string])[];
}): SafeHtml {
  const { label, index, field, chosen, options } = given;
  return html`<label class="field"><span>${label}</span><select data-passenger="${index}" data-of="${field}">${options.map(
    ([value, text]) =>
      html`<option value="${value}"${value === chosen && ' selected'}>${text}</option>`,
  )}</select>${icon('down')}</label>`;
}
