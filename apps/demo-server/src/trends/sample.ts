import { rounded } from '../figures/rounded.ts';
import type { History, Sample } from '../figures/trend-schemas.ts';
import type { ServerView } from '../figures/view-schema.ts';
import type { Rates } from './rates.ts';

/** Name of a line of a chart. */
export type LineName =
  | 'answered'
  | 'errors'
  | 'asked'
  | 'loads'
  | 'p50'
  | 'p99'
  | 'in-flight'
  | 'running'
  | 'queued'
  | 'open'
  | 'waiting'
  /** Event-loop delay of a process, p99 in milliseconds. */
  | `loop ${string}`
  /** Busy share of a process, 0 to 1. */
  | `busy ${string}`
  /** Time of a carrier, p99 in milliseconds. */
  | `carrier ${string}`;

/** Milliseconds that a history holds. */
const HISTORY_MS = 120_000;
/** Most samples of a history. */
const MOST = 120;
/** Milliseconds after a sample within which another is none. They are a second apart; a view that somebody asks for comes in between. */
export const LEAST_MS = 500;
/** Processes that have lines of their own: the primary, servers and hosts before their workers. */
const MOST_PROCESSES = 100;

/** History without a sample. */
export const emptyHistory: History = { at: [], lines: {} };

/** Returns the values of all lines in a view. A value that is not known has no line. */
export function sampleOf(view: ServerView, rates: Rates): Sample {
  const { processes, pools, carriers, router, cluster, modes } = view;
  const servers = processes.filter(({ kind }) => kind === 'server');
  const isShared = modes.coalesce !== 'off';
  const values: Partial<Record<LineName, number | undefined>> = {
    answered: rates.perSecond('http'),
    errors: rates.perSecond('errors'),
    asked: rates.perSecond(isShared ? 'asked' : 'searches'),
    loads: rates.perSecond(isShared ? 'led' : 'searches'),
    p50: rates.quantile('http', 0.5),
    p99: rates.quantile('http', 0.99),
    'in-flight': total(servers.map(({ inFlight = 0 }) => inFlight)),
    running: total(pools.map(({ running }) => running)),
    queued: total(pools.map(({ queued }) => queued)),
    open: total(servers.map(({ connections = 0 }) => connections)),
    waiting: router?.waiting ?? cluster?.waiting,
  };
  for (const { id, loopP99Ms, utilisation } of withLines(processes)) {
    values[`loop ${id}`] = loopP99Ms;
    values[`busy ${id}`] = utilisation;
  }
  for (const id of new Set(carriers.map((carrier) => carrier.id))) {
    values[`carrier ${id}`] = rates.quantile(`carrier ${id}`, 0.99);
  }
  const known = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, rounded(value)] as const],
  );
  return { at: view.at, lines: Object.fromEntries(known) };
}

function withLines(processes: ServerView['processes']): ServerView['processes'] {
  const isWorker = ({ kind }: ServerView['processes'][number]) =>
    kind === 'task' || kind === 'thread';
  const first = processes.filter((each) => !isWorker(each));
  return [...first, ...processes.filter(isWorker)].slice(0, MOST_PROCESSES);
}

/** Returns samples as columns. */
export function historyOf(samples: readonly Sample[]): History {
  const names = new Set(samples.flatMap(({ lines }) => Object.keys(lines)));
  const columns = [...names].map(
    (name) => [name, samples.map(({ lines }) => lines[name] ?? null)] as const,
  );
  return { at: samples.map(({ at }) => at), lines: Object.fromEntries(columns) };
}

/** Returns the samples of the last two minutes: all of `samples` that are not too old, and one more if it is not too early. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1);
  // The clock was set back.
  if (last !== undefined && sample.at < last.at - HISTORY_MS) return [sample];
  if (last !== undefined && sample.at < last.at + LEAST_MS) return samples;
  return [...samples, sample].filter(({ at }) => at > sample.at - HISTORY_MS).slice(-MOST);
}

/** Returns a history with one more sample, and without samples older than two minutes. One that comes too early changes nothing. */
export function addSample(history: History, sample: Sample): History {
  const { at, lines } = history;
  const last = at.at(-1) ?? Number.NEGATIVE_INFINITY;
  // The clock was set back.
  const isBack = sample.at < last - HISTORY_MS;
  if (!isBack && sample.at < last + LEAST_MS) return history;
  const old = at.filter((time) => isBack || time <= sample.at - HISTORY_MS).length;
  const from = Math.max(old, at.length + 1 - MOST);
  const none = at.map(() => null);
  const names = new Set([...Object.keys(lines), ...Object.keys(sample.lines)]);
  const columns = [...names].flatMap((name) => {
    const column = [...(lines[name] ?? none).slice(from), sample.lines[name] ?? null];
    return column.every((value) => value === null) ? [] : [[name, column] as const];
  });
  return { at: [...at.slice(from), sample.at], lines: Object.fromEntries(columns) };
}

function total(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0);
}
