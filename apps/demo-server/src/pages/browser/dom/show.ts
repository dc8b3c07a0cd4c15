import type { SafeHtml } from '../../frame/html.ts';

/** Replaces what an element contains. */
export function show(element: Element, markup: SafeHtml | string): void {
  if (typeof markup === 'string') element.textContent = markup;
  else element.replaceChildren(fragmentOf(markup));
}

const shown = new WeakMap<Element, string>();

/** Replaces what an element contains, if that is something else; the focus stays where it was, on what is called alike. Returns whether it was. */
export function showAnew(element: Element, markup: SafeHtml | undefined): boolean {
  const text = String(markup ?? '');
  if (shown.get(element) === text) return false;
  shown.set(element, text);
  const had = element.contains(document.activeElement) ? document.activeElement : null;
  if (markup === undefined) element.replaceChildren();
  else element.replaceChildren(fragmentOf(markup));
  const alike = had === null ? undefined : MARKS.find((name) => had.hasAttribute(name));
  if (had === null || alike === undefined) return true;
  const found = [...element.querySelectorAll<HTMLElement>(`[${alike}]`)].find(
    (one) =>
      one.getAttribute(alike) === had.getAttribute(alike) &&
      (alike !== 'name' || one.getAttribute('value') === had.getAttribute('value')),
  );
  found?.focus({ preventScroll: true });
  return true;
}

/** Attributes by which an element that is drawn anew is known. */
const MARKS = ['aria-label', 'data-order', 'data-day', 'data-more', 'name'];

/** Parses markup. */
export function fragmentOf(markup: SafeHtml): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = markup.toString();
  return template.content;
}
