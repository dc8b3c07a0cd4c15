import type { OperatorView } from '../../figures/view-schema.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { clockTime } from '../words/amounts.ts';

/** Renders the events, the newest first. Those on the time axes have the same numbers here. */
export function eventList({ events }: Pick<OperatorView, 'events'>): SafeHtml {
  if (events.length === 0) {
    return html`<li><span></span><p class="muted">Nothing has happened yet.</p></li>`;
  }
  return html`${events.toReversed().map(({ no, mark, at, kind, severity, text, detail }) => {
    const isBad = severity === 'bad';
    return html`<li data-key="${no}" data-kind="${kind}" class="${isBad && 'bad'}">${
      mark === undefined ? html`<span></span>` : html`<span class="no">${mark}</span>`
    }<p>${text} <small><time datetime="${new Date(at).toISOString()}">${clockTime(at)}</time>${detail !== undefined && ` ${detail}`}</small></p></li>`;
  })}`;
}
