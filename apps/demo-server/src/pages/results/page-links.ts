import type { SealedPages } from '../../search/search-answer.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';

/** Renders links to the journeys before and after the ones that are shown. */
export function pageLinks(
  { earlier, later }: SealedPages = {},
  addressOf: (page: string) => string,
): SafeHtml {
  const link = (page: string | undefined, name: string, content: SafeHtml): SafeHtml | false =>
    page !== undefined &&
    html`<a class="button" href="${addressOf(page)}" data-more="${name}">${content}</a>`;
  return html`${link(earlier, 'earlier', html`${icon('left')} Earlier trains`)}${link(later, 'later', html`Later trains ${icon('right')}`)}`;
}
