import type { NewEvent } from '../figures/operator-event.ts';
import type { Condition, History, Sample } from '../figures/trend-schemas.ts';
import type { OperatorView, ServerView } from '../figures/view-schema.ts';
import { type Health, healthOf, keyOf } from '../trends/health.ts';
import { createRates } from '../trends/rates.ts';
import { historyOf, sampleOf, withSample } from '../trends/sample.ts';
import { guardEvents, type OpenCircuits } from './guard-events.ts';
import type { Journal, Report } from './journal.ts';

/** Views of the whole server, one after the other, and what they come to. */
export interface Watch {
  /** Returns the latest view, at most a second old, or asks for one. */
  view(): Promise<OperatorView>;
  /** Returns the first view after a time of a view; `undefined` once it is closed. */
  next(after: number): Promise<OperatorView | undefined>;
  /** Returns the samples of the last two minutes. */
  history(): History;
  close(): Promise<void>;
}

interface WatchDependencies {
  /** Asks the processes. `isWatched`: somebody looks at the whole of it; otherwise it is for the history alone. */
  look(isWatched: boolean): Promise<Looked>;
  readonly journal: Journal;
  /** True if there is a history. */
  readonly isOn: boolean;
}

interface Looked {
  readonly view: ServerView;
  /** Events that the processes have noted. */
  readonly reports: readonly Report[];
}

const WATCHED_EVERY_MS = 1000;
/** Milliseconds between views without a viewer. docs/decisions/0042 has the cost. */
const EVERY_MS = 2000;
/** Milliseconds for which a request counts as somebody looking. */
const WATCHED_MS = 5000;
const MOST_PIDS = 500;

interface Made {
  /** True if the view was made for somebody. */
  readonly isWatched: boolean;
  /** Time of the question, monotonic. */
  readonly askedAt: number;
  readonly view: Promise<OperatorView>;
}

/** Starts to watch a server. */
export function createWatch({ look, journal, isOn }: WatchDependencies): Watch {
  const rates = createRates();
  const pids = new Map<number, string>();
  const waiters = new Set<(view: OperatorView | undefined) => void>();
  let health: Health | undefined;
  let openCircuits: OpenCircuits = new Set();
  let samples: readonly Sample[] = [];
  let latest: { readonly view: OperatorView; readonly isWatched: boolean } | undefined;
  let last: Made | undefined;
  let isMaking = false;
  let hasStarted = false;
  let watchedAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isWatched = (): boolean => performance.now() - watchedAt < WATCHED_MS;
  const isAsked = (carrier: string): boolean => rates.recent(`calls ${carrier}`) > 0;

  /** Makes a view, one at a time; whoever asks meanwhile gets the same. */
  async function make(): Promise<OperatorView> {
    if (isMaking && last !== undefined) {
      if (last.isWatched || !isWatched()) return last.view;
      await last.view.catch(() => {});
      return make();
    }
    isMaking = true;
    const view = take(isWatched()).finally(() => {
      isMaking = false;
    });
    last = { isWatched: isWatched(), askedAt: performance.now(), view };
    schedule();
    return view;
  }

  async function take(isFull: boolean): Promise<OperatorView> {
    const { view, reports } = await look(isFull);
    for (const { id, pid } of view.processes) {
      pids.delete(pid);
      pids.set(pid, id);
    }
    for (const pid of pids.keys()) if (pids.size > MOST_PIDS) pids.delete(pid);
    journal.take(reports, (pid) => pids.get(pid));
    rates.add(view);
    const sample = sampleOf(view, rates);
    samples = withSample(samples, sample);
    const before = health?.conditions;
    health = healthOf(view, rates, health);
    const { conditions } = health;
    if (!hasStarted && isComplete(view)) {
      hasStarted = true;
      journal.add(startOf(view));
    }
    const guards = guardEvents(view, openCircuits);
    openCircuits = guards.open;
    for (const event of guards.events) journal.add(event);
    const change = { at: view.at, isAsked };
    for (const event of changesOf(before ?? [], conditions, change)) journal.add(event);
    const made = { rates: rates.all(), sample, health: [...conditions], events: journal.list() };
    latest = { view: { ...view, ...made }, isWatched: isFull };
    if (isFull) release(latest.view);
    return latest.view;
  }

  function release(view: OperatorView | undefined): void {
    for (const resolve of waiters) resolve(view);
    waiters.clear();
  }

  function tick(): void {
    // What fails is tried again: a process ends, or the server stops.
    void make().then(schedule, schedule);
  }

  function schedule(): void {
    clearTimeout(timer);
    if (!isOn || isClosed) return;
    const askedAt = last?.askedAt ?? performance.now();
    const dueAt = askedAt + (isWatched() ? WATCHED_EVERY_MS : EVERY_MS);
    timer = setTimeout(tick, Math.max(0, dueAt - performance.now()));
    timer.unref();
  }

  schedule();
  return {
    async view() {
      watchedAt = performance.now();
      const isNew = last?.isWatched === true && watchedAt - last.askedAt < WATCHED_EVERY_MS;
      return isNew && last !== undefined ? last.view : make();
    },
    async next(after) {
      if (isClosed) return undefined;
      const isFirst = !isWatched();
      watchedAt = performance.now();
      if (latest?.isWatched === true && latest.view.at > after && !isFirst) return latest.view;
      const view = new Promise<OperatorView | undefined>((resolve) => waiters.add(resolve));
      if (isFirst) tick();
      else if (!isMaking) schedule();
      return view;
    },
    history: () => historyOf(samples),
    async close() {
      isClosed = true;
      clearTimeout(timer);
      release(undefined);
      await last?.view.catch(() => {});
    },
  };
}

/** Returns whether everything that is to start has started. */
function isComplete({ processes, pools }: ServerView): boolean {
  return (
    processes.every(({ state }) => state === 'ready') &&
    pools.every(({ size, slots = 0 }) => size >= slots)
  );
}

/** Returns the event of the server's start. */
function startOf({ startedAt, processes, modes }: ServerView): NewEvent {
  const count = (...kinds: readonly string[]) =>
    processes.filter(({ kind }) => kinds.includes(kind)).length;
  const [servers, workers] = [count('server'), count('task', 'thread')];
  const detail = [
    servers === 1 ? '1 server process' : `${servers} server processes`,
    ...(workers === 0
      ? []
      : [`${workers} task ${workers === 1 ? 'worker' : 'workers'}, ${modes.dispatch}`]),
  ].join(', ');
  const of = { at: startedAt, process: '', kind: 'server-started', severity: 'note' } as const;
  return { ...of, text: 'Server started', detail };
}

interface Change {
  readonly at: number;
  isAsked(carrier: string): boolean;
}

/** Returns an event for each condition that began, and one for each part whose conditions have all ended. A part that is as it should be gives none. */
function changesOf(
  before: readonly Condition[],
  after: readonly Condition[],
  { at, isAsked }: Change,
): NewEvent[] {
  const isWrong = ({ severity }: Condition): boolean => severity !== 'note';
  const had = new Set(before.filter(isWrong).map(keyOf));
  const began = after.filter((each) => isWrong(each) && !had.has(keyOf(each)));
  const ofPart = ({ subject, id }: Condition): string => `${subject} ${id}`;
  const ailing = new Set(after.filter(isWrong).map(ofPart));
  const oldestFirst = before.filter(isWrong).toSorted((one, other) => one.since - other.since);
  const well = oldestFirst.filter((each) => !ailing.has(ofPart(each)));
  const ended = new Map(well.toReversed().map((each) => [ofPart(each), each])).values();
  return [
    ...began.map((each): NewEvent => {
      const { state: kind, severity, name, says, detail } = each;
      return {
        ...partOf(each),
        at,
        kind: kind as 'hangs',
        severity: severity === 'bad' ? 'bad' : 'note',
        text: `${name} ${says}`,
        ...(detail !== undefined && { detail }),
      };
    }),
    ...[...ended].map((each): NewEvent => {
      const isUnknown = each.subject === 'carrier' && !isAsked(each.id);
      const says = isUnknown ? 'is no longer asked' : 'is well again';
      const seconds = Math.max(1, Math.round((at - each.since) / 1000));
      return {
        ...partOf(each),
        at,
        kind: 'recovered',
        severity: 'note',
        text: `${each.name} ${says}`,
        detail: `after ${seconds} s`,
      };
    }),
  ];
}

function partOf({ subject, id }: Condition): Pick<NewEvent, 'process' | 'carrier'> {
  return subject === 'carrier' ? { process: '', carrier: id } : { process: id };
}
