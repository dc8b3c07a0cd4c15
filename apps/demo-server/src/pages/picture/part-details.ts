import type { History } from '../../figures/trend-schemas.ts';
import type { OperatorView } from '../../figures/view-schema.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { clockTime, counted, decimal, ms, percent } from '../words/amounts.ts';
import { faultOf } from '../words/plan-words.ts';
import { stateMarks } from '../words/state-marks.ts';
import { killQuestion, mayKill } from './kill-question.ts';
import type { Part } from './system/system-model.ts';

/** Facts beside the part that its drawer shows. */
export interface DetailContext {
  readonly view: OperatorView;
  readonly history: History;
  /** True if the drawer asks whether to kill the part's process. */
  readonly isAsking: boolean;
}

/** Returns the title of the drawer of a part. */
export function detailTitle({ kind, name }: Part): string {
  if (kind === 'funnel') return `Coalescing, ${name}`;
  return kind === 'more' ? 'More parts' : name.replace(/^tasks/, 'Tasks');
}

/** Renders what the drawer of a part shows: its state, its figures, two minutes of it, and what one can do. */
export function partDetails(part: Part, context: DetailContext): SafeHtml {
  const { state, figures, workers = [] } = part;
  const { glyph, word, ink } = stateMarks[state];
  const known = context.view.health.filter((each) => isOf(each, part));
  return html`<p class="part-state"><span class="state ${ink}"><span aria-hidden="true">${glyph}</span> ${word}</span></p>
${known.map(({ name, says, since, detail }) => html`<p class="muted" data-key="${says}">${name} ${says} since ${clockTime(since)}${detail !== undefined && `, ${detail}`}</p>`)}
<dl class="facts">${figures().map(([name, text]) => html`<div data-key="${name}"><dt>${name}</dt><dd class="num">${text}</dd></div>`)}</dl>
${chartsOf(part).map((chart) => chartFigure(chart, context))}
${workers.length > 0 && html`<h3>${counted(workers.length, 'part')}</h3><ul class="members">${workers.map(member)}</ul>`}
${actionsOf(part, context)}`;
}

/** Returns whether a condition is about a part. */
function isOf({ subject, id }: OperatorView['health'][number], { kind, row }: Part): boolean {
  const subjects: Readonly<Partial<Record<Part['kind'], readonly string[]>>> = {
    accept: ['router', 'process'],
    server: ['process'],
    worker: ['process'],
    pool: ['pool'],
    host: ['host', 'process'],
    carrier: ['carrier'],
    funnel: ['coalescer', 'redis', 'fleet'],
  };
  const isHere = subjects[kind]?.includes(subject) === true;
  return isHere && (id === row || (kind === 'funnel' && row === 'all'));
}

function member({ id, name, state, lines }: Part): SafeHtml {
  const { glyph, word, ink } = stateMarks[state];
  return html`<li data-key="${id}"><button type="button" data-part="${id}"><b>${name}</b> <span class="num muted">${lines[0]}</span> <span class="state ${ink}"><span aria-hidden="true">${glyph}</span> ${word}</span></button></li>`;
}

interface Chart {
  readonly title: string;
  /** Names of lines of the history, with their labels. */
  readonly lines: readonly (readonly [line: string, label: string])[];
  readonly text: (value: number) => string;
}

function chartsOf({ kind, row }: Part): Chart[] {
  const busy: Chart = { title: 'Busy', lines: [[`busy ${row}`, 'busy']], text: percent };
  const loop: Chart = {
    title: 'Event-loop delay, p99',
    lines: [[`loop ${row}`, 'delay']],
    text: ms,
  };
  const charts: Readonly<Partial<Record<Part['kind'], readonly Chart[]>>> = {
    clients: [
      {
        title: 'Requests per second',
        lines: [
          ['answered', 'answered'],
          ['errors', 'errors'],
        ],
        text: decimal,
      },
    ],
    accept: [
      { title: 'Connections waiting', lines: [['waiting', 'waiting']], text: decimal },
      loop,
    ],
    server: [busy, loop],
    worker: [busy, loop],
    host: [busy, loop],
    funnel: [
      {
        title: 'Searches per second, of all processes',
        lines: [
          ['asked', 'asked'],
          ['loads', 'loads'],
        ],
        text: decimal,
      },
    ],
    pool: [
      {
        title: 'Tasks of all pools',
        lines: [
          ['running', 'running'],
          ['queued', 'queued'],
        ],
        text: decimal,
      },
    ],
    carrier: [{ title: 'Time, p99', lines: [[`carrier ${row}`, 'p99']], text: ms }],
  };
  return [...(charts[kind] ?? [])];
}

const [WIDE, HIGH] = [360, 72];

/** Draws two minutes; the latest values and the highest are text. */
function chartFigure({ title, lines, text }: Chart, { history }: DetailContext): SafeHtml | false {
  const drawn = lines.flatMap(([line, label]) => {
    const values = history.lines[line];
    return values === undefined ? [] : [{ label, values }];
  });
  const all = drawn.flatMap(({ values }) => values.filter((value) => value !== null));
  if (all.length === 0) return false;
  const top = Math.max(...all);
  const last = history.at.at(-1) ?? 0;
  const paths = drawn.map(({ values }) => {
    const points = values.flatMap((value, at) => {
      if (value === null) return [];
      const x = WIDE - (last - (history.at[at] ?? last)) * (WIDE / 120_000);
      return [
        `${Math.round(x * 10) / 10} ${Math.round((HIGH - 1 - (value / (top || 1)) * (HIGH - 4)) * 10) / 10}`,
      ];
    });
    return `M${points.join('L')}`;
  });
  return html`<figure class="past" data-key="${title}"><figcaption>${title}<span class="num">${drawn.map(({ label, values }) => `${label} ${text(values.findLast((value) => value !== null) ?? 0)}`).join(', ')}</span></figcaption><svg viewBox="0 0 ${WIDE} ${HIGH}" preserveAspectRatio="none" aria-hidden="true"><line x1="0" x2="${WIDE}" y1="${HIGH - 1}" y2="${HIGH - 1}"/>${paths.map((d, at) => html`<path class="c${at + 1} d${at + 1}" d="${d}"/>`)}</svg><p class="muted num">two minutes, at most ${text(top)}</p></figure>`;
}

/** Faults that a carrier can be given here; Controls have all of them. */
const FAULTS = [
  ['hang', 1, 'Never answers'],
  ['error', 0.5, 'Half fails'],
  ['drip', 1, 'Answers in pieces'],
] as const;

function actionsOf(part: Part, { view, isAsking }: DetailContext): SafeHtml | false {
  const { kind, row } = part;
  if (kind === 'carrier' && view.modes.controls === 'on') {
    const upstream = view.upstream?.find(({ id }) => id === row);
    if (upstream === undefined) {
      return html`<p class="muted">Carriers of <code>--carriers-url</code> cannot be made to fail from here.</p>`;
    }
    const fault = faultOf(upstream.plan);
    return html`<h3>Make it</h3><p class="acts">${FAULTS.map(([name, share, text]) => html`<button type="button" class="button small" data-plan="${JSON.stringify({ fault: { kind: name, share } })}">${text}</button> `)}${fault !== undefined && html`<button type="button" class="button small" data-plan="${JSON.stringify({ fault: null })}">Reset</button>`}</p>`;
  }
  const process = view.processes.find(({ id }) => id === row);
  if (process === undefined || !mayKill(process, view.modes)) return false;
  if (!isAsking) {
    return html`<h3>Kill</h3><p class="acts"><button type="button" class="button small danger" data-ask>Kill…</button></p>`;
  }
  return html`<h3>Kill</h3><div class="acts" role="group" aria-label="Kill ${row}"><p><b>Kill ${row}?</b> ${killQuestion(process, view.modes)}</p><button type="button" class="button small danger" data-confirm="${row}">Kill</button> <button type="button" class="button small" data-keep>Keep</button></div>`;
}
