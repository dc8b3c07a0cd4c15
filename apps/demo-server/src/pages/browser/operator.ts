// The operator's page: follows the views of the server, and shows each in tables and charts.
import type { OperatorView } from '../../figures/view-schema.ts';
import { createRates } from '../../trends/rates.ts';
import { html } from '../frame/html.ts';
import {
  headlines,
  operatorTables,
  type TableName,
  type TableRow,
} from '../operator/operator-tables.ts';
import { loadText, routerText } from '../operator/operator-texts.ts';
import { clockTime, fragmentOf, show } from './dom/show.ts';
import { createCharts } from './operator/charts.ts';
import { wireControls } from './operator/operator-controls.ts';

/** An EventSource that was refused does not try again by itself. */
const AGAIN_MS = 2000;
/** Views come once a second. */
const SILENT_MS = 5000;

const main = element('content');
const connection = element('connection');
const pause = element<HTMLButtonElement>('pause');
const events = element('events').firstElementChild as HTMLElement;
const rates = createRates();
const charts = createCharts(main);

let latest: OperatorView | undefined;
let isPaused = false;
let silence: ReturnType<typeof setTimeout> | undefined;

function follow(): void {
  const source = new EventSource('/operator/events');
  source.addEventListener('view', ({ data }: MessageEvent<string>) => {
    take(JSON.parse(data) as OperatorView);
  });
  source.addEventListener('error', () => {
    connected(false);
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, AGAIN_MS);
  });
}

function take(view: OperatorView): void {
  latest = view;
  rates.add(view);
  charts.add(view, rates);
  connected(true);
  clearTimeout(silence);
  silence = setTimeout(() => connected(false), SILENT_MS);
  draw();
}

function connected(isLive: boolean): void {
  const state = isLive ? (isPaused ? 'paused' : 'live') : 'reconnecting';
  if (main.dataset['state'] === state) return;
  main.dataset['state'] = state;
  show(connection, { live: 'Live', paused: 'Paused', reconnecting: 'Connecting again' }[state]);
}

/** Draws the latest view, unless the page is paused or its tab hidden. */
function draw(): void {
  if (latest === undefined || isPaused || document.hidden) return;
  const view = latest;
  for (const [name, text] of headlines(view, rates)) {
    const place = main.querySelector(`[data-figure="${name}"]`);
    if (place !== null && place.textContent !== text) place.textContent = text;
  }
  for (const [name, table] of Object.entries(operatorTables)) {
    const body = main.querySelector<HTMLElement>(`#${name as TableName} .scroll tbody`);
    if (body !== null) patchRows(body, table.rows(view, rates));
  }
  tell('load-state', loadText(view));
  tell('router-text', routerText(view, rates));
  showEvents(view.events);
  charts.draw();
}

function tell(id: string, text: string): void {
  const place = document.getElementById(id);
  if (place !== null && place.textContent !== text) place.textContent = text;
}

/** Changes only what differs, so that focus, selection and a button under the pointer stay. */
function patchRows(body: HTMLElement, rows: readonly TableRow[]): void {
  const known = new Map(
    [...body.querySelectorAll<HTMLElement>('tr[data-key]')].map((row) => [row.dataset['key'], row]),
  );
  const wanted = rows.map((row) => {
    const element = known.get(row.key) ?? rowOf(row);
    if (element.dataset['mark'] !== (row.mark ?? '')) element.dataset['mark'] = row.mark ?? '';
    for (const [at, cell] of row.cells.entries()) {
      const place = element.children[at];
      if (place === undefined || place.getAttribute('data-cell') === String(cell)) continue;
      place.setAttribute('data-cell', String(cell));
      show(place, cell);
    }
    return element;
  });
  if (wanted.length === 0) {
    if (body.childElementCount === 0 || body.querySelector('[data-key]') !== null) {
      show(body, html`<tr><td colspan="12">${body.dataset['none']}</td></tr>`);
    }
    return;
  }
  if (
    body.children.length === wanted.length &&
    wanted.every((row, at) => row === body.children[at])
  )
    return;
  for (const row of [...body.children]) if (!wanted.includes(row as HTMLElement)) row.remove();
  for (const [at, row] of wanted.entries()) {
    if (body.children[at] !== row) body.insertBefore(row, body.children[at] ?? null);
  }
}

function rowOf({ key, cells, kill }: TableRow): HTMLElement {
  const row = html`<table><tr data-key="${key}">${cells.map((_, at) =>
    at === 0 ? html`<th scope="row"></th>` : html`<td></td>`,
  )}${kill !== undefined && html`<td>${kill !== '' && html`<button type="button" data-kill="${kill}" aria-label="Kill ${kill}">Kill</button>`}</td>`}</tr></table>`;
  return fragmentOf(row).querySelector('tr') as HTMLElement;
}

function showEvents(all: OperatorView['events']): void {
  const keys = new Set([...events.children].map((item) => item.getAttribute('data-key')));
  for (const { at, kind, process, text } of all) {
    const key = `${at} ${process} ${kind} ${text}`;
    if (keys.has(key)) continue;
    const date = new Date(at);
    const item = html`<li data-key="${key}" data-kind="${kind}"><time datetime="${date.toISOString()}">${clockTime(at)}</time> <b>${kind}</b> ${text} <small>${process}</small></li>`;
    events.prepend(fragmentOf(item));
  }
  while (events.childElementCount > 50) events.lastElementChild?.remove();
}

pause.addEventListener('click', () => {
  isPaused = !isPaused;
  pause.setAttribute('aria-pressed', String(isPaused));
  if (latest !== undefined && main.dataset['state'] !== 'reconnecting') connected(true);
  draw();
});
document.addEventListener('visibilitychange', draw);
wireControls(main, main.querySelector<HTMLElement>('#said') ?? connection);
follow();

function element<E extends HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`Cannot start: no element ${id}`);
  return found as E;
}
