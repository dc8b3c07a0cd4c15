import { html, type SafeHtml } from '../frame/html.ts';
import { percent } from '../words/amounts.ts';
import { stateMarks } from '../words/state-marks.ts';
import { perSecond } from './system/reading.ts';
import type { Part, SystemModel } from './system/system-model.ts';

/** Renders every part as a row, in the order of the flow. */
export function partTable({ columns }: SystemModel): SafeHtml {
  return html`<table class="table"><thead><tr><th scope="col">Part</th><th scope="col">State</th><th scope="col" class="n">Per second</th><th scope="col" class="n">Share</th><th scope="col">Figures</th></tr></thead>${columns.map(
    ({ kind, title, parts }) =>
      html`<tbody data-key="${kind}"><tr><th scope="rowgroup" colspan="5">${title}</th></tr>${parts.map((part) => [row(part), (part.workers ?? []).map(row)])}</tbody>`,
  )}</table>`;
}

function row({ id, name, state, rate, share, lines }: Part): SafeHtml {
  const { glyph, word, ink } = stateMarks[state];
  return html`<tr data-key="${id}" data-state="${state}"><th scope="row">${name}</th><td><span class="state ${ink}"><span aria-hidden="true">${glyph}</span> ${word}</span></td><td class="n">${perSecond(rate)}</td><td class="n">${percent(share)}</td><td>${lines.join(' · ')}</td></tr>`;
}
