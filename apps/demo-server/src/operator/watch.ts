import type { NewEvent } from '../figures/operator-event.ts';
import type { Condition, History } from '../figures/trend-schemas.ts';
import type { OperatorView, ServerView } from '../figures/view-schema.ts';
import { type Health, healthOf, keyOf } from '../trends/health.ts';
import { createRates } from '../trends/rates.ts';
import { addSample, emptyHistory, sampleOf } from '../trends/sample.ts';
import type { Journal } from './journal.ts';

/** Views of the whole server, one a second, and what they come to. */
export interface Watch {
  /** Returns the latest view, at most a second old, or asks for one. */
  view(): Promise<OperatorView>;
  /** Returns the first view after a time of a view; `undefined` once it is closed. */
  next(after: number): Promise<OperatorView | undefined>;
  /** Returns the samples of the last two minutes. */
  history(): History;
  /** Id that a process of the latest views has, or had. */
  idOf(pid: number): string | undefined;
  close(): Promise<void>;
}

interface WatchDependencies {
  /** Asks the processes. `isWatched`: somebody looks at the whole of it. */
  look(isWatched: boolean): Promise<ServerView>;
  readonly journal: Journal;
  /** Whether views are made when nobody looks. */
  readonly isOn: boolean;
}

const EVERY_MS = 1000;
/** Whoever looks is taken to look for this time. */
const WATCHED_MS = 5000;
const MOST_PIDS = 500;

/** Starts to watch a server. */
export function createWatch({ look, journal, isOn }: WatchDependencies): Watch {
  const rates = createRates();
  const pids = new Map<number, string>();
  const waiters = new Set<(view: OperatorView | undefined) => void>();
  let health: Health | undefined;
  let history = emptyHistory;
  let latest: OperatorView | undefined;
  let making: Promise<OperatorView> | undefined;
  let startedAt = Number.NEGATIVE_INFINITY;
  let watchedAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isWatched = (): boolean => performance.now() - watchedAt < WATCHED_MS;

  function make(): Promise<OperatorView> {
    startedAt = performance.now();
    making ??= take().finally(() => {
      making = undefined;
    });
    return making;
  }

  async function take(): Promise<OperatorView> {
    const view = await look(isWatched());
    for (const { id, pid } of view.processes) {
      pids.delete(pid);
      pids.set(pid, id);
    }
    for (const pid of pids.keys()) if (pids.size > MOST_PIDS) pids.delete(pid);
    rates.add(view);
    const sample = sampleOf(view, rates);
    history = addSample(history, sample);
    const before = health?.conditions ?? [];
    health = healthOf(view, rates, health);
    const { conditions } = health;
    for (const event of changesOf(before, conditions, { at: view.at, isAsked })) journal.add(event);
    const events = journal.list();
    latest = { ...view, rates: rates.all(), sample, health: [...conditions], events };
    for (const resolve of waiters) resolve(latest);
    waiters.clear();
    return latest;
  }

  const isAsked = (carrier: string): boolean => rates.recent(`calls ${carrier}`) > 0;

  function tick(): void {
    // What fails is tried again: a process that ends, or a server that stops.
    void make().catch(() => {});
    schedule();
  }

  function schedule(): void {
    clearTimeout(timer);
    if (isClosed || (!isOn && waiters.size === 0)) return;
    timer = setTimeout(tick, Math.max(0, startedAt + EVERY_MS - performance.now()));
    timer.unref();
  }

  schedule();
  return {
    async view() {
      const isNew = isWatched() && performance.now() - startedAt < EVERY_MS;
      watchedAt = performance.now();
      return isNew && latest !== undefined ? latest : make();
    },
    async next(after) {
      watchedAt = performance.now();
      if (isClosed) return undefined;
      if (latest !== undefined && latest.at > after) return latest;
      return new Promise((resolve) => {
        waiters.add(resolve);
        if (making === undefined) schedule();
      });
    },
    history: () => history,
    idOf: (pid) => pids.get(pid),
    async close() {
      isClosed = true;
      clearTimeout(timer);
      for (const resolve of waiters) resolve(undefined);
      waiters.clear();
      await making?.catch(() => {});
    },
  };
}

interface Change {
  readonly at: number;
  isAsked(carrier: string): boolean;
}

/** Returns an event for each condition that began or ended. Those that are as they should be are none. */
function changesOf(
  before: readonly Condition[],
  after: readonly Condition[],
  { at, isAsked }: Change,
): NewEvent[] {
  const keys = (all: readonly Condition[]) => new Set(all.map(keyOf));
  const [had, has] = [keys(before), keys(after)];
  const isNote = ({ severity }: Condition): boolean => severity === 'note';
  const began = after.filter((each) => !isNote(each) && !had.has(keyOf(each)));
  const ended = before.filter((each) => !isNote(each) && !has.has(keyOf(each)));
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
    ...ended.map((each): NewEvent => {
      const isUnknown = each.subject === 'carrier' && !isAsked(each.id);
      const says = isUnknown ? 'is no longer asked' : 'is well again';
      const seconds = Math.max(1, Math.round((at - each.since) / 1000));
      return {
        ...partOf(each),
        ...{ at, kind: 'recovered', severity: 'note', text: `${each.name} ${says}` },
        detail: `${each.says} for ${seconds} s`,
      };
    }),
  ];
}

function partOf({ subject, id }: Condition): Pick<NewEvent, 'process' | 'carrier'> {
  return subject === 'carrier' ? { process: '', carrier: id } : { process: id };
}
