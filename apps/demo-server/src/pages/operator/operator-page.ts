import type { OperatorView } from '../../figures/view-schema.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { type PageAssets, pageEnd, pageStart } from '../frame/page-frame.ts';
import { HEADLINES, operatorTables, type TableName } from './operator-tables.ts';
import { modesText } from './operator-texts.ts';

interface OperatorPage {
  readonly assets: PageAssets;
  readonly modes: OperatorView['modes'];
  /** The carriers that can be made to fail; none but those of the embedded simulator. */
  readonly carriers: ReadonlyMap<string, string>;
}

/** What a carrier can be made to do, by the name of its button: `[carrier, patch]`. */
const PRESETS = {
  'Renfe hangs': { renfe: { fault: { kind: 'hang' } } },
  'Half of Ouigo fails': { ouigo: { fault: { kind: 'error', share: 0.5 } } },
  'Avlo drips': { avlo: { fault: { kind: 'drip' } } },
  'All well': { renfe: { fault: null }, ouigo: { fault: null }, avlo: { fault: null } },
};

const FAULTS = {
  none: 'nothing',
  hang: 'does not answer',
  error: 'fails',
  drip: 'answers byte by byte',
  truncated: 'breaks off',
  'malformed-price': 'sends a price that is none',
  'rate-limited': 'refuses: too many calls',
  throttled: 'refuses some',
};

const LOADS = {
  '/search?origin=Madrid&destination=Barcelona': 'one search again and again',
  '/search?origin=Madrid&destination=Sevilla&passengers=2': 'another search',
  '/compute?ms=20': '20 ms of CPU each',
  '/api/v1/worms/utilize': 'a class of the store',
};

/** Charts by their section. */
const CHARTS: Readonly<Partial<Record<TableName | 'overview', readonly string[]>>> = {
  overview: ['Requests per second', 'Time to answer'],
  processes: ['Busy', 'Late'],
  pools: ['Tasks'],
  coalescing: ['Questions per second'],
  router: ['Connections'],
  carriers: ['Time of carriers, p99'],
};

/** Renders the page without figures: its script fills them in. */
export function operatorPage({ assets, modes, carriers }: OperatorPage): SafeHtml {
  const isOn = modes.controls === 'on';
  return html`${pageStart({ title: 'Operator', path: '/operator', assets })}<main id="content" data-state="connecting"><h1>Operator</h1>
<p>${modesText({ modes })}.</p>
<noscript><p>Without script, the same figures are at <a href="/operator/state">/operator/state</a>.</p></noscript>
<div class="live"><p id="connection" role="status">Connecting</p><button type="button" id="pause" aria-pressed="false">Pause</button></div>
<section aria-labelledby="overview-title"><h2 id="overview-title">Overview</h2>
<dl id="headlines">${HEADLINES.map((name) => html`<div><dt>${name}</dt><dd data-figure="${name}">–</dd></div>`)}</dl>
${charts('overview')}</section>
${isOn ? controls(carriers) : html`<p>This page only shows. Controls need <code>--operator on</code>.</p>`}
${(Object.keys(operatorTables) as TableName[])
  .filter((name) => name !== 'router' || modes.routeBy !== undefined)
  .filter((name) => name !== 'hosts' || modes.fleet !== undefined)
  .map(panel)}
<section aria-labelledby="events-title"><h2 id="events-title">Events</h2>
<div id="events" role="log" aria-label="Events, the newest first" tabindex="0"><ol></ol></div></section>
</main>${pageEnd('/operator')}`;
}

function panel(name: TableName): SafeHtml {
  const { title, columns, none } = operatorTables[name];
  const head = columns.map((column) =>
    column === '' ? html`<td></td>` : html`<th scope="col">${column}</th>`,
  );
  return html`<section id="${name}"><h2 id="${name}-title">${title}</h2>
<div class="scroll" role="region" aria-labelledby="${name}-title" tabindex="0"><table><thead><tr>${head}${name === 'processes' && html`<td></td>`}</tr></thead><tbody data-none="${none}"></tbody></table></div>
${name === 'router' && html`<p id="router-text"></p>`}${charts(name)}</section>
`;
}

function charts(section: TableName | 'overview'): SafeHtml {
  return html`<div class="charts" aria-hidden="true">${(CHARTS[section] ?? []).map((title) => html`<figure><figcaption>${title}</figcaption><div data-chart="${title}"></div></figure>`)}</div>`;
}

function controls(carriers: ReadonlyMap<string, string>): SafeHtml {
  const presets = Object.entries(PRESETS).map(
    ([name, plans]) =>
      html`<button type="button" data-plans="${JSON.stringify(plans)}">${name}</button> `,
  );
  return html`<section aria-labelledby="controls-title"><h2 id="controls-title">Controls</h2>
${
  carriers.size === 0
    ? html`<p>Carriers of <code>--carriers-url</code> cannot be made to fail from here.</p>`
    : html`<div class="row" role="group" aria-label="Faults">${presets}</div>
<form id="plan" class="row"><label>Carrier <select name="carrier">${[...carriers].map(([id, name]) => html`<option value="${id}">${name}</option>`)}</select></label>
<label>Milliseconds per call <input name="ms" type="number" min="0" max="60000" placeholder="as it is"></label>
<label>Fault <select name="kind">${Object.entries(FAULTS).map(([kind, text]) => html`<option value="${kind}">${text}</option>`)}</select></label>
<label>Share in percent <input name="percent" type="number" min="0" max="100" value="100"></label>
<button type="submit">Apply</button></form>`
}
<form id="load" class="row"><label>Load <select name="path">${Object.entries(LOADS).map(([path, text]) => html`<option value="${path}">${text}</option>`)}</select></label>
<label>Per second <input name="perSecond" type="number" min="1" max="50" value="20"></label>
<label>Seconds <input name="seconds" type="number" min="1" max="30" value="15"></label>
<button type="submit">Start</button> <span id="load-state"></span></form>
<div class="row"><button type="button" id="reload">Replace all workers</button> <a href="/?origin=Madrid&amp;destination=Barcelona" target="_blank" rel="noopener">Search in another window</a></div>
<p id="said" role="status"></p></section>`;
}
