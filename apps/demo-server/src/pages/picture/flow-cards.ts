import { carrierMark } from '../frame/carrier-mark.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { percent } from '../words/amounts.ts';
import { stateMarks } from '../words/state-marks.ts';
import { widthOf } from './map-shapes.ts';
import { perSecond, sumOf } from './system/reading.ts';
import type { Column, ColumnKind, Part, SystemModel } from './system/system-model.ts';

/** Workers that are cells; more are told as a number. */
const MOST_CELLS = 16;

/** Parts that are shown as well; of others only what is not well is shown. */
const STATED: readonly Part['kind'][] = ['server', 'host', 'carrier'];

/** Words of a stem, by the card that it leads to. */
const UNITS: Readonly<Record<ColumnKind, string>> = {
  clients: '',
  accept: 'requests',
  servers: 'requests',
  coalescing: 'asked',
  hosts: 'calls',
  workers: 'tasks',
  carriers: 'calls',
};
const NOTES: Readonly<Partial<Record<ColumnKind, string>>> = {
  servers: 'in flight, busy',
  workers: 'running in each',
  hosts: 'running',
  carriers: 'p99',
};

/** Renders the parts as cards below each other, joined by stems as wide as what flows. `most`: as of the picture. */
export function flowCards({ columns, edges }: SystemModel, most: number): SafeHtml {
  const [clients, ...others] = columns;
  const accept = others.find(({ kind }) => kind === 'accept');
  const rest = others.filter((column) => column !== accept);
  return html`<li class="stage" data-key="clients"><h3>${accept ? 'Clients and accept' : 'Clients'}</h3><ul>${[...(clients?.parts ?? []), ...(accept?.parts ?? [])].map(row)}</ul></li>${rest.map(
    (column) => {
      const ids = new Set(column.parts.map(({ id }) => id));
      const rate = sumOf(
        edges.filter(({ to }) => ids.has(to)),
        (edge) => edge.rate,
      );
      return [stem(column.kind, { rate, most }), stage(column)];
    },
  )}`;
}

function stem(kind: ColumnKind, { rate, most }: { readonly rate: number; readonly most: number }) {
  const width = widthOf(rate, most);
  return html`<li class="stem" data-key="to ${kind}" aria-hidden="true"><svg viewBox="0 0 24 24"><rect x="${12 - width / 2}" y="0" width="${width}" height="24" rx="1"/></svg><span>${perSecond(rate).replace('/s', '')} ${UNITS[kind]}/s</span></li>`;
}

function stage({ kind, title, parts }: Column): SafeHtml {
  const note = NOTES[kind];
  return html`<li class="stage" data-key="${kind}"><h3>${title}${note !== undefined && html` <span>${note}</span>`}</h3><ul>${parts.map(row)}</ul></li>`;
}

function row(part: Part): SafeHtml {
  const { id, kind, name, lines, share, state, workers } = part;
  const { glyph, word, ink } = stateMarks[state];
  const busy = kind === 'server' && share !== undefined && ` · ${percent(share)}`;
  const text =
    kind === 'funnel'
      ? `${lines[0]} saved · ${lines[2]}, ${lines[3]}`
      : kind === 'pool' && workers !== undefined
        ? ''
        : lines.join(' · ').replaceAll(' in flight', '');
  const isSaid =
    state === 'healthy' || state === 'unknown'
      ? STATED.includes(kind)
      : kind !== 'clients' && kind !== 'more';
  return html`<li data-key="${id}"><button type="button" data-part="${id}" data-state="${state}">${kind === 'carrier' && carrierMark(part.row, name, 'small')}<b>${name}</b> ${kind === 'pool' && workers !== undefined && cells(workers)}<span class="num muted">${text}${busy}</span>${isSaid && html` <span class="state ${ink}"><span aria-hidden="true">${glyph}</span> ${word}</span>`}</button></li>`;
}

function cells(workers: readonly Part[]): SafeHtml {
  if (workers.length > MOST_CELLS) {
    const running = workers.filter(({ counts }) => (counts['running'] ?? 0) > 0).length;
    return html`<span class="num muted">running ${running} of ${workers.length}</span>`;
  }
  return html`<span class="cells">${workers.map(({ lines, state }) => {
    const { look, glyph } = stateMarks[state];
    const isShape = look === 'dead' || look === 'starting' || look === 'hangs';
    return html`<i class="${look}">${isShape ? glyph : lines[0]}</i>`;
  })}</span>`;
}
