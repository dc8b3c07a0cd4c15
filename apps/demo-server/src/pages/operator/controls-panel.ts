import type { OperatorView } from '../../figures/view-schema.ts';
import { html, type SafeHtml } from '../frame/html.ts';

/** A fault that one press sets. */
interface Preset {
  /** Effect that the operator will see. */
  readonly says: string;
  readonly faults: Readonly<Record<string, { readonly kind: string; readonly share: number }>>;
}

const PRESETS: Readonly<Record<string, Preset>> = {
  'Renfe hangs': {
    says: 'Searches end at the deadline without it',
    faults: { renfe: { kind: 'hang', share: 1 } },
  },
  'Half of Ouigo fails': {
    says: 'Its errors rise; searches stay complete by retries',
    faults: { ouigo: { kind: 'error', share: 0.5 } },
  },
  'Avlo drips': {
    says: 'Its answers come byte by byte, late',
    faults: { avlo: { kind: 'drip', share: 1 } },
  },
};

const FAULTS = {
  none: 'none',
  hang: 'never answers',
  error: 'fails',
  drip: 'answers byte by byte',
  truncated: 'breaks off',
  'malformed-price': 'sends a price that is none',
  'rate-limited': 'refuses: too many calls',
  throttled: 'refuses some',
};

const LOADS = {
  '/search?origin=Madrid&destination=Barcelona': '/search, one route again and again',
  '/search?origin=Madrid&destination=Sevilla&passengers=2': '/search, another route for two',
  '/compute?ms=20': '/compute, 20 ms of CPU each',
  '/api/v1/worms/utilize': '/api/v1/worms, a class of the store',
};

/** Renders all controls. `carriers`: names, by id, of carriers that can be made to fail. */
export function controlsPanel(carriers: ReadonlyMap<string, string>): SafeHtml {
  return html`${carriers.size === 0 ? html`<p class="muted">Carriers of <code>--carriers-url</code> cannot be made to fail from here.</p>` : carrierControls(carriers)}
<h3>Load</h3><form id="load" class="two">${field('Path', html`<select name="path">${options(LOADS)}</select>`, 'wide')}
${field('Per second', html`<input name="perSecond" type="number" min="1" max="50" value="20" required>`)}
${field('Seconds', html`<input name="seconds" type="number" min="1" max="120" value="60" required>`)}
<button type="submit" class="button wide">Start</button></form>
<p id="load-state" class="muted"></p>
<h3>Workers</h3><div class="preset"><span>Replace all workers<small>One after the other; no call is lost</small></span><button type="button" class="button" id="reload" aria-expanded="false" aria-controls="reload-ask">Replace…</button>
<div class="ask" id="reload-ask" role="alertdialog" aria-label="Replace all workers" aria-describedby="reload-text" hidden><span id="reload-text">Each worker is replaced by a new one.</span> <button type="button" class="button small danger" id="reload-do">Replace</button> <button type="button" class="button small" id="reload-keep">Keep</button></div></div>
<p><a href="/?origin=Madrid&amp;destination=Barcelona" target="_blank" rel="noopener">Search in another window</a></p>
<p class="said" role="status"></p>`;
}

/** Renders the faults that one press sets, or resets while they are in force. */
export function presetList(
  carriers: ReadonlyMap<string, string>,
  upstream: OperatorView['upstream'] = [],
): SafeHtml {
  const known = Object.entries(PRESETS).filter(([, { faults }]) =>
    Object.keys(faults).every((id) => carriers.has(id)),
  );
  const none = Object.fromEntries([...carriers.keys()].map((id) => [id, { fault: null }]));
  return html`${known.map(([name, { says, faults }]) => {
    const isInForce = Object.entries(faults).every(([id, fault]) => {
      const { fault: own } = Object(upstream.find((one) => one.id === id)?.plan);
      return own?.kind === fault.kind && own.share === fault.share;
    });
    const plans = Object.entries(faults).map(([id, fault]) => [
      id,
      { fault: isInForce ? null : fault },
    ]);
    return preset(name, says, isInForce ? 'Reset' : 'Set', Object.fromEntries(plans));
  })}${preset('All well', 'Ends every fault', 'Reset all', none)}`;
}

function preset(name: string, says: string, action: string, plans: object): SafeHtml {
  return html`<div class="preset" data-key="${name}"><span>${name}<small>${says}</small></span><button type="button" class="button" data-preset="${name}" data-plans="${JSON.stringify(plans)}" aria-label="${action}: ${name}">${action}</button></div>`;
}

function carrierControls(carriers: ReadonlyMap<string, string>): SafeHtml {
  return html`<h3>Faults</h3><div id="presets">${presetList(carriers)}</div>
<h3>One carrier</h3><form id="plan" class="two">${field('Carrier', html`<select name="carrier">${options(Object.fromEntries(carriers))}</select>`, 'wide')}
${field('Latency, ms', html`<input name="ms" type="number" min="0" max="60000" placeholder="as it is">`)}
${field('Share, %', html`<input name="percent" type="number" min="0" max="100" value="100" required>`)}
${field('Fault', html`<select name="kind">${options(FAULTS)}</select>`, 'wide')}
<button type="submit" class="button primary wide">Apply</button></form>`;
}

function field(label: string, control: SafeHtml, extra = ''): SafeHtml {
  return html`<label class="field ${extra}"><span>${label}</span>${control}</label>`;
}

function options(texts: Readonly<Record<string, string>>): SafeHtml {
  return html`${Object.entries(texts).map(([value, text]) => html`<option value="${value}">${text}</option>`)}`;
}
