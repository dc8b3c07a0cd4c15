import { html, type SafeHtml } from '../frame/html.ts';
import { fieldOf, type PageField } from './page-fields.ts';
import { dayText } from './search-words.ts';
import type { ShownProblem } from './shown-problem.ts';

const MISSING: Readonly<Record<string, string>> = {
  origin: 'Where do you start?',
  destination: 'Where do you want to go?',
};
const FIXED: Readonly<Partial<Record<PageField, string>>> = {
  time: 'Give a time such as 08:30.',
  arriveBy: 'Choose departure or arrival.',
  maxTransfers: 'Choose how many changes are fine, 8 at most.',
  class: 'Choose first or second class.',
  split: 'Choose whether journeys of two tickets are shown.',
  stops: 'Choose whether stops are shown.',
  passengers: 'We can search for 1 to 9 people.',
  cards: 'Give the cards of each passenger, 8 at most.',
};

/** Returns what is wrong with a field in words of somebody who travels. */
export function problemText(problem: ShownProblem): string {
  const field = fieldOf(problem);
  const { expected = '', got, nearest = [] } = problem;
  switch (field) {
    case 'origin':
    case 'destination':
    case 'via': {
      if (expected.includes('other than the origin')) return 'From and To are the same place.';
      if (expected.includes('other than the ends')) {
        return 'Choose a place between From and To, not one of them.';
      }
      if (typeof got !== 'string' || got === '') return MISSING[field] ?? 'Choose a place.';
      if (expected.startsWith('text of') || got.length > 100) return 'Use a shorter name.';
      if (expected.includes('one station')) return `“${got}” is the name of several places.`;
      const unknown = `We do not know “${got}”.`;
      return nearest.length > 0 ? unknown : `${unknown} Choose a place from the list.`;
    }
    case 'date': {
      const [first, last] = expected.match(/\d{4}-\d\d-\d\d/g) ?? [];
      return first === undefined || last === undefined
        ? 'Choose a day.'
        : `Choose a day from today, ${dayText(first)}, to ${dayText(last)} ${last.slice(0, 4)}.`;
    }
    case 'ages':
      return expected.startsWith('as many')
        ? 'Give an age for each passenger; adults may go without.'
        : 'Give ages in whole years, up to 120.';
    case 'time':
      return expected.includes('arriveBy') ? 'When do you want to be there?' : (FIXED.time ?? '');
    case undefined:
      return problem.detail;
    default:
      return FIXED[field] ?? problem.detail;
  }
}

/** Most names that are offered beside a field: there is one line. */
const MOST_NAMES = { unknown: 1, several: 3 } as const;

/**
 * Renders a problem of a field: what is wrong, and places of similar names as links to the search with them. `addressOf` returns
 * the address of the search with another value of the field.
 */
export function fieldNote(
  problem: ShownProblem,
  addressOf: (field: PageField, value: string) => string,
): SafeHtml {
  const { nearest = [], expected = '' } = problem;
  const field = fieldOf(problem) ?? 'origin';
  const most = expected.includes('one station') ? MOST_NAMES.several : MOST_NAMES.unknown;
  return html`<p class="field-error" id="${field}-note"><span>${problemText(problem)}</span>${nearest
    .slice(0, most)
    .map(
      ({ name, searchName = name }) =>
        html` <a class="button small" href="${addressOf(field, searchName)}" data-field="${field}" data-value="${searchName}">${name}</a>`,
    )}</p>`;
}
