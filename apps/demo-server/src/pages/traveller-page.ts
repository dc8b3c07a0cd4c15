import type { Station } from '@ticketing/core';
import type { Card } from '../carriers/carrier-cards.ts';
import type { Example } from './form/examples.ts';
import { foldedForm } from './form/folded-form.ts';
import { exampleList, home } from './form/home.ts';
import { type FormValues, fieldOf } from './form/page-fields.ts';
import { type SearchDays, searchForm } from './form/search-form.ts';
import { headingOf, isSearch, titleOf } from './form/search-words.ts';
import type { ShownProblem } from './form/shown-problem.ts';
import { html, type SafeHtml } from './frame/html.ts';
import { type PageAssets, pageEnd, pageStart } from './frame/page-frame.ts';
import type { Names } from './journey/names.ts';

export interface TravellerPage {
  readonly assets: PageAssets;
  readonly stations: readonly Station[];
  /** Credit to show with the stations. */
  readonly credit: string;
  readonly names: Pick<Names, 'carriers' | 'calls'>;
  /** The form as it was sent. */
  readonly form: FormValues;
  readonly days: SearchDays;
  /** Returns the name of the place that a text of the form means. */
  placeOf(text: string): string;
  /** Searches that find something. */
  readonly examples: readonly Example[];
  /** Carriers that the server asks. */
  readonly asked: readonly string[];
  /** Cards that these read. */
  readonly cards: readonly Card[];
  /** Currencies to which prices can be converted, the usual one first. */
  readonly currencies: readonly string[];
  /** Address of the rendered results, for browsers without script that follow a link. */
  readonly plainUrl?: string | undefined;
}

/** Renders the page for an address that there is not: the form works without script. */
export function unknownAddress(page: TravellerPage, problem: ShownProblem): SafeHtml {
  const { icon, font, style } = page.assets;
  const { instance = '', nearest = [] } = problem;
  return html`${pageStart({ title: 'No such page · Ticketing', path: '', assets: { icon, font, style } })}<main id="content" class="page"><div class="hero"><h1>There is no such page</h1><p>Nothing is at ${instance}. ${
    nearest.length > 0 &&
    html`Did you mean ${nearest.map(({ id }, index) => [index > 0 && ' or ', html`<a href="${id}">${id}</a>`])}?`
  } Search for trains, or go back.</p></div>
${formOf(page)}${exampleList(page.examples, page.names.carriers)}</main>${pageEnd('', page.credit)}`;
}

/** Renders the page up to the results: with a search its form is folded into the header, unless a field of it is wrong. */
export function travellerStart(page: TravellerPage, problem?: ShownProblem): SafeHtml {
  const { assets, names, plainUrl, form, examples, asked } = page;
  const isResults = isSearch(form) && (problem === undefined || fieldOf(problem) === undefined);
  const words = { placeOf: page.placeOf, usualDay: page.days.usual };
  const [carriers, calls] = [names.carriers, names.calls].map((texts) =>
    JSON.stringify(Object.fromEntries(texts)),
  );
  const title = titleOf(isResults ? form : {}, words);
  const about = isResults
    ? `${headingOf(form, words)}: the trains of every carrier in one list, with everyone who sells them.`
    : 'Trains of many carriers, asked at once. Each train is listed once, with everyone who sells it.';
  return html`${pageStart({
    title,
    path: '/',
    assets,
    head: html`<meta name="description" content="${about}"><meta property="og:title" content="${title}"><meta property="og:description" content="${about}"><meta property="og:type" content="website">${
      plainUrl !== undefined &&
      html`<noscript><meta http-equiv="refresh" content="0; url=${plainUrl}"></noscript>`
    }`,
    middle: foldedForm(form, words, isResults ? formOf(page) : undefined),
  })}<main id="content" class="page" data-view="${isResults ? 'results' : 'home'}" data-carriers="${carriers}" data-calls="${calls}">${home(
    {
      form: isResults ? undefined : formOf(page, problem),
      examples,
      carriers: asked.length,
      names: names.carriers,
    },
  )}<h1 id="heading" class="sr" tabindex="-1"${!isResults && ' hidden'}>${isSearch(form) && headingOf(form, words)}</h1>
`;
}

function formOf(page: TravellerPage, problem?: ShownProblem): SafeHtml {
  const { form: values, days, stations, placeOf, cards, currencies } = page;
  return searchForm({ values, days, stations, placeOf, cards, currencies, problem });
}
