import { html, type SafeHtml } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';
import type { FormValues } from './page-fields.ts';
import { isSearch, routeOf, type SearchNames, tripText } from './search-words.ts';

/** Renders the place in the header into which the form folds after a search; opened, the form is below it. */
export function foldedForm(values: FormValues, names: SearchNames, form?: SafeHtml): SafeHtml {
  return html`<details id="folded" class="drop folded-form"${form === undefined && ' hidden'}><summary class="folded">${
    isSearch(values) ? foldedText(values, names) : ''
  }</summary><div class="fold"><div class="fold-panel"><div class="page">${form}</div></div></div></details>`;
}

/** Renders a search in one line. */
export function foldedText(values: FormValues, names: SearchNames): SafeHtml {
  const [from, to] = routeOf(values, names);
  return html`<b><span>${from}</span>${icon('right')}<span class="sr">to</span><span>${to}</span></b><span class="trip">${tripText(values, names)}</span><i>Edit</i>`;
}
