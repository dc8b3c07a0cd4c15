// The traveller's page: joins the form, the address and the results. The address holds the state.
import type { Names } from '../journey/names.ts';
import { elementOf } from './dom/element-of.ts';
import { createResults } from './traveller/results.ts';
import { enhanceSearchForm } from './traveller/search-form.ts';

const first = new URLSearchParams(location.search);
if (first.has('plain')) {
  // Somebody passed on the address of a page for browsers without script: that has no places to fill.
  first.delete('plain');
  location.replace(`/?${first}`);
} else {
  start(elementOf(document, '#content'));
}

/** Joins the parts of the page, and shows the search of its address. */
function start(main: HTMLElement): void {
  const form = enhanceSearchForm(document);
  const results = createResults({
    main,
    names: namesIn(main),
    examples: [...document.querySelectorAll<HTMLAnchorElement>('.examples a')].map(exampleOf),
    showProblem: form.showProblem,
    goTo(address) {
      history.pushState(null, '', `/?${address}`);
      show(address);
    },
  });
  const show = (address: URLSearchParams): void => {
    form.fill(address);
    form.setFolded(address.has('origin') || address.has('destination'));
    results.ask(address);
  };
  form.onSearch((address) => {
    const order = new URLSearchParams(location.search).get('order');
    if (order !== null) address.set('order', order);
    history.pushState(null, '', `/?${address}`);
    show(address);
  });
  addEventListener('popstate', () => show(new URLSearchParams(location.search)));
  // Frees the server at once, also where the page goes into the cache for Back.
  addEventListener('pagehide', results.leave);
  show(first);
  main.dataset['ready'] = 'true';
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
