// The operator's page: follows the views of the server, and shows each in figures, the picture, charts and tables.
import type { History } from '../../figures/trend-schemas.ts';
import type { OperatorView } from '../../figures/view-schema.ts';
import { addSample, emptyHistory } from '../../trends/sample.ts';
import { presetList } from '../operator/controls-panel.ts';
import { eventList } from '../operator/event-list.ts';
import { figuresRow } from '../operator/figures-row.ts';
import { healthLine, healthSentence } from '../operator/health-line.ts';
import { operatorTables, type TableName } from '../operator/operator-tables.ts';
import { loadText, routerText } from '../operator/operator-texts.ts';
import { processesNote, tableRows } from '../operator/table-section.ts';
import { clockTime } from '../words/amounts.ts';
import { patch } from './dom/patch.ts';
import { createSight } from './dom/sight.ts';
import { wireKillQuestion } from './operator/ask-kill.ts';
import { createCharts } from './operator/charts.ts';
import { wireDrawers } from './operator/drawer.ts';
import { createActions, wireControls } from './operator/operator-controls.ts';
import { createSystemPicture } from './operator/system-picture.ts';

/** An EventSource that was refused does not try again by itself. */
const AGAIN_MS = 2000;
/** Views come once a second. */
const SILENT_MS = 5000;

const main = element('content');
const pause = element<HTMLButtonElement>('pause');
const actions = createActions();
const charts = createCharts(main);
const picture = createSystemPicture(element('picture'), { actions });
/** A table out of sight is read all the same, by search or by a screen reader: one in so many views shows it. */
const SELDOM = 10;
const tables = (Object.keys(operatorTables) as TableName[]).flatMap((name) => {
  const body = main.querySelector(`#${name} tbody`);
  return body === null ? [] : [{ name, body }];
});
const sight = createSight(
  tables.map(({ body }) => body),
  () => drawTables(),
);
const kills = wireKillQuestion(element('processes'), {
  kill: actions.kill,
  redraw: () => drawTables({ all: true }),
  tell: (text) => say('said', text),
});

let latest: OperatorView | undefined;
/** View on the page: the latest, unless the page is paused. */
let shown: OperatorView | undefined;
let history: History = emptyHistory;
let views = 0;
let isPaused = false;
let silence: ReturnType<typeof setTimeout> | undefined;

function follow(): void {
  const source = new EventSource('/operator/events');
  source.addEventListener('history', ({ data }: MessageEvent<string>) => {
    history = JSON.parse(data) as History;
  });
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
  views += 1;
  history = addSample(history, view.sample);
  connected(true);
  clearTimeout(silence);
  silence = setTimeout(() => connected(false), SILENT_MS);
  draw();
}

function connected(isLive: boolean): void {
  const state = isLive ? (isPaused ? 'paused' : 'live') : 'reconnecting';
  if (main.dataset['state'] === state) return;
  main.dataset['state'] = state;
  const at = shown === undefined ? '' : ` at ${clockTime(shown.at)}`;
  const words = { live: '● Live', paused: `❚❚ Paused${at}`, reconnecting: '◌ Connecting again' };
  say('connection', words[state]);
}

/** Draws the latest view, unless the page is paused or its tab hidden. */
function draw(): void {
  if (latest === undefined || isPaused || document.hidden) return;
  const view = latest;
  shown = view;
  main.dataset['at'] = String(view.at);
  patch(element('health'), healthLine(view));
  say('health-said', healthSentence(view));
  patch(element('figures'), figuresRow(view));
  drawEvents(view);
  charts.update(view, history);
  picture.update(view, history);
  drawTables();
  const presets = document.getElementById('presets');
  const carriers = new Map(Object.entries(view.modes.carriers));
  if (presets !== null) patch(presets, presetList(carriers, view.upstream));
  say('load-state', loadText(view));
}

/** Draws the events, and announces the newest one if there are others already. */
function drawEvents(view: OperatorView): void {
  const list = element('events').firstElementChild as HTMLElement;
  const newest = (): string | undefined =>
    (list.firstElementChild as HTMLElement | null)?.dataset['key'];
  const before = newest();
  patch(list, eventList(view));
  if (newest() === before) return;
  // What is put in anew appears below the newer ones: none of them is seen to jump.
  list.append(...list.children);
  const { text = '', detail = '' } = view.events.at(-1) ?? {};
  if (before !== undefined) say('event-said', `${text} ${detail}`.trim());
}

function drawTables({ all = false } = {}): void {
  if (shown === undefined) return;
  const state = { view: shown, history, asked: kills.asked };
  for (const [at, { name, body }] of tables.entries()) {
    const isDue = all || !body.hasChildNodes() || (views + at) % SELDOM === 0;
    if (isDue || sight.has(body)) patch(body, tableRows(name, state));
  }
  kills.settle();
  say('processes-note', processesNote(shown));
  say('router-note', routerText(shown));
}

function say(id: string, text: string): void {
  const place = document.getElementById(id);
  if (place !== null && place.textContent !== text) place.textContent = text;
}

pause.addEventListener('click', () => {
  isPaused = !isPaused;
  pause.setAttribute('aria-pressed', String(isPaused));
  if (latest !== undefined && main.dataset['state'] !== 'reconnecting') connected(true);
  draw();
});
document.addEventListener('visibilitychange', draw);
wireDrawers(main);
const panel = document.getElementById('controls');
if (panel !== null) wireControls(panel, actions);
follow();

function element<E extends HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`Cannot start: no element ${id}`);
  return found as E;
}
