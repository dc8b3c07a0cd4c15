import type { OperatorEvent } from '../../figures/operator-event.ts';
import type { History } from '../../figures/trend-schemas.ts';
import type { OperatorView } from '../../figures/view-schema.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { clockTime, decimal, ms, NONE, whole } from '../words/amounts.ts';
import type { Chart, Line } from './charts.ts';
import { niceTop } from './nice-top.ts';
import { spread } from './spread.ts';

/** Milliseconds from the left of a chart to its right. */
const SPAN_MS = 120_000;
/** A line is not drawn over a time without samples. */
const GAP_MS = 5000;

/** Units of the drawing: a sixteenth of the text size of the page. */
const HEIGHT = 136;
const TOP = 10;
const BASE = 102;
const LEFT = 42;
const DOT = 13;
/** Room for the names at the ends of the lines. */
const ROOM = 66;
/** Times on the axis need so much room. */
const TIME = 52;

/** Letters of a name at the end of its line. */
const MOST_LETTERS = 10;

/** All that a chart shows. */
export interface ChartState {
  readonly view: OperatorView;
  readonly history: History;
  /** Width of the drawing, in its units. */
  readonly width: number;
  /** Place in the history that the pointer is on; absent: the latest. */
  readonly pointed?: number | undefined;
}

/** Renders a chart: its legend, which has the figures as text, and its drawing, which screen readers skip. */
export function chartFigure(chart: Chart, state: ChartState): SafeHtml {
  const { view, history, width, pointed } = state;
  const lines = chart.lines(history, view);
  const end = history.at.at(-1) ?? view.at;
  const right = width - ROOM;
  const x = (at: number) => LEFT + ((at - end + SPAN_MS) / SPAN_MS) * (right - LEFT);
  const deadline = chart.hasDeadline === true ? view.modes.deadlineMs : 0;
  const most = Math.max(
    0,
    deadline,
    ...lines.flatMap(({ values }) => values.map((one) => one ?? 0)),
  );
  const top = niceTop(most, chart.least);
  const y = (value: number) => BASE - (value / top) * (BASE - TOP);
  const time = pointed === undefined ? undefined : history.at[pointed];
  return html`<figcaption><h3>${chart.title}</h3><ul class="legend">${lines.map(
    (line) =>
      html`<li><svg class="${line.ink}" aria-hidden="true"><line class="${line.dash}" x1="0" x2="16" y1="3" y2="3"/></svg><span>${line.name}</span> <b>${amount(chart, line.values.at(pointed ?? -1))}</b></li>`,
  )}</ul></figcaption>
<svg class="plot" viewBox="0 0 ${width} ${HEIGHT}" aria-hidden="true">${[0, top / 2, top].map(
    (value) =>
      html`<path class="gridline" d="M${LEFT} ${round(y(value))}H${right}"/><text class="tick" x="${LEFT - 6}" y="${round(y(value) + 4)}">${tick(chart, value, top)}</text>`,
  )}${timesOf(end, right - LEFT).map(
    (at) =>
      html`<text class="time" x="${round(x(at))}" y="${HEIGHT - 3}">${clockTime(at).replace(/:00$/, '')}</text>`,
  )}${
    deadline > 0 &&
    html`<path class="deadline" d="M${LEFT} ${round(y(deadline))}H${right}"/><text x="${LEFT + 4}" y="${round(y(deadline) - 4)}">deadline ${ms(deadline)}</text>`
  }${chart.isTinted === true && area(history, lines, x, y)}${lines.map(
    (line) =>
      html`<path class="line ${line.ink} ${line.dash}" d="${pathOf(history.at, line.values, x, y)}"/>`,
  )}${labels(lines, right, y)}${dots(view.events, { end, right, x })}${
    time !== undefined &&
    html`<path class="pointed" d="M${round(x(time))} ${TOP}V${BASE}"/><text class="time now" x="${round(x(time))}" y="${TOP - 2}">${clockTime(time)}</text>`
  }</svg>`;
}

/** Returns the place in a history that is nearest to a place on a chart. `x`: in units of the drawing. */
export function pointedAt(
  { history, width }: Pick<ChartState, 'history' | 'width'>,
  x: number,
): number | undefined {
  const end = history.at.at(-1);
  if (end === undefined) return undefined;
  const wanted = end - SPAN_MS + ((x - LEFT) / (width - ROOM - LEFT)) * SPAN_MS;
  let nearest = 0;
  for (const [place, at] of history.at.entries()) {
    if (Math.abs(at - wanted) < Math.abs((history.at[nearest] ?? 0) - wanted)) nearest = place;
  }
  return nearest;
}

/** Returns the events that have a number on the time axes of the last two minutes, oldest first. */
function marked(events: readonly OperatorEvent[], end: number): OperatorEvent[] {
  return events.filter(
    ({ mark, at }) => mark !== undefined && at > end - SPAN_MS && at <= end + GAP_MS,
  );
}

function amount({ unit }: Chart, value: number | null | undefined): string {
  if (value === null || value === undefined) return NONE;
  return unit === 'ms'
    ? ms(value)
    : value < 100
      ? decimal(value).replace(/\.0$/, '')
      : whole(value);
}

function tick({ unit }: Chart, value: number, top: number): string {
  if (value === 0) return '0';
  const isSeconds = unit === 'ms' && top >= 1000;
  const text = String(Number((isSeconds ? value / 1000 : value).toPrecision(3)));
  return `${text}${unit === 'ms' ? (isSeconds ? ' s' : ' ms') : ''}`;
}

/** Returns the times on the axis, every half minute or minute. */
function timesOf(end: number, width: number): number[] {
  const step = width / 4 < TIME ? 60_000 : 30_000;
  const first = Math.ceil((end - SPAN_MS) / step) * step;
  return Array.from({ length: Math.floor((end - first) / step) + 1 }, (_, at) => first + at * step);
}

type Scale = (value: number) => number;

function pathOf(
  times: readonly number[],
  values: readonly (number | null)[],
  x: Scale,
  y: Scale,
): string {
  let path = '';
  let before = Number.NEGATIVE_INFINITY;
  for (const [place, at] of times.entries()) {
    const value = values[place] ?? undefined;
    if (value === undefined) continue;
    path += `${at - before > GAP_MS ? 'M' : 'L'}${round(x(at))} ${round(y(value))}`;
    before = at;
  }
  return path;
}

/** Tints the area between two lines. */
function area(
  { at }: History,
  [upper, lower]: readonly Line[],
  x: Scale,
  y: Scale,
): SafeHtml | undefined {
  if (upper === undefined || lower === undefined) return undefined;
  const both = at.flatMap((time, place) => {
    const [high, low] = [upper.values[place] ?? undefined, lower.values[place] ?? undefined];
    return high === undefined || low === undefined
      ? []
      : [{ x: round(x(time)), high: round(y(high)), low: round(y(low)) }];
  });
  if (both.length < 2) return undefined;
  const there = both.map((point) => `${point.x} ${point.high}`);
  const back = both.toReversed().map((point) => `${point.x} ${point.low}`);
  return html`<path class="area ${upper.ink}" d="M${[...there, ...back].join('L')}Z"/>`;
}

/** Names the lines at their ends, none over another. */
function labels(lines: readonly Line[], right: number, y: Scale): SafeHtml[] {
  const ends = lines.flatMap((line) => {
    const last = line.values.findLast((value) => value !== null);
    return last === undefined || last === null ? [] : [{ line, at: y(last) }];
  });
  const places = spread(
    ends.map(({ at }) => at),
    { gap: 12, from: TOP, to: BASE },
  );
  return ends.map(
    ({ line: { name, ink } }, place) =>
      html`<text class="label ${ink}" x="${right + 5}" y="${round((places[place] ?? 0) + 4)}">${shortened(name)}</text>`,
  );
}

function shortened(name: string): string {
  return name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS - 1)}…` : name;
}

/** Marks events on the time axis. If there are more than fit, faults and then later ones are shown. */
function dots(
  events: readonly OperatorEvent[],
  { end, right, x }: { readonly end: number; readonly right: number; readonly x: Scale },
): SafeHtml[] {
  const room = Math.floor((right - LEFT) / DOT);
  const shown = marked(events, end)
    .toSorted(
      (one, other) =>
        Number(other.severity === 'bad') - Number(one.severity === 'bad') || other.at - one.at,
    )
    .slice(0, room)
    .sort((one, other) => one.at - other.at);
  const wanted = shown.map(({ at }) => Math.min(x(at), right));
  const places = spread(wanted, { gap: DOT, from: LEFT, to: right });
  return shown.map((event, place) => {
    const [dot, line] = [round(places[place] ?? 0), round(wanted[place] ?? 0)];
    return html`<g class="event${event.severity === 'bad' && ' bad'}" data-key="${event.no}"><path d="M${line} ${TOP}V${BASE}L${dot} ${BASE + 4}"/><circle cx="${dot}" cy="${BASE + 9}" r="6"/><text x="${dot}" y="${BASE + 12.5}">${event.mark}</text></g>`;
  });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
