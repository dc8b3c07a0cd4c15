import { html, type SafeHtml } from '../frame/html.ts';

/** Renders a drawer, which opens over the page at its end. `id` names it for the buttons that open it. */
export function drawer({
  id,
  title,
  content,
}: {
  readonly id: string;
  readonly title: string;
  readonly content?: SafeHtml | undefined;
}): SafeHtml {
  return html`<dialog class="drawer" id="${id}" aria-labelledby="${id}-title"><div class="drawer-head"><h2 id="${id}-title" tabindex="-1">${title}</h2><form method="dialog"><button class="button quiet">Close</button></form></div>
<div class="drawer-body">${content}</div></dialog>`;
}
