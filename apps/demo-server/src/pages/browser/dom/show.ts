import type { SafeHtml } from '../../frame/html.ts';

/** Replaces what an element contains. */
export function show(element: Element, markup: SafeHtml | string): void {
  if (typeof markup === 'string') element.textContent = markup;
  else element.replaceChildren(fragmentOf(markup));
}

/** Parses markup. */
export function fragmentOf(markup: SafeHtml): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = markup.toString();
  return template.content;
}
