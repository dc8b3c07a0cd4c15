import { carrierMark } from '../frame/carrier-mark.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { ICONS, icon } from '../frame/icons.ts';
import { type PageAssets, pageEnd, pageStart } from '../frame/page-frame.ts';
import { contrast } from './contrast.ts';
import { type ColourToken, PAIRS } from './tokens.ts';

const SIZES = [
  ['36', 'Where to?', '600, home'],
  ['25', '26 trains', '600, title of a page'],
  ['20', '48.2', '600, figures'],
  ['18', '08:30 → 11:05', '600, times and prices'],
  ['16', 'Madrid Puerta de Atocha', 'inputs'],
  ['14', 'No changes, no refund', 'text'],
  ['13', '2 h 35 · direct', 'second level'],
  ['12', 'Platform 7', 'labels'],
  ['11', 'p99 over 10 s', 'captions'],
] as const;
const SPACES = [4, 8, 12, 16, 20, 24, 32, 48, 64] as const;
const STATES = [
  ['', 'rest'],
  ['is-hover', 'hover'],
  ['is-pressed', 'pressed'],
  ['is-focus', 'focus'],
] as const;

/** Renders every token and component, once in each scheme. */
export function styleguidePage(page: {
  readonly assets: Omit<PageAssets, 'script'>;
  readonly colours: readonly ColourToken[];
  /** Names of carriers by id. */
  readonly carriers: ReadonlyMap<string, string>;
}): SafeHtml {
  const { assets, colours, carriers } = page;
  return html`${pageStart({ title: 'Components · Ticketing', path: '/styleguide', assets })}<main id="content" class="guide"><h1>Components</h1>
<p class="wide">Tokens and components of all pages, in both schemes. <code>docs/design.md</code> says when to use which.</p>
${(['light', 'dark'] as const).map(
  (scheme) =>
    html`<section class="scheme" data-scheme="${scheme}" aria-labelledby="${scheme}-title"><h2 id="${scheme}-title">${scheme === 'light' ? 'Light' : 'Dark'}</h2>
${samples(scheme, { colours, carriers }).map(
  ([title, content]) =>
    html`<section class="card sample"><h3>${title}</h3>${content}</section>
`,
)}</section>`,
)}
</main>${pageEnd('/styleguide')}`;
}

type Scheme = 'light' | 'dark';

function samples(
  scheme: Scheme,
  given: { colours: readonly ColourToken[]; carriers: ReadonlyMap<string, string> },
): readonly (readonly [title: string, content: SafeHtml])[] {
  return [
    ['Colour', swatches(scheme, given.colours)],
    ['Contrast: text needs 4.5, the edge of a control 3', ratios(scheme, given.colours)],
    ['Type: Geist, 400 to 700', typeScale()],
    ['Space', spaces()],
    ['Buttons', buttons()],
    ['Fields', fields(scheme)],
    ['Chips and badges', chips()],
    ['Marks of carriers', marks(given.carriers)],
    ['States of a thing: shape, word, colour', states()],
    ['Tabs', tabs(scheme)],
    ['Notice, toast, tooltip', notices()],
    ['Table', table()],
    [
      'Skeleton',
      html`<div class="skeleton ghost-line"></div><div class="skeleton ghost-line short"></div>`,
    ],
    ['Icons', icons()],
  ];
}

function sample(caption: string, content: SafeHtml): SafeHtml {
  return html`<figure class="st">${content}<figcaption>${caption}</figcaption></figure>`;
}

function swatches(scheme: Scheme, colours: readonly ColourToken[]): SafeHtml {
  return html`<ul class="swatches">${colours.map(
    (colour) =>
      html`<li><svg viewBox="0 0 96 36" preserveAspectRatio="none" aria-hidden="true"><rect width="96" height="36" rx="6" fill="${colour[scheme]}" stroke="var(--border)" stroke-width="0.5"/></svg><b>${colour.name}</b><small class="num">${colour[scheme]}</small></li>`,
  )}</ul>`;
}

function ratios(scheme: Scheme, colours: readonly ColourToken[]): SafeHtml {
  const byName = new Map(colours.map((colour) => [colour.name, colour[scheme]]));
  return html`<ul class="ratios">${PAIRS.map(([ink, ground]) => {
    const ratio = contrast(byName.get(ink) ?? '', byName.get(ground) ?? '');
    return html`<li>${ink} on ${ground} <b class="num">${ratio.toFixed(1)}</b></li>`;
  })}</ul>`;
}

function typeScale(): SafeHtml {
  return html`<ul class="type">${SIZES.map(
    ([size, text, use]) => html`<li class="x${size}">${text} <small>${size}, ${use}</small></li>`,
  )}</ul>`;
}

function spaces(): SafeHtml {
  return html`<ul class="spaces">${SPACES.map(
    (size) =>
      html`<li><svg width="${size}" height="16" aria-hidden="true"><rect width="${size}" height="16" fill="var(--accent-text)"/></svg> <small class="num">${size}</small></li>`,
  )}</ul>`;
}

function buttons(): SafeHtml {
  const kinds = [
    ['primary', 'Search'],
    ['', 'Ask again'],
    ['quiet', 'Clear'],
    ['danger', 'Kill'],
  ] as const;
  const rows = kinds.map(([kind, text]) => {
    const all = STATES.map(([state, caption]) =>
      sample(caption, html`<button type="button" class="button ${kind} ${state}">${text}</button>`),
    );
    const off = html`<button type="button" class="button ${kind}" disabled>${text}</button>`;
    return html`<div class="row">${all}${sample('disabled', off)}</div>`;
  });
  return html`${rows}<div class="row">${sample('small', html`<button type="button" class="button small">Kill…</button>`)}${sample('icon alone', html`<button type="button" class="button round" aria-label="Swap From and To">${icon('swap')}</button>`)}</div>`;
}

function fields(scheme: Scheme): SafeHtml {
  const id = `${scheme}-note`;
  return html`<div class="row fields">${sample('empty', html`<label class="field"><span>From</span><input placeholder="City or station"></label>`)}${sample('focus', html`<label class="field"><span>To</span><input class="is-focus" value="Barc"></label>`)}${sample(
    'error, its cure is a button',
    html`<div><label class="field"><span>Via</span><input aria-invalid="true" aria-describedby="${id}" value="Madird"></label><p class="field-error" id="${id}">We do not know “Madird”. <button type="button" class="button small">Madrid</button></p></div>`,
  )}</div><div class="row">${sample('stepper', html`<span class="stepper"><button type="button" class="button round" aria-label="Fewer">${icon('minus')}</button><output>2</output><button type="button" class="button round" aria-label="More">${icon('plus')}</button></span>`)}${sample('check box', html`<label class="check"><input type="checkbox" checked><span>Direct</span><span class="check-n">24</span></label>`)}</div>`;
}

function chips(): SafeHtml {
  return html`<div class="row">${sample('rest', html`<button type="button" class="chip" aria-pressed="false">Direct only</button>`)}${sample('pressed', html`<button type="button" class="chip" aria-pressed="true">Direct only</button>`)}${sample('focus', html`<button type="button" class="chip is-focus">Any class</button>`)}</div>
<div class="row"><span class="badge accent">Best</span><span class="badge good">Cheapest</span><span class="badge warn">3 seats left</span><span class="badge bad">Cancelled</span><span class="badge">Sold out</span></div>`;
}

function marks(carriers: ReadonlyMap<string, string>): SafeHtml {
  const all = [...carriers, ['other', 'Any other operator'] as const];
  return html`<div class="row">${all.map(([id, name]) => sample(name, html`${carrierMark(id, name)}`))}</div><div class="row">${all.map(([id, name]) => carrierMark(id, name, 'small'))}</div>`;
}

function states(): SafeHtml {
  return html`<div class="row"><span class="state good-ink">● healthy</span><span class="state warn-ink">▲ slow</span><span class="state bad-ink">■ hangs</span><span class="state bad-ink">✕ dead</span><span class="state accent-ink">◌ starting</span></div>`;
}

function tabs(scheme: Scheme): SafeHtml {
  const all = [
    ['Best', '€25.00', '2 h 35'],
    ['Cheapest', '€16.00', '2 h 58'],
    ['Fastest', '€43.85', '2 h 30'],
  ] as const;
  return html`<nav class="tabs" aria-label="Order, ${scheme}">${all.map(
    ([name, price, time], at) =>
      html`<a class="tab" href="#content"${at === 0 && html` aria-current="true"`}>${name}<b class="num">${price}<small>${time}</small></b></a>`,
  )}</nav>`;
}

function notices(): SafeHtml {
  return html`<div class="notice">${icon('alert')}<p><b>Renfe did not answer in time.</b> Its trains are missing below.</p><button type="button" class="button">Ask again</button></div>
<div class="row"><span class="toast">Every fault is reset <button type="button" class="button">Undo</button></span><span class="tooltip">Best weighs price and time together</span></div>
<div class="row"><a class="button" role="link" aria-disabled="true">Ask again <b class="num again" aria-hidden="true">in 4 s</b><span class="sr">in 4 seconds</span></a></div>`;
}

function table(): SafeHtml {
  return html`<div class="scroll" role="group" aria-label="Carriers" tabindex="0"><table class="table"><thead><tr><th scope="col">Carrier</th><th scope="col">Guard</th><th scope="col" class="n">p50, p99</th></tr></thead><tbody><tr><td>Renfe</td><td><span class="state bad-ink">■ open, 4.0 s</span></td><td class="n">–, 2.0 s</td></tr><tr><td>Ouigo</td><td><span class="state warn-ink">▲ paused, 9.0 s</span></td><td class="n">71, 96 ms</td></tr><tr><td>Avlo</td><td><span class="state good-ink">● closed</span></td><td class="n">71, 96 ms</td></tr></tbody></table></div>`;
}

function icons(): SafeHtml {
  return html`<div class="row">${ICONS.map((name) => sample(name, icon(name)))}</div>`;
}
