import { html, type SafeHtml } from './frame/html.ts';

/** The parts of problem+json that a page shows. */
export interface ShownProblem {
  readonly title: string;
  readonly status?: number;
  readonly detail: string;
  readonly parameter?: string;
  readonly nearest?: readonly {
    readonly id: string;
    readonly name: string;
    readonly searchName?: string;
  }[];
}

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

/** Renders a problem of the whole search. */
export function problemNote({ title, detail }: ShownProblem): SafeHtml {
  return html`<section class="problem" role="alert"><h2>${title}</h2><p>${detail}</p></section>`;
}
