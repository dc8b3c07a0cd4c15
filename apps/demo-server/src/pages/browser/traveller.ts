// The traveller's page: joins the form, the address and the results. The address holds the state.
import { fieldOf } from '../form/page-fields.ts';
import type { ShownProblem } from '../form/shown-problem.ts';
import type { Names } from '../journey/names.ts';
import { elementOf } from './dom/element-of.ts';
import { later } from './traveller/later.ts';
import { createResults } from './traveller/results.ts';
import type { SearchFormHandle } from './traveller/search-form.ts';

const first = new URLSearchParams(location.search);
if (first.has('plain')) {
  // Somebody passed on the address of a page for browsers without script: that has no places to fill.
  first.delete('plain');
  location.replace(`/?${first}`);
} else {
  start(elementOf(document, '#content'));
}

/** Joins the parts of the page, and shows the search of its address. The form is enhanced once nothing else is waited for. */
function start(main: HTMLElement): void {
  let form: SearchFormHandle | undefined;
  /** Problem that arrived before the form was enhanced. */
  let early: ShownProblem | undefined;
  let isLoading = false;
  const loadForm = (): void => {
    if (isLoading) return;
    isLoading = true;
    enhanceForm().catch(() => {
      // It works without script, too.
      isLoading = false;
    });
  };
  const results = createResults({
    main,
    names: namesIn(main),
    examples: [...document.querySelectorAll<HTMLAnchorElement>('.examples a')].map(exampleOf),
    showProblem(problem) {
      if (form !== undefined) return form.showProblem(problem);
      // It is shown beside its field once the form can do that.
      early = problem;
      const isOfField = problem !== undefined && fieldOf(problem) !== undefined;
      if (isOfField) loadForm();
      return isOfField;
    },
    onSettled: () => requestIdleCallback(loadForm),
    goTo(address) {
      history.pushState(null, '', `/?${address}`);
      show(address);
    },
  });
  const show = (address: URLSearchParams): void => {
    showInForm(address);
    results.ask(address);
  };

  function showInForm(address: URLSearchParams): void {
    form?.fill(address);
    form?.setFolded(isSearch(address));
  }

  async function enhanceForm(): Promise<void> {
    const { enhanceSearchForm } = await later();
    form = enhanceSearchForm(document);
    form.onSearch((address) => {
      const order = new URLSearchParams(location.search).get('order');
      if (order !== null) address.set('order', order);
      history.pushState(null, '', `/?${address}`);
      show(address);
    });
    const address = new URLSearchParams(location.search);
    // What somebody has typed already stays.
    if (isSearch(address) || !isTyped()) showInForm(address);
    if (early !== undefined) form.showProblem(early);
    main.dataset['ready'] = 'true';
  }

  addEventListener('popstate', () => show(new URLSearchParams(location.search)));
  // Frees the server at once, also where the page goes into the cache for Back.
  addEventListener('pagehide', results.leave);
  if (isSearch(first)) {
    const header = document.querySelector('header');
    for (const event of ['pointerover', 'focusin']) header?.addEventListener(event, loadForm);
  } else {
    loadForm();
  }
  results.ask(first);
}

function isTyped(): boolean {
  const inputs = document.querySelectorAll<HTMLInputElement>('#origin, #destination, #via');
  return [...inputs].some(({ value }) => value !== '');
}

function isSearch(address: URLSearchParams): boolean {
  return Boolean(address.get('origin') || address.get('destination'));
}

/** Reads the names that the server wrote into the page. */
function namesIn({ dataset, ownerDocument }: HTMLElement): Names {
  const texts = (name: string): ReadonlyMap<string, string> =>
    new Map(Object.entries(JSON.parse(dataset[name] ?? '{}')));
  const stations = ownerDocument.querySelectorAll<HTMLOptionElement>('#stations option[data-id]');
  return {
    carriers: texts('carriers'),
    calls: texts('calls'),
    stations: new Map([...stations].map(({ dataset: { id = '' }, value }) => [id, value])),
    lang: ownerDocument.documentElement.lang,
  };
}

function exampleOf({ href }: HTMLAnchorElement): { origin: string; destination: string } {
  const { origin = '', destination = '' } = Object.fromEntries(new URL(href).searchParams);
  return { origin, destination };
}
