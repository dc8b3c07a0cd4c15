import type { OperatorView } from '../../figures/view-schema.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { isOutermost, type Rates } from '../../trends/rates.ts';

/** A row of a table: its first cell names it. */
export interface TableRow {
  /** Unique in its table, and the same for what takes its place. */
  readonly key: string;
  readonly cells: readonly (string | SafeHtml)[];
  /** Id of a process that may be killed; empty in a row of the same table that may not. */
  readonly kill?: string;
  /** For colours: `state` of a process, or `fault`. */
  readonly mark?: string | undefined;
}

type Cell = string | SafeHtml;

interface Table<Row> {
  readonly title: string;
  /** Shown where there is no row. */
  readonly none: string;
  rows(view: OperatorView): readonly Row[];
  keyOf(row: Row): string;
  markOf?(row: Row): string | undefined;
  killOf?(row: Row): string;
  /** Its cell of each row, by the title of the column. */
  readonly columns: Readonly<Record<string, (row: Row, rates: Rates) => Cell>>;
}

function table<Row>({ title, none, rows, keyOf, markOf, killOf, columns }: Table<Row>) {
  return {
    title,
    none,
    columns: Object.keys(columns),
    rows: (view: OperatorView, rates: Rates): readonly TableRow[] =>
      rows(view).map((row) => ({
        key: keyOf(row),
        cells: Object.values(columns).map((cell) => cell(row, rates)),
        ...(markOf && { mark: markOf(row) }),
        ...(killOf && { kill: killOf(row) }),
      })),
  };
}

const SCOPES = {
  process: 'in each process',
  machine: 'on the machine',
  fleet: 'in the fleet',
  shared: 'by Redis',
} as const;

/** States in which a carrier did not answer and was not late. */
const FAILED = ['error', 'rejected-busy', 'rate-limited'];

/** Returns columns of whole numbers, each titled by the name of its figure. */
function wholes<Name extends string>(...names: readonly Name[]) {
  type Figures = { readonly [N in Name]?: number | undefined };
  return Object.fromEntries(
    names.map((name) => {
      const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
      const title = words.charAt(0).toUpperCase() + words.slice(1);
      return [title, (row: Figures) => whole(row[name])];
    }),
  );
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
    rows: ({ processes, modes }) => processes.map((one) => ({ ...one, modes })),
    keyOf: ({ id }) => id,
    markOf: ({ state }) => state,
    killOf: ({ id, kind, isElsewhere, modes }) => {
      const isOwnHost = kind === 'host' && !isElsewhere;
      const isWorker =
        kind === 'task' || isOwnHost || (kind === 'server' && modes.accept !== 'single');
      return isWorker && modes.controls === 'on' ? id : '';
    },
    columns: {
      Process: (one) => {
        const thread = one.threadId === undefined ? '' : `, thread ${one.threadId}`;
        return html`<span class="depth-${depthOf(one)}">${one.id}</span> <small>${`pid ${one.pid}${thread}`}</small>`;
      },
      State: ({ state }) => state,
      'Per second': ({ id }, rates) => decimal(rates.perSecond(`requests ${id}`)),
      ...wholes('inFlight'),
      Busy: ({ utilisation }) => percent(utilisation),
      '': ({ id }, rates) => sparkline(rates.busy(id)),
      'Late p99': ({ loopP99Ms }) => ms(loopP99Ms),
      Memory: ({ memoryBytes }) => bytes(memoryBytes),
      Age: ({ ageMs }) => age(ageMs),
    },
  }),
  pools: table({
    title: 'Pools of task workers',
    none: 'No pool has reported.',
    rows: ({ pools }) => pools,
    keyOf: ({ id }) => id,
    markOf: ({ circuit }) => (circuit === 'closed' ? undefined : 'fault'),
    columns: {
      Pool: ({ id, kind }) => html`${id} <small>${kind}</small>`,
      Workers: ({ size }) => whole(size),
      ...wholes('running', 'queued'),
      'Tasks per second': ({ id }, rates) => decimal(rates.perSecond(`tasks ${id}`)),
      'Wait p50, p99': ({ id }, rates) => quantiles(rates, `wait ${id}`),
      'Run p50, p99': ({ id }, rates) => quantiles(rates, `run ${id}`),
      'Lost, killed, recycled': ({ lost, killed, recycled }) => `${lost}, ${killed}, ${recycled}`,
      Circuit: ({ circuit }) => circuit,
    },
  }),
  coalescing: table({
    title: 'Coalescing',
    none: 'Nothing is coalesced: --coalesce off.',
    rows: ({ coalesce }) =>
      [...groupedBy(coalesce, ({ name, scope }) => `${name} ${scope}`).values()].map(summed),
    keyOf: ({ name, scope }) => `${name} ${scope}`,
    columns: {
      Question: ({ name }) => name,
      Shared: ({ scope }) => SCOPES[scope],
      ...wholes('asked', 'joined', 'hits', 'led', 'inFlight'),
    },
  }),
  hosts: table({
    title: 'Hosts of the fleet',
    none: 'No host has been found.',
    rows: ({ hosts }) => hosts,
    keyOf: ({ process, fleet, id }) => `${process} ${fleet} ${id}`,
    markOf: ({ state }) => (state === 'joined' || state === 'known' ? 'ready' : state),
    columns: {
      Host: ({ name, id, revision }) =>
        html`${name} <small>${id.slice(name.length + 1)}${revision && ` ${revision}`}</small>`,
      For: ({ fleet }) => (fleet === 'tasks' ? 'tasks of carriers' : 'questions'),
      State: ({ isSelf, refused, state }) =>
        isSelf ? 'this one' : refused ? `passed over: ${refused}` : state,
      Zone: ({ zone }) => zone ?? NONE,
      'Round trip': ({ rttMs }) => ms(rttMs),
      ...wholes('credit', 'inFlight'),
      Tasks: ({ done }) => whole(done),
      'Seen by': ({ process }) => process,
    },
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
    columns: {
      Slot: ({ slot }) => `server-${slot}`,
      State: ({ state }) => state,
      ...wholes('open'),
      '': ({ open, queued, most }) => bar([open, queued], most),
      ...wholes('queued', 'handedOver', 'forwarded'),
    },
  }),
  carriers: table({
    title: 'Carriers',
    none: 'No carrier was asked.',
    rows: ({ carriers, upstream = [] }) =>
      [...groupedBy(carriers, ({ id }) => id)].map(([id, all]) => {
        const source = upstream.find((each) => each.id === id);
        return { id, all, source, fault: faultOf(source?.plan) };
      }),
    keyOf: ({ id }) => id,
    markOf: ({ fault }) => (fault === undefined ? undefined : 'fault'),
    columns: {
      Carrier: ({ id }) => id,
      'In force': ({ fault, source }) =>
        fault === undefined ? latencyOf(source?.plan) : html`<b>${fault}</b>`,
      'Calls per second': ({ id }, rates) => decimal(rates.perSecond(`calls ${id}`)),
      'p50, p99': ({ id }, rates) => quantiles(rates, `carrier ${id}`),
      Answered: ({ all }) => endsOf(all, ['ok', 'empty']),
      'No answer': ({ all }) => endsOf(all, ['timeout']),
      Failed: ({ all }) => endsOf(all, FAILED),
      'Last 10 s': ({ id }, rates) => {
        const parts = [['ok', 'empty'], ['timeout'], FAILED].map((states) =>
          total(states.map((state) => rates.recent(`state ${id} ${state}`))),
        );
        return bar(parts, Math.max(1, total(parts)));
      },
      'Open upstream': ({ source }) => whole(source?.open),
    },
  }),
};

export type TableName = keyof typeof operatorTables;

/** The most important figures, by name. */
const heads: Readonly<Record<string, (view: OperatorView, rates: Rates) => string>> = {
  'Requests per second': (_, rates) => decimal(rates.perSecond('http')),
  'In flight': ({ processes }) => {
    const servers = processes.filter(({ kind }) => kind === 'server');
    return whole(total(servers.map(({ inFlight = 0 }) => inFlight)));
  },
  p50: (_, rates) => ms(rates.quantile('http', 0.5)),
  p99: (_, rates) => ms(rates.quantile('http', 0.99)),
  'Errors per second': (_, rates) => decimal(rates.perSecond('errors')),
  'Calls saved': (view) => percent(savedOf(view)),
};
export const HEADLINES = Object.keys(heads);

/** Returns the most important figures, by name. */
export function headlines(view: OperatorView, rates: Rates): ReadonlyMap<string, string> {
  return new Map(Object.entries(heads).map(([name, read]) => [name, read(view, rates)]));
}

/** Returns the share of calls that needed no work of their own since the processes began; `undefined` before the first. */
export function savedOf(view: OperatorView): number | undefined {
  const asking = view.coalesce.filter(({ scope }) => scope === 'process');
  const leading = view.coalesce.filter(({ name, scope }) => isOutermost(view, name, scope));
  const asked = total(asking.map((row) => row.asked));
  const led = total(leading.map((row) => row.led));
  return asked === 0 ? undefined : Math.max(0, 1 - led / asked);
}

/** Says what a carrier is made to do wrong. */
export function faultOf(plan: unknown): string | undefined {
  const { fault } = Object(plan) as { fault?: { kind: string; share: number } | null };
  if (fault === undefined || fault === null) return undefined;
  return `${fault.kind}, ${fault.share === 1 ? 'every call' : `${percent(fault.share)} of calls`}`;
}

function latencyOf(plan: unknown): string {
  const { latency } = Object(plan) as {
    latency?: { kind: string; ms?: number; p50Ms?: number; p99Ms?: number };
  };
  if (latency === undefined) return '–';
  if (latency.kind === 'fixed') return `${latency.ms} ms`;
  return latency.kind === 'random' ? '0-999 ms' : `${latency.p50Ms}:${latency.p99Ms} ms`;
}

/** A bar whose parts are told by the figures beside it. */
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

/** A minute of shares, 0 to 1; the latest is told beside it. */
function sparkline(values: readonly number[]): SafeHtml {
  const points = values.map(
    (value, at) => `${60 - values.length + at},${Math.round(100 - value * 100) / 10}`,
  );
  return html`<svg class="bar spark" viewBox="0 0 60 10" preserveAspectRatio="none" aria-hidden="true"><polyline points="${points.join(' ')}"/></svg>`;
}

/** Returns how often a carrier ended in some states, in all processes. */
function endsOf(all: OperatorView['carriers'], states: readonly string[]): string {
  return whole(total(all.flatMap((one) => states.map((state) => one.states[state] ?? 0))));
}

function depthOf({ id, kind }: OperatorView['processes'][number]): number {
  return kind === 'primary' ? 0 : id.includes('/task') ? 2 : 1;
}

function groupedBy<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

function total(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0);
}

const NONE = '–';

function whole(value: number | undefined): string {
  return value === undefined ? NONE : String(Math.round(value));
}

function decimal(value: number | undefined): string {
  return value === undefined ? NONE : value.toFixed(1);
}

function percent(share: number | undefined): string {
  return share === undefined ? NONE : `${Math.round(share * 100)} %`;
}

export function ms(value: number | undefined): string {
  if (value === undefined) return NONE;
  return value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`;
}

function quantiles(rates: Rates, name: string): string {
  const [p50, p99] = [rates.quantile(name, 0.5), rates.quantile(name, 0.99)];
  return p50 === undefined ? NONE : `${ms(p50)}, ${ms(p99)}`;
}

function bytes(value: number | undefined): string {
  return value === undefined ? NONE : `${Math.round(value / 2 ** 20)} MiB`;
}

function age(value: number): string {
  const seconds = Math.round(value / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
