import type { Card } from '../../../carriers/carrier-cards.ts';
import {
  type AgeGroup,
  countOf,
  type PartyValues,
  partyOf,
  partyText,
  type Traveller,
  valuesOf,
  withOneFewer,
  withOneMore,
} from '../../form/passengers.ts';
import { canStep, passengerFields, passengersPanel } from '../../form/passengers-panel.ts';
import { closeDropDown } from '../dom/drop-downs.ts';
import { fragmentOf, show } from '../dom/show.ts';

const NAMES = ['passengers', 'ages', 'cards'] as const;

/** The passengers of the form, counted by buttons. */
export interface PassengersHandle {
  /** Shows the passengers of an address. */
  fill(values: PartyValues): void;
}

/** Replaces the plain fields of the passengers by buttons that count them; the fields stay, hidden, and are what is sent. */
export function enhancePassengers(drop: HTMLDetailsElement): PassengersHandle {
  const plain = drop.querySelector('#party-plain') as HTMLElement;
  const fields = NAMES.map((name) => plain.querySelector<HTMLInputElement>(`#${name}`));
  const text = drop.querySelector('summary .fake') as HTMLElement;
  const cards = JSON.parse(drop.dataset['cards'] ?? '[]') as Card[];
  const panel = document.createElement('div');
  let party: readonly Traveller[] = [{ group: 'adult' }];
  plain.before(panel);
  plain.hidden = true;
  show(panel, passengersPanel(party));
  const each = panel.querySelector('.pax-each') as HTMLElement;

  function draw(isListed: boolean): void {
    show(text, partyText(party));
    for (const button of panel.querySelectorAll<HTMLButtonElement>('[data-step]')) {
      const { group, step } = button.dataset as { group: AgeGroup; step: 'fewer' | 'more' };
      const hadFocus = document.activeElement === button;
      button.disabled = !canStep(party, group, step);
      // A button that is disabled would lose it to nothing.
      if (hadFocus && button.disabled) {
        button.parentElement?.querySelector<HTMLElement>('button:enabled')?.focus();
      }
    }
    for (const output of panel.querySelectorAll<HTMLElement>('[data-count]')) {
      show(output, `${countOf(party, output.dataset['count'] as AgeGroup)}`);
    }
    if (isListed) each.replaceChildren(fragmentOf(passengerFields(party, cards)));
  }

  function change(changed: readonly Traveller[], isListed: boolean): void {
    party = changed;
    const values = valuesOf(party);
    for (const [index, name] of NAMES.entries()) {
      const field = fields[index];
      if (field) field.value = values[name];
    }
    draw(isListed);
    drop.dispatchEvent(new Event('change', { bubbles: true }));
  }

  panel.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest('button');
    const { group, step } = (button?.dataset ?? {}) as { group?: AgeGroup; step?: string };
    if (button?.classList.contains('pax-done')) closeDropDown(drop);
    if (group === undefined) return;
    change((step === 'more' ? withOneMore : withOneFewer)(party, group), true);
  });
  each.addEventListener('change', (event) => {
    event.stopPropagation();
    const { dataset, value } = event.target as HTMLSelectElement;
    const changed = party.map((one, index) => {
      if (`${index}` !== dataset['passenger']) return one;
      return dataset['of'] === 'age'
        ? { ...one, age: Number(value) }
        : { ...one, card: value || undefined };
    });
    change(changed, false);
  });

  return {
    fill(values) {
      for (const [index, name] of NAMES.entries()) {
        const field = fields[index];
        if (field) field.value = values[name] ?? '';
      }
      party = partyOf(values);
      const [count] = fields;
      if (count?.value === '') count.value = `${party.length}`;
      draw(true);
    },
  };
}
