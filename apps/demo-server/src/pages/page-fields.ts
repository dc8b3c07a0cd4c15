import type { SealedPages } from '../search/search-answer.ts';
import { html, type SafeHtml } from './frame/html.ts';

/** Renders links to the journeys before and after those that are shown. */
export function pageLinks(
  { earlier, later }: SealedPages = {},
  addressOf: (page: string) => string,
): SafeHtml {
  const link = (page: string | undefined, text: string): SafeHtml | false =>
    page !== undefined && html` <a href="${addressOf(page)}">${text}</a>`;
  return html`${link(earlier, 'Earlier')}${link(later, 'Later')}`;
}

/** Returns what changes in an address for a page. */
export function withPage(search: string, page: string): string {
  const parameters = new URLSearchParams(search);
  parameters.set('page', page);
  return `/?${parameters}`;
}
