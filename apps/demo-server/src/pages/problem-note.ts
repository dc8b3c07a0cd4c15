import type { ShownProblem } from './form/shown-problem.ts';
import { html, type SafeHtml } from './frame/html.ts';

/** Renders a problem of a field below it: its detail, and stations of similar names as buttons that fill the field. */
export function fieldNote({ detail, parameter = '', nearest = [] }: ShownProblem): SafeHtml {
  return html`<p class="note" id="${parameter}-note">${detail}${
    nearest.length > 0 &&
    html` <span class="nearest">Did you mean ${nearest.map(
      ({ name, searchName = name }) =>
        html`<button type="submit" name="${parameter}" value="${searchName}">${name}</button> `,
    )}</span>`
  }</p>`;
}
