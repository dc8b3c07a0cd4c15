import { html, type SafeHtml } from '../../frame/html.ts';
import { dayText } from '../../journey/display-texts.ts';

/** Renders the heading of a day in the list; it can have the focus when its journeys came. */
export function dayHeading({ id, day }: { readonly id: string; readonly day: string }): SafeHtml {
  return html`<li class="dayhead" id="${id}"><h2 tabindex="-1">${dayText(day)}</h2></li>`;
}
