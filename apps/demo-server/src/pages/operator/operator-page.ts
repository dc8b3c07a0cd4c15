import type { OperatorView } from '../../figures/view-schema.ts';
import { charts } from '../charts/charts.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';
import { type PageAssets, pageEnd, pageStart } from '../frame/page-frame.ts';
import { drawer } from '../picture/drawer-frame.ts';
import { systemPicture } from '../picture/picture-section.ts';
import { controlsPanel } from './controls-panel.ts';
import { figuresRow } from './figures-row.ts';
import type { TableName } from './operator-tables.ts';
import { modesText } from './operator-texts.ts';
import { tableSection } from './table-section.ts';

interface OperatorPage {
  readonly assets: PageAssets;
  readonly modes: OperatorView['modes'];
  /** Carriers that can be made to fail: only carriers of the embedded simulator. */
  readonly carriers: ReadonlyMap<string, string>;
}

/** Renders the page without figures: its script fills them in. */
export function operatorPage({ assets, modes, carriers }: OperatorPage): SafeHtml {
  const isOn = modes.controls === 'on';
  const right: readonly (TableName | false)[] = [
    'coalescing',
    modes.keep !== undefined && 'kept',
    modes.routeBy !== undefined && 'router',
  ];
  return html`${pageStart({ title: 'Operator', path: '/operator', assets })}<main id="content" class="page" data-state="connecting">
<section class="card health" aria-label="Health"><div id="health"><h1 class="state muted"><span aria-hidden="true">◌</span> Operator</h1><noscript><p>Without script, the same figures are at <a href="/operator/state">/operator/state</a>.</p></noscript></div>
<div class="end"><p id="connection" class="state" role="status"><span aria-hidden="true">◌</span> Connecting</p><button type="button" class="button" id="pause" aria-pressed="false">Pause</button>${
    isOn &&
    html`<button type="button" class="button" data-opens="controls" aria-haspopup="dialog">${icon('sliders')} Controls</button>`
  }</div><p class="sr" id="health-said" role="status"></p></section>
<dl class="card kpis" id="figures">${figuresRow()}</dl>
${systemPicture(modes)}
<div class="grid" id="charts">${charts.map(
    ({ title, isMany }) =>
      html`<figure class="card panel chart${isMany && ' many'}" data-chart="${title}"><figcaption><h3>${title}</h3></figcaption></figure>`,
  )}<section class="card panel events" aria-labelledby="events-title"><header><h2 id="events-title">Events</h2></header><p class="sr" id="event-said" role="status"></p><div class="log-box" id="events" role="group" aria-label="Events, the newest first" tabindex="0"><ol class="log"></ol></div></section></div>
<div class="tables"><div>${tableSection('processes')}</div><div>${right.map((name) => name && tableSection(name))}</div></div>
${tableSection('carriers')}${tableSection('pools')}${modes.fleet !== undefined && tableSection('hosts')}
<p class="muted">${modesText({ modes })}.${!isOn && html` This page only shows: controls need <code>--operator on</code>.`}</p>
<p class="toast said" id="said" role="status"></p>
${isOn && drawer({ id: 'controls', title: 'Controls', content: controlsPanel(carriers) })}
</main>${pageEnd('/operator')}`;
}
