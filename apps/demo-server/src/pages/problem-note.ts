import type { ShownProblem } from './form/shown-problem.ts';
import { html, type SafeHtml } from './frame/html.ts';

/** Renders a problem of the whole search. */
export function problemNote({ title, detail }: ShownProblem): SafeHtml {
  return html`<section class="problem" role="alert"><h2>${title}</h2><p>${detail}</p></section>`;
}
