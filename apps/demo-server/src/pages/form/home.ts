import { carrierMark } from '../frame/carrier-mark.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';
import type { Example } from './examples.ts';

const COUNTS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'];

/** Renders the page without a search: a question, the form, and searches that find something. */
export function home(page: {
  /** Absent while the form is folded. */
  readonly form?: SafeHtml | undefined;
  readonly examples: readonly Example[];
  /** Number of carriers that the server asks. */
  readonly carriers: number;
  /** Names of carriers. */
  readonly names: ReadonlyMap<string, string>;
}): SafeHtml {
  const { form, examples, carriers, names } = page;
  const asked =
    carriers === 1
      ? 'One carrier is asked. Each train is listed once, with its fares.'
      : `${COUNTS[carriers] ?? carriers} carriers are asked at once. Each train is listed once, with everyone who sells it.`;
  return html`<section id="home"${form === undefined && ' hidden'}><div class="hero"><h1>Where to?</h1><p>${asked}</p></div><div id="form-place">${form}</div>${exampleList(examples, names)}</section>`;
}

/** Renders searches that find something, as cards. */
export function exampleList(
  examples: readonly Example[],
  names: ReadonlyMap<string, string>,
): SafeHtml | undefined {
  if (examples.length === 0) return undefined;
  return html`<section class="examples"><h2>Try one of these</h2><ul>${examples.map(
    ({ origin, destination, by, isAbroad }) =>
      html`<li><a class="card example" href="/?${String(new URLSearchParams({ origin, destination }))}"><b>${origin}${icon('right')}<span class="sr">to</span>${destination}</b><span class="marks">${by.map((id) => carrierMark(id, names.get(id) ?? id, 'small'))}</span><small>Tomorrow · ${by.length === 1 ? names.get(by[0] ?? '') : `${by.length} carriers`}${isAbroad && ', two countries'}</small></a></li>`,
  )}</ul></section>`;
}
