import type { History } from '../../figures/trend-schemas.ts';
import type { OperatorView } from '../../figures/view-schema.ts';
import { ANSWERED_STATES, FAILED_STATES } from '../../search/carrier-states.ts';
import { type ReadRates, ratesOf } from '../../trends/view-rates.ts';
import { carrierMark } from '../frame/carrier-mark.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { mayKill } from '../picture/kill-question.ts';
import { bytes, decimal, ms, NONE, percent, whole } from '../words/amounts.ts';
import { guardCell, guardOf } from '../words/guard-words.ts';
import { faultOf, latencyOf } from '../words/plan-words.ts';
import { processRows, shortName } from './process-rows.ts';
import { stateCell } from './state-cell.ts';

type Cell = string | SafeHtml;

/** `number`: end-aligned. `drawing`: its figure is in another column. `state`, `by`: beside the name where a row is a card. */
export type Kind = 'text' | 'number' | 'drawing' | 'state' | 'by';

/** Width of a column, in sixteenths of the text size of the page. */
type Width = 50 | 54 | 58 | 66 | 74 | 80 | 86 | 92 | 144;

/** A column of a table. */
interface Column<Row> {
  readonly title: string;
  readonly kind?: Kind;
  /** Width of the column, whatever its cells contain, so that nothing moves. The first column has what is left. Default 74. */
  readonly width?: Width;
  cell(row: Row, figures: Figures): Cell;
}

/** Figures that are in no row of a view. */
interface Figures {
  readonly rates: ReadRates;
  readonly history: History;
}

/** A row of a table: its first cell names it. */
export interface TableRow {
  /** Key that is unique in the table; a row that takes the place of another has the same key. */
  readonly key: string;
  readonly cells: readonly Cell[];
  /** Id of a process that may be killed; empty in a row of the same table that may not. */
  readonly kill?: string;
  /** State that decides the colour. */
  readonly mark?: string | undefined;
}

interface Table<Row> {
  readonly title: string;
  /** Text beside the title. */
  readonly note?: string;
  /** Shown where there is no row. */
  readonly none: string;
  rows(view: OperatorView): readonly Row[];
  keyOf(row: Row): string;
  markOf?(row: Row): string | undefined;
  killOf?(row: Row): string;
  readonly columns: readonly Column<NoInfer<Row>>[];
}

function table<Row>({ title, note, none, rows, keyOf, markOf, killOf, columns }: Table<Row>) {
  return {
    title,
    note,
    none,
    columns: columns.map(({ title: name, kind = 'text', width = 74 }) => ({
      title: name,
      kind,
      width,
    })),
    hasActions: killOf !== undefined,
    rows(view: OperatorView, history: History): readonly TableRow[] {
      const figures = { rates: ratesOf(view), history };
      return rows(view).map((row) => ({
        key: keyOf(row),
        cells: columns.map(({ cell }) => cell(row, figures)),
        ...(markOf && { mark: markOf(row) }),
        ...(killOf && { kill: killOf(row) }),
      }));
    },
  };
}

const SCOPES = {
  process: 'in each process',
  machine: 'by all processes',
  fleet: 'by all hosts of the fleet',
  shared: 'by all servers with this Redis',
} as const;

/** Returns a column of whole numbers. */
function wholes<Name extends string>(title: string, name: Name, width: Width = 74) {
  return {
    title,
    width,
    kind: 'number' as const,
    cell: (row: { readonly [N in Name]?: number | undefined }) => whole(row[name]),
  };
}

/** Returns a column of numbers. */
function numbers<Row>(title: string, cell: Column<Row>['cell'], width: Width = 74): Column<Row> {
  return { title, kind: 'number', width, cell };
}

/** Returns rows of a group as one: figures are added, texts are taken from the first. */
function summed<Row extends object>(rows: readonly Row[]): Row {
  return rows.reduce((sums, row) => {
    const added = Object.entries(row).map(([name, value]) => {
      const before = sums[name as keyof Row];
      return [
        name,
        typeof value === 'number' && typeof before === 'number' ? before + value : before,
      ];
    });
    return Object.fromEntries(added);
  });
}

/** Every table of the operator's page, by the id of its section. All figures are text. */
export const operatorTables = {
  processes: table({
    title: 'Processes',
    none: 'No process has reported.',
    rows: processRows,
    keyOf: ({ id }) => id,
    markOf: ({ state }) => state,
    killOf: ({ process, modes }) =>
      process !== undefined && mayKill(process, modes) ? process.id : '',
    columns: [
      {
        title: 'Process',
        cell: ({ id, depth, process }) => {
          const { before, name } = shortName(id, depth);
          const thread = process?.threadId === undefined ? '' : `, thread ${process.threadId}`;
          return html`<span class="tree${depth}"><span class="sr">${before}</span>${name}</span>${
            process !== undefined &&
            html` <small class="pid">${`pid ${process.pid}${thread}`}</small>`
          }`;
        },
      },
      { title: 'State', kind: 'state', width: 80, cell: ({ state }) => stateCell(state) },
      numbers('Per second', ({ id }, { rates }) => decimal(rates.perSecond(`requests ${id}`)), 80),
      numbers('In flight', ({ process }) => whole(process?.inFlight), 58),
      numbers('Busy', ({ process }) => percent(process?.utilisation), 50),
      {
        title: '2 min',
        kind: 'drawing',
        width: 66,
        cell: ({ id }, { history }) => sparkline(history, `busy ${id}`),
      },
      numbers('Loop p99', ({ process }) => ms(process?.loopP99Ms), 66),
      numbers('Memory', ({ process }) => bytes(process?.memoryBytes), 66),
    ],
  }),
  carriers: table({
    title: 'Carriers',
    note: 'last 10 s',
    none: 'No carrier was asked.',
    rows: ({ carriers, upstream = [], health, modes }) =>
      [...groupedBy(carriers, ({ id }) => id)].map(([id, all]) => ({
        id,
        name: modes.carriers[id] ?? id,
        plan: upstream.find((each) => each.id === id)?.plan,
        open: total(all.map(({ http }) => http.inFlight)),
        guard: guardOf(all),
        state: health.find((one) => one.subject === 'carrier' && one.id === id)?.state ?? 'healthy',
      })),
    keyOf: ({ id }) => id,
    markOf: ({ state }) => state,
    columns: [
      {
        title: 'Carrier',
        cell: ({ id, name }) =>
          html`<span class="state">${carrierMark(id, name, 'small')} ${name}</span>`,
      },
      { title: 'State', kind: 'state', cell: ({ state }) => stateCell(state) },
      {
        title: 'Setting',
        kind: 'by',
        width: 80,
        cell: ({ plan }) => {
          const fault = faultOf(plan);
          return fault === undefined ? latencyOf(plan) : html`<b>${fault}</b>`;
        },
      },
      {
        title: 'Guard',
        width: 144,
        cell: ({ guard }) => (guard === undefined ? NONE : guardCell(guard)),
      },
      numbers('p50, p99', ({ id }, { rates }) => quantiles(rates, `carrier ${id}`), 92),
      numbers('Answered', ({ id }, { rates }) => recent(rates, id, ANSWERED_STATES), 66),
      numbers('No answer', ({ id }, { rates }) => recent(rates, id, ['timeout']), 74),
      numbers('Failed', ({ id }, { rates }) => recent(rates, id, FAILED_STATES), 50),
      wholes('Open', 'open', 54),
    ],
  }),
  pools: table({
    title: 'Pools of task workers',
    note: 'times of the last 10 s',
    none: 'No pool has reported.',
    rows: ({ pools }) => pools,
    keyOf: ({ id }) => id,
    markOf: ({ circuit }) => (circuit === 'closed' ? undefined : 'fails'),
    columns: [
      { title: 'Pool', cell: ({ id, kind }) => html`${id} <small class="muted">${kind}</small>` },
      {
        title: 'Circuit',
        kind: 'state',
        width: 80,
        cell: ({ circuit }) =>
          html`<span class="state ${circuit === 'closed' ? 'good-ink' : 'bad-ink'}">${circuit === 'closed' ? '●' : '■'} ${circuit}</span>`,
      },
      numbers('Workers', ({ size, slots }) =>
        slots === undefined || slots === size ? whole(size) : `${size} of ${slots}`,
      ),
      wholes('Running', 'running'),
      wholes('Queued', 'queued'),
      numbers('Tasks/s', ({ id }, { rates }) => decimal(rates.perSecond(`tasks ${id}`))),
      numbers('Wait p50, p99', ({ id }, { rates }) => quantiles(rates, `wait ${id}`), 144),
      numbers('Run p50, p99', ({ id }, { rates }) => quantiles(rates, `run ${id}`), 144),
      numbers(
        'Lost, killed, recycled',
        ({ lost, killed, recycled }) => `${lost}, ${killed}, ${recycled}`,
        144,
      ),
    ],
  }),
  coalescing: table({
    title: 'Coalescing',
    note: 'since the start',
    none: 'Nothing is coalesced: --coalesce off.',
    rows: ({ coalesce }) =>
      [...groupedBy(coalesce, ({ name, scope }) => `${name} ${scope}`).values()].map(summed),
    keyOf: ({ name, scope }) => `${name} ${scope}`,
    columns: [
      { title: 'Question', cell: ({ name }) => name },
      { title: 'Shared', kind: 'by', width: 144, cell: ({ scope }) => SCOPES[scope] },
      wholes('Asked', 'asked', 58),
      wholes('Joined', 'joined', 58),
      wholes('Hits', 'hits', 58),
      wholes('Loads', 'led', 58),
      wholes('In flight', 'inFlight', 66),
    ],
  }),
  kept: table({
    title: 'Kept answers',
    note: 'of carriers, since the start',
    none: 'No process searches yet.',
    rows: ({ kept = [] }) => kept,
    keyOf: ({ process }) => process,
    columns: [
      { title: 'Process', cell: ({ process }) => process },
      wholes('Asked', 'asked', 58),
      wholes('Fresh', 'fresh', 58),
      wholes('Stale', 'stale', 58),
      wholes('Loads', 'loaded', 58),
      wholes('Failed', 'failed', 58),
      wholes('Kept', 'kept', 58),
      numbers('Size', ({ keptBytes }) => bytes(keptBytes), 66),
    ],
  }),
  hosts: table({
    title: 'Hosts of the fleet',
    none: 'No host has been found.',
    rows: ({ hosts }) => hosts,
    keyOf: ({ process, fleet, id }) => `${process} ${fleet} ${id}`,
    markOf: ({ state }) => state,
    columns: [
      {
        title: 'Host',
        cell: ({ name, id, revision }) =>
          html`${name} <small class="muted">${id.slice(name.length + 1)}${revision && ` ${revision}`}</small>`,
      },
      {
        title: 'For',
        kind: 'by',
        width: 144,
        cell: ({ fleet }) => (fleet === 'tasks' ? 'tasks of carriers' : 'questions'),
      },
      {
        title: 'State',
        kind: 'state',
        width: 80,
        cell: ({ isSelf, refused, state }) => {
          if (isSelf) return stateCell('joined', 'this one');
          return refused ? stateCell('refused', `not used: ${refused}`) : stateCell(state);
        },
      },
      { title: 'Zone', cell: ({ zone }) => zone ?? NONE },
      numbers('Round trip', ({ rttMs }) => ms(rttMs)),
      wholes('Credit', 'credit'),
      wholes('In flight', 'inFlight'),
      wholes('Tasks', 'done'),
      { title: 'Seen by', cell: ({ process }) => process },
    ],
  }),
  router: table({
    title: 'Router',
    none: 'No router: connections reach the server processes without one.',
    rows({ router }) {
      const workers = router?.workers ?? [];
      const most = Math.max(1, ...workers.map(({ open, queued }) => open + queued));
      return workers.map((worker) => ({ ...worker, most }));
    },
    keyOf: ({ slot }) => slot,
    markOf: ({ state }) => state,
    columns: [
      { title: 'Slot', cell: ({ slot }) => `server-${slot}` },
      { title: 'State', kind: 'state', width: 80, cell: ({ state }) => stateCell(state) },
      wholes('Open', 'open', 50),
      {
        title: 'Share',
        kind: 'drawing',
        cell: ({ open, queued, most }) => bar([open, queued], most),
      },
      wholes('Queued', 'queued'),
      wholes('Handed over', 'handedOver', 86),
      wholes('Forwarded', 'forwarded', 86),
    ],
  }),
};

export type TableName = keyof typeof operatorTables;

/** Draws a bar; the figures beside it have its parts as text. */
function bar(parts: readonly number[], most: number): SafeHtml {
  let x = 0;
  return html`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${parts.map(
    (part, at) => {
      const width = Math.round((part / most) * 1000) / 10;
      x += width;
      return html`<rect class="part-${at}" x="${x - width}" y="0" width="${width}" height="10"/>`;
    },
  )}</svg>`;
}

/** Draws two minutes of shares, 0 to 1; the latest is beside it as text. It has each third sample, so it changes every 3 s. */
function sparkline({ at, lines }: History, name: string): SafeHtml {
  const third = (time: number) => Math.floor(time / 3000);
  const end = third(at.at(-1) ?? 0);
  const points = (lines[name] ?? []).flatMap((value, place) => {
    const [own = 0, before = 0] = [at[place], at[place - 1]].map((time) => third(time ?? 0));
    if (value === null || own === before) return [];
    return [`${(40 + own - end) * 3} ${Math.round(170 - value * 160) / 10}`];
  });
  return html`<svg class="spark" viewBox="0 0 120 18" preserveAspectRatio="none" aria-hidden="true">${
    points.length > 1 && html`<path d="M${points.join('L')}"/>`
  }</svg>`;
}

/** Returns how often a carrier ended in some states, in the last 10 s. */
function recent(rates: ReadRates, id: string, states: readonly string[]): string {
  return whole(total(states.map((state) => rates.recent(`state ${id} ${state}`))));
}

function groupedBy<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

function total(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0);
}

/** Writes median and p99; a unit that both have is written once. */
function quantiles(rates: ReadRates, name: string): string {
  const [p50, p99] = [rates.quantile(name, 0.5), rates.quantile(name, 0.99)].map(ms);
  if (p50 === undefined || p99 === undefined || p99 === NONE) return NONE;
  const unit = p99.slice(p99.indexOf(' '));
  return p50.endsWith(unit) ? `${p50.slice(0, -unit.length)}, ${p99}` : `${p50}, ${p99}`;
}
