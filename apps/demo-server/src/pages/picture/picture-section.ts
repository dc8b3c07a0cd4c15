import type { OperatorView } from '../../figures/view-schema.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { KEY_STATES, stateMarks } from '../words/state-marks.ts';
import { drawer } from './drawer-frame.ts';
import { flowCards } from './flow-cards.ts';
import { folded } from './layout/folded.ts';
import { layoutOf, PICTURE } from './layout/layout-of.ts';
import { mapShapes } from './map-shapes.ts';
import { markupOf } from './shape.ts';
import { systemAtRest } from './system/system-of.ts';

/** Renders the picture of the system as it is composed, without figures: its script fills them in, and nothing moves. */
export function systemPicture(modes: OperatorView['modes']): SafeHtml {
  const model = folded(systemAtRest(modes));
  const { width, height } = PICTURE;
  return html`<section class="card panel picture" id="picture" aria-labelledby="picture-title"><header><h2 id="picture-title">The system now</h2><div class="key">${KEY_STATES.map(
    (state) => {
      const { glyph, word, ink } = stateMarks[state];
      return html`<span class="state ${ink}"><span aria-hidden="true">${glyph}</span> ${word}</span>`;
    },
  )}<span>Width of a line: calls per second</span></div><a class="skip" href="#system-table">Skip the picture</a></header>
<svg class="map" viewBox="-2 0 ${width + 4} ${height}" role="group" aria-label="The system, from the clients to the carriers. The table below has the same figures.">${markupOf(mapShapes(layoutOf(model), 0))}</svg>
<ol class="flow">${flowCards(model, 0)}</ol>
<details class="as-table" id="system-table"><summary>The same as a table</summary><div class="scroll" role="region" aria-label="The system as a table" tabindex="0"></div></details>
${drawer({ id: 'node', title: 'Part' })}</section>`;
}
