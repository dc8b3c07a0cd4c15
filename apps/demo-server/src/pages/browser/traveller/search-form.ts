import { OPTIONAL_FIELDS, PAGE_FIELDS } from '../../form/page-fields.ts';
import type { ShownProblem } from '../../form/shown-problem.ts';
import { fieldNote } from '../../problem-note.ts';
import { fragmentOf } from '../dom/show.ts';
import { enhanceCombobox } from './combobox.ts';

/** The form of a page that has its script. */
export interface SearchFormHandle {
  /** Calls back for each search that somebody begins, with the parameters of the form alone: no `order`, no `page`. */
  onSearch(callback: (parameters: URLSearchParams) => void): void;
  /** Fills the form as an address says, and names the search in the header and the title. */
  fill(parameters: URLSearchParams): void;
  /** Shows what is wrong beside its field, or nothing. Returns whether the problem is one of a field. */
  showProblem(problem: ShownProblem | undefined): boolean;
  /** Folds the form into the header, or shows it below "Where to?". */
  setFolded(isFolded: boolean): void;
}

/** Gives the form in `root` its suggestions, and the behaviour of a page that does not load anew. */
export function enhanceSearchForm(root: ParentNode): SearchFormHandle {
  const form = elementOf<HTMLFormElement>(root, '#search');
  const field = (name: string) => elementOf<HTMLInputElement>(form, `#${name}`);
  const more = elementOf<HTMLDetailsElement>(form, '#more');
  let search: (parameters: URLSearchParams) => void = () => {};

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    // A button of a note fills its field.
    const { submitter } = event;
    if (submitter instanceof HTMLButtonElement && submitter.name !== '') {
      field(submitter.name).value = submitter.value;
    }
    const data = new FormData(form);
    search(
      new URLSearchParams(
        PAGE_FIELDS.map((name) => [name, String(data.get(name) ?? '')]).filter(
          ([name, value]) => value !== '' || !OPTIONAL_FIELDS.some((one) => one === name),
        ),
      ),
    );
  });
  elementOf(form, '#swap').addEventListener('click', () => {
    const [from, to] = [field('origin'), field('destination')];
    [from.value, to.value] = [to.value, from.value];
  });
  for (const name of ['origin', 'destination', 'via']) enhanceCombobox(field(name));

  return {
    onSearch(callback) {
      search = callback;
    },
    fill(parameters) {
      for (const name of PAGE_FIELDS) {
        const value = parameters.get(name);
        if (value !== null) field(name).value = value;
      }
      for (const name of OPTIONAL_FIELDS) {
        const value = parameters.get(name) ?? '';
        field(name).value = value;
        if (value !== '') more.open = true;
      }
    },
    showProblem(problem) {
      for (const name of PAGE_FIELDS) {
        const input = field(name);
        form.querySelector(`#${name}-note`)?.remove();
        input.removeAttribute('aria-invalid');
        input.removeAttribute('aria-describedby');
        if (problem === undefined || problem.parameter !== name) continue;
        input.setAttribute('aria-invalid', 'true');
        input.setAttribute('aria-describedby', `${name}-note`);
        input.closest('.field')?.append(fragmentOf(fieldNote(problem)));
        if (more.contains(input)) more.open = true;
      }
      return PAGE_FIELDS.some((name) => name === problem?.parameter);
    },
    setFolded() {},
  };
}

function elementOf<E extends HTMLElement>(root: ParentNode, selector: string): E {
  const found = root.querySelector<E>(selector);
  if (found === null) throw new Error(`Cannot start: no element ${selector}`);
  return found;
}
