import type { OperatorView } from '../operator/view-schema.ts';
import { html, type SafeHtml } from './frame/html.ts';
import { isOutermost, type Rates } from './rates.ts';

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

interface Table {
  readonly title: string;
  /** Shown where there is no row. */
  readonly none: string;
  readonly columns: readonly string[];
  rows(view: OperatorView, rates: Rates): readonly TableRow[];
}

const SCOPES = {
  process: 'in each process',
  machine: 'on the machine',
  fleet: 'in the fleet',
  shared: 'by Redis',
} as const;

/** States in which a carrier did not answer and was not late. */
const FAILED = ['error', 'rejected-busy', 'rate-limited'];

/** Every table of the operator's page, by the id of its section. All figures are text. */
export const operatorTables = {
  processes: {
    title: 'Processes',
    none: 'No process has reported.',
    columns: [
      'Process',
      'State',
      'Per second',
      'In flight',
      'Busy',
      '',
      'Late p99',
      'Memory',
      'Age',
    ],
    rows: ({ processes, modes }, rates) =>
      processes.map((one) => {
        const { id, kind, pid, threadId, state } = one;
        const isOwnHost = kind === 'host' && !one.isElsewhere;
        const isWorker =
          kind === 'task' || isOwnHost || (kind === 'server' && modes.accept !== 'single');
        const title = threadId === undefined ? `pid ${pid}` : `pid ${pid}, thread ${threadId}`;
        return {
          key: id,
          mark: state,
          kill: isWorker && modes.controls === 'on' ? id : '',
          cells: [
            html`<span class="depth-${depthOf(one)}">${id}</span> <small>${title}</small>`,
            state,
            decimal(rates.perSecond(`requests ${id}`)),
            whole(one.inFlight),
            percent(one.utilisation),
            sparkline(rates.busy(id)),
            ms(one.loopP99Ms),
            bytes(one.memoryBytes),
            age(one.ageMs),
          ],
        };
      }),
  },
  pools: {
    title: 'Pools of task workers',
    none: 'No pool has reported.',
    columns: [
      ...['Pool', 'Workers', 'Running', 'Queued', 'Tasks per second', 'Wait p50, p99'],
      ...['Run p50, p99', 'Lost, killed, recycled', 'Circuit'],
    ],
    rows: ({ pools }, rates) =>
      pools.map(({ id, kind, size, running, queued, lost, killed, recycled, circuit }) => ({
        key: id,
        mark: circuit === 'closed' ? undefined : 'fault',
        cells: [
          html`${id} <small>${kind}</small>`,
          whole(size),
          whole(running),
          whole(queued),
          decimal(rates.perSecond(`tasks ${id}`)),
          quantiles(rates, `wait ${id}`),
          quantiles(rates, `run ${id}`),
          `${lost}, ${killed}, ${recycled}`,
          circuit,
        ],
      })),
  },
  coalescing: {
    title: 'Coalescing',
    none: 'Nothing is coalesced: --coalesce off.',
    columns: ['Question', 'Shared', 'Asked', 'Joined', 'Hits', 'Led', 'In flight'],
    rows: ({ coalesce }) =>
      [...groupedBy(coalesce, ({ name, scope }) => `${name} ${scope}`)].map(([key, all]) => {
        const sum = (count: 'asked' | 'joined' | 'hits' | 'led' | 'inFlight'): string =>
          whole(all.reduce((sofar, one) => sofar + one[count], 0));
        return {
          key,
          cells: [
            all[0]?.name ?? '',
            SCOPES[all[0]?.scope ?? 'process'],
            ...[sum('asked'), sum('joined'), sum('hits'), sum('led'), sum('inFlight')],
          ],
        };
      }),
  },
  hosts: {
    title: 'Hosts of the fleet',
    none: 'No host has been found.',
    columns: [
      ...['Host', 'For', 'State', 'Zone', 'Round trip', 'Credit', 'In flight', 'Tasks', 'Seen by'],
    ],
    rows: ({ hosts }) =>
      hosts.map((host) => ({
        key: `${host.process} ${host.fleet} ${host.id}`,
        mark: host.state === 'joined' || host.state === 'known' ? 'ready' : host.state,
        cells: [
          html`${host.name} <small>${host.id.slice(host.name.length + 1)}${host.revision && ` ${host.revision}`}</small>`,
          host.fleet === 'tasks' ? 'tasks of carriers' : 'questions',
          host.isSelf ? 'this one' : host.refused ? `passed over: ${host.refused}` : host.state,
          host.zone ?? NONE,
          ms(host.rttMs),
          whole(host.credit),
          whole(host.inFlight),
          whole(host.done),
          host.process,
        ],
      })),
  },
  router: {
    title: 'Router',
    none: 'No router: connections reach the server processes without one.',
    columns: ['Slot', 'State', 'Open', '', 'Queued', 'Handed over', 'Forwarded'],
    rows({ router }) {
      const most = Math.max(1, ...(router?.workers ?? []).map(({ open, queued }) => open + queued));
      return (router?.workers ?? []).map((worker) => {
        const { slot, state, queued, open, handedOver, forwarded } = worker;
        return {
          key: slot,
          mark: state,
          cells: [
            `server-${slot}`,
            state,
            whole(open),
            bar([open, queued], most),
            whole(queued),
            whole(handedOver),
            whole(forwarded),
          ],
        };
      });
    },
  },
  carriers: {
    title: 'Carriers',
    none: 'No carrier was asked.',
    columns: [
      ...['Carrier', 'In force', 'Calls per second', 'p50, p99', 'Answered', 'No answer'],
      ...['Failed', 'Last 10 s', 'Open upstream'],
    ],
    rows: ({ carriers, upstream = [] }, rates) =>
      [...groupedBy(carriers, ({ id }) => id)].map(([id, all]) => {
        const count = (...states: string[]): number =>
          all.reduce(
            (sofar, one) => states.reduce((sum, state) => sum + (one.states[state] ?? 0), sofar),
            0,
          );
        const recent = (...states: string[]): number =>
          states.reduce((sum, state) => sum + rates.recent(`state ${id} ${state}`), 0);
        const source = upstream.find((each) => each.id === id);
        const fault = faultOf(source?.plan);
        const parts = [recent('ok', 'empty'), recent('timeout'), recent(...FAILED)];
        return {
          key: id,
          mark: fault === undefined ? undefined : 'fault',
          cells: [
            id,
            fault === undefined ? latencyOf(source?.plan) : html`<b>${fault}</b>`,
            decimal(rates.perSecond(`calls ${id}`)),
            quantiles(rates, `carrier ${id}`),
            whole(count('ok', 'empty')),
            whole(count('timeout')),
            whole(count(...FAILED)),
            bar(parts, Math.max(1, ...parts.map((_, at) => (at === 0 ? total(parts) : 0)))),
            whole(source?.open),
          ],
        };
      }),
  },
} satisfies Record<string, Table>;

export type TableName = keyof typeof operatorTables;

/** The most important figures, by name. */
export function headlines(view: OperatorView, rates: Rates): ReadonlyMap<string, string> {
  const servers = view.processes.filter(({ kind }) => kind === 'server');
  return new Map([
    ['Requests per second', decimal(rates.perSecond('http'))],
    ['In flight', whole(total(servers.map(({ inFlight = 0 }) => inFlight)))],
    ['p50', ms(rates.quantile('http', 0.5))],
    ['p99', ms(rates.quantile('http', 0.99))],
    ['Errors per second', decimal(rates.perSecond('errors'))],
    ['Calls saved', percent(savedOf(view))],
  ]);
}

export const HEADLINES = [
  ...['Requests per second', 'In flight', 'p50', 'p99', 'Errors per second', 'Calls saved'],
] as const;

/** Returns the share of calls that needed no work of their own since the processes began; `undefined` before the first. */
export function savedOf(view: OperatorView): number | undefined {
  const sum = (rows: OperatorView['coalesce'], of: 'asked' | 'led'): number =>
    total(rows.map((row) => row[of]));
  const asked = sum(
    view.coalesce.filter(({ scope }) => scope === 'process'),
    'asked',
  );
  const led = sum(
    view.coalesce.filter(({ name, scope }) => isOutermost(view, name, scope)),
    'led',
  );
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
