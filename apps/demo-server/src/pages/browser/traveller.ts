// The traveller's page: joins the form, the address and the results. The address holds the state.
import type { Names } from '../journey/names.ts';
import { elementOf } from './dom/element-of.ts';
import { createResults } from './traveller/results.ts';
import { enhanceSearchForm } from './traveller/search-form.ts';

const main = elementOf(document, '#content');
const form = enhanceSearchForm(document);

const texts = (name: string): ReadonlyMap<string, string> =>
  new Map(Object.entries(JSON.parse(main.dataset[name] ?? '{}')));
const names: Names = {
  carriers: texts('carriers'),
  calls: texts('calls'),
  stations: new Map(
    [...document.querySelectorAll<HTMLOptionElement>('#stations option[data-id]')].map((option) => [
      option.dataset['id'] ?? '',
      option.value,
    ]),
  ),
  lang: document.documentElement.lang,
};
const examples = [...document.querySelectorAll<HTMLAnchorElement>('.examples a')].map((link) => {
  const { origin = '', destination = '' } = Object.fromEntries(new URL(link.href).searchParams);
  return { origin, destination };
});

const results = createResults({
  main,
  names,
  examples,
  showProblem: form.showProblem,
  goTo(address) {
    history.pushState(null, '', `/?${address}`);
    show(address);
  },
});

/** Shows the search of an address, or the form if it has none. */
function show(address: URLSearchParams): void {
  form.fill(address);
  form.setFolded(address.has('origin') || address.has('destination'));
  results.ask(address);
}

form.onSearch((address) => {
  const order = new URLSearchParams(location.search).get('order');
  if (order !== null) address.set('order', order);
  history.pushState(null, '', `/?${address}`);
  show(address);
});
addEventListener('popstate', () => show(new URLSearchParams(location.search)));
// Frees the server at once, also where the page goes into the cache for Back.
addEventListener('pagehide', results.leave);

show(new URLSearchParams(location.search));
main.dataset['ready'] = 'true';
