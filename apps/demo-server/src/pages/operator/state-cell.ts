import { html, type SafeHtml } from '../frame/html.ts';
import { stateMarks } from '../words/state-marks.ts';

const marks: Readonly<Record<string, { readonly glyph: string; readonly ink: string }>> = {
  ...stateMarks,
  // States of processes, slots and hosts.
  ready: stateMarks.healthy,
  joined: stateMarks.healthy,
  known: stateMarks.starting,
  retiring: stateMarks.starting,
  leaving: stateMarks.starting,
  refused: stateMarks.slow,
  silent: stateMarks.hangs,
  stuck: stateMarks.hangs,
  down: stateMarks.dead,
};

/** Renders a state as a shape and a word in its colour. */
export function stateCell(state: string, word = state): SafeHtml {
  const { glyph, ink } = marks[state] ?? { glyph: '◌', ink: 'muted' };
  return html`<span class="state ${ink}"><span aria-hidden="true">${glyph}</span> ${word}</span>`;
}
