import type { Remark } from '@ticketing/core';
import { html, type SafeHtml } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';

/** Remarks that are shown at once. */
const FIRST = 2;
/** Characters that fit into two lines. */
const SHORT = 120;

/** Renders remarks, disruptions first. Many, and long ones, are there on demand. */
export function remarkLines(remarks: readonly Remark[] = []): SafeHtml | false {
  if (remarks.length === 0) return false;
  const isNews = ({ kind }: Remark): boolean => kind === 'disruption';
  const sorted = [...remarks.filter(isNews), ...remarks.filter((one) => !isNews(one))];
  const [first = remarks[0] as Remark] = sorted;
  if (sorted.length <= FIRST && sorted.every(({ text }) => text.length <= SHORT)) {
    return html`<ul class="remarks">${sorted.map((one) => html`<li${langOf(one)}>${line(one)}</li>`)}</ul>`;
  }
  return html`<details class="remarks"><summary>${line(first)}${sorted.length > 1 && html`<span class="muted">1 of ${sorted.length}</span>`}${icon('down', 'chevron')}</summary><ul>${sorted.map((one) => html`<li${langOf(one)}>${line(one)}</li>`)}</ul></details>`;
}

function line({ kind, text }: Remark): SafeHtml {
  return kind === 'disruption'
    ? html`${icon('alert', 'news')}<span><b class="news">Disruption</b>: ${text}</span>`
    : html`${icon('info')}<span>${text}</span>`;
}

function langOf({ language }: Remark): SafeHtml | false {
  return language !== undefined && html` lang="${language}"`;
}
