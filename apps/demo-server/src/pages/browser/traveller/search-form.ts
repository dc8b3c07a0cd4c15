import { fieldNote } from '../../form/field-note.ts';
import { foldedText } from '../../form/folded-form.ts';
import {
  type FormValues,
  fieldOf,
  PAGE_FIELDS,
  type PageField,
  parametersOf,
} from '../../form/page-fields.ts';
import { placeName } from '../../form/place-name.ts';
import {
  type ChipName,
  chipTexts,
  dayText,
  headingOf,
  isSearch,
  isTicked,
  type SearchNames,
  titleOf,
} from '../../form/search-words.ts';
import type { ShownProblem } from '../../form/shown-problem.ts';
import { closeDropDown, closeDropDowns } from '../dom/drop-downs.ts';
import { elementOf } from '../dom/element-of.ts';
import { show } from '../dom/show.ts';
import { type Combobox, enhanceCombobox } from './combobox.ts';
import { enhancePassengers } from './passengers.ts';

/** The form of a page that has its script. */
export interface SearchFormHandle {
  /** Calls back for each search that somebody begins, with the parameters of the form alone: no `order`, no `page`. */
  onSearch(callback: (parameters: URLSearchParams) => void): void;
  /** Fills the form from an address, and names the search in the header and the title. */
  fill(parameters: URLSearchParams): void;
  /** Shows what is wrong beside its field, or nothing. Returns whether the problem is one of a field. */
  showProblem(problem: ShownProblem | undefined): boolean;
  /** Folds the form into the header, or shows it below "Where to?". */
  setFolded(isFolded: boolean): void;
}

const PLACES = ['origin', 'destination', 'via'] as const;
const CONTROLS = ['date', 'time', 'arriveBy', 'maxTransfers', 'class', 'currency'] as const;

/** Gives the form in `root` its suggestions, and the behaviour of a page that does not load anew. */
export function enhanceSearchForm(root: ParentNode): SearchFormHandle {
  const form = elementOf<HTMLFormElement>(root, '#search');
  const main = elementOf(root, '#content');
  const home = elementOf(root, '#home');
  const heading = elementOf(root, '#heading');
  const folded = elementOf<HTMLDetailsElement>(root, '#folded');
  const party = elementOf<HTMLDetailsElement>(form, '#party');
  const day = elementOf(form, '#date ~ .fake');
  const stations = stationsOf(form);
  const passengers = enhancePassengers(party);
  /** Names of places that somebody chose, by what a search takes for them. */
  const chosen = new Map<string, string>();
  const comboboxes = Object.fromEntries(
    PLACES.map((name) => {
      const input = elementOf<HTMLInputElement>(form, `#${name}`);
      return [name, enhanceCombobox(input, (meaning, shown) => chosen.set(meaning, shown))];
    }),
  ) as Record<(typeof PLACES)[number], Combobox>;
  const names: SearchNames = {
    placeOf: (text) => chosen.get(text) ?? stations(text),
    usualDay: form.dataset['usual'] ?? '',
  };
  let search: (parameters: URLSearchParams) => void = () => {};
  /** True if the server refused the search of this page, and rendered why: then there is nothing to fold for. */
  let isRefused = form.querySelector('.field-error') !== null;
  /** True if the form was sent and has not folded yet: then the focus, which was in it, goes to the results. */
  let isSent = false;
  // An error is shown beside its field, and not by the browser.
  form.noValidate = true;
  form.dataset['ready'] = 'true';
  closeDropDowns();

  const values = (): FormValues => {
    const data = new FormData(form);
    const given = PAGE_FIELDS.map((name) => [name, String(data.get(name) ?? '').trim()] as const);
    const sent = Object.fromEntries(given) as Record<PageField, string>;
    for (const name of PLACES) sent[name] = comboboxes[name].meaning();
    return sent;
  };

  function showPlace(name: (typeof PLACES)[number], text: string): void {
    comboboxes[name].set(text, names.placeOf(text));
  }

  function draw(): void {
    const { date = '' } = values();
    const isSameYear = date.slice(0, 4) === names.usualDay.slice(0, 4);
    show(day, isSameYear ? dayText(date) : `${dayText(date)} ${date.slice(0, 4)}`);
    for (const [name, { text, isOn }] of Object.entries(chipTexts(values(), names.placeOf))) {
      const chip = form.querySelector(`[data-chip=${name satisfies string as ChipName}] summary`);
      // Without exchange rates there is no choice of a currency.
      if (chip === null) continue;
      chip.classList.toggle('on', isOn);
      show(elementOf(chip, 'span'), text);
    }
  }

  function showProblem(problem: ShownProblem | undefined): boolean {
    for (const place of form.querySelectorAll('[data-notes]')) place.replaceChildren();
    for (const input of form.querySelectorAll('[aria-invalid]')) {
      input.removeAttribute('aria-invalid');
      input.removeAttribute('aria-describedby');
    }
    party.querySelector('summary')?.removeAttribute('aria-describedby');
    const field = problem && fieldOf(problem);
    const place = form.querySelector<HTMLElement>(`[data-notes~=${field}]`);
    if (problem === undefined || field === undefined || place === null) return false;
    setFolded(false);
    show(
      place,
      fieldNote(problem, (name, value) => `/?${parametersOf({ ...values(), [name]: value })}`),
    );
    const isOfParty = ['passengers', 'ages', 'cards'].includes(field);
    const wrong = isOfParty ? elementOf(party, 'summary') : elementOf(form, `[name=${field}]`);
    if (!isOfParty) wrong.setAttribute('aria-invalid', 'true');
    wrong.setAttribute('aria-describedby', `${field}-note`);
    const chip = wrong.closest<HTMLDetailsElement>('details.drop[data-chip]');
    if (chip !== null) chip.open = true;
    wrong.focus();
    return true;
  }

  function setFolded(isFolded: boolean): void {
    const wasRefused = isRefused;
    isRefused = false;
    if (isFolded && wasRefused) return;
    const place = elementOf(root, isFolded ? '#folded .page' : '#form-place');
    folded.open = false;
    if (form.parentElement !== place) place.append(form);
    home.hidden = isFolded;
    folded.hidden = !isFolded;
    heading.hidden = !isFolded;
    main.dataset['view'] = isFolded ? 'results' : 'home';
    if (isFolded && isSent) heading.focus({ preventScroll: true });
    isSent = false;
    if (!isFolded) document.title = titleOf({}, names);
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const asked = values();
    for (const name of ['origin', 'destination'] as const) {
      if (asked[name] === '') {
        showProblem({ title: '', detail: '', parameter: name });
        return;
      }
    }
    showProblem(undefined);
    isSent = true;
    search(parametersOf(asked));
  });
  form.addEventListener('click', (event) => {
    const { target } = event;
    const offered = (target as Element).closest<HTMLElement>('[data-value]');
    if (offered !== null) {
      event.preventDefault();
      const { field, value = '' } = offered.dataset;
      const place = PLACES.find((name) => name === field);
      if (place !== undefined) showPlace(place, value);
      form.requestSubmit();
    }
    // A click chooses and closes; arrow keys only choose.
    const choice = (target as Element).closest<HTMLInputElement>('.pop input[type=radio]');
    if (choice !== null && event.detail > 0 && choice.name !== 'arriveBy') {
      const chip = choice.closest<HTMLDetailsElement>('details.drop');
      if (chip !== null) chip.open = false;
    }
  });
  for (const event of ['input', 'change']) form.addEventListener(event, draw);
  elementOf(form, '#swap').addEventListener('click', () => {
    const { origin = '', destination = '' } = values();
    showPlace('origin', destination);
    showPlace('destination', origin);
  });
  elementOf(form, '#any-time').addEventListener('click', () => {
    elementOf<HTMLInputElement>(form, '#time').value = '';
    elementOf<HTMLInputElement>(form, '[name=arriveBy]').checked = true;
    closeDropDown(elementOf<HTMLDetailsElement>(form, '[data-chip=time]'));
    draw();
  });
  folded.addEventListener('toggle', () => {
    if (folded.open && !folded.contains(document.activeElement?.closest('form') ?? null)) {
      elementOf(form, '#origin').focus();
    }
  });

  return {
    onSearch(callback) {
      search = callback;
    },
    fill(parameters) {
      const given = Object.fromEntries(parameters) as FormValues;
      for (const name of PLACES) showPlace(name, given[name] ?? '');
      for (const name of CONTROLS) {
        const control = form.elements.namedItem(name) as HTMLInputElement | RadioNodeList | null;
        if (control !== null)
          control.value = given[name] || (name === 'date' ? names.usualDay : '');
      }
      for (const name of ['split', 'stops'] as const) {
        elementOf<HTMLInputElement>(form, `#${name}`).checked = isTicked(given[name]);
      }
      passengers.fill(given);
      draw();
      const isAsked = isSearch(given);
      document.title = titleOf(given, names);
      if (!isAsked) return;
      show(elementOf(folded, 'summary'), foldedText(given, names));
      show(heading, headingOf(given, names));
    },
    showProblem,
    setFolded,
  };
}

/** Returns the names of the stations in the form's list: of an id its name, of a name this name as it is written. */
function stationsOf(form: HTMLFormElement): (text: string) => string {
  const options = [...form.querySelectorAll<HTMLOptionElement>('#stations option')];
  const byId = new Map(options.map(({ dataset, value }) => [dataset['id'], value]));
  const aliases = options.map(({ value }) => value);
  return (text) => byId.get(text) ?? placeName(text, { name: text, aliases });
}
