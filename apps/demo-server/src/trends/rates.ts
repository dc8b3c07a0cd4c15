import { rounded } from '../figures/rounded.ts';
import type { ViewRates } from '../figures/trend-schemas.ts';
import type { ServerView } from '../figures/view-schema.ts';
import { readingsOf } from './readings.ts';

/** Changes between the views of a server, whose counters only grow until their process ends. */
export interface Rates {
  /** Takes the next view. */
  add(view: ServerView): void;
  /** Returns how much a counter grew per second in the last three; `undefined` before the second view. */
  perSecond(name: string): number | undefined;
  /** Returns how much a counter grew in the last ten seconds. */
  recent(name: string): number;
  /** Returns how much a counter grew since the view before. */
  latest(name: string): number;
  /** Returns a quantile of times in the last ten seconds, in milliseconds; `undefined` if there were none. `share`: 0 to 1. */
  quantile(name: string, share: number): number | undefined;
  /** Returns how busy a process was in each view of the last minute, 0 to 1, the newest last. */
  busy(id: string): readonly number[];
  /** Returns all of it as plain data. */
  all(): ViewRates;
}

const RATE_MS = 3000;
const RECENT_MS = 10_000;
/** Views of the last minute. */
const MINUTE = 60;

/** Growth of each counter from one view to the next. */
interface Step {
  readonly at: number;
  readonly seconds: number;
  readonly grown: ReadonlyMap<string, readonly number[]>;
}

interface Sum {
  readonly counts: readonly number[];
  readonly seconds: number;
}

/** Creates rates without a view. */
export function createRates(): Rates {
  /** The latest counts by process and pid, then by name. */
  let last: ReadonlyMap<string, ReadonlyMap<string, readonly number[]>> = new Map();
  let lastAt: number | undefined;
  let steps: Step[] = [];
  const bounds = new Map<string, readonly number[]>();
  let busy = new Map<string, readonly number[]>();
  const sums = new Map<string, Sum>();

  /** Growth of a counter within a time; several readers ask for each. */
  function sumOf(name: string, withinMs: number): Sum {
    const key = `${withinMs} ${name}`;
    const known = sums.get(key);
    if (known !== undefined) return known;
    const since = (steps.at(-1)?.at ?? 0) - withinMs;
    const sum = { counts: [] as number[], seconds: 0 };
    for (const { at, seconds, grown } of steps) {
      if (at <= since) continue;
      sum.seconds += seconds;
      addTo(sum.counts, grown.get(name));
    }
    sums.set(key, sum);
    return sum;
  }

  function perSecond(name: string): number | undefined {
    const { counts, seconds } = sumOf(name, RATE_MS);
    return seconds === 0 ? undefined : total(counts) / seconds;
  }

  const recent = (name: string): number => total(sumOf(name, RECENT_MS).counts);

  function quantile(name: string, share: number): number | undefined {
    const leMs = bounds.get(name);
    return leMs && quantileOf(leMs, sumOf(name, RECENT_MS).counts, share);
  }

  return {
    add(view) {
      sums.clear();
      const now = readingsByOwner(view, bounds);
      busy = new Map(
        view.processes.map(({ id, utilisation = 0 }) => [
          id,
          [...(busy.get(id) ?? []), utilisation].slice(-MINUTE),
        ]),
      );
      const elapsedMs = lastAt === undefined ? 0 : view.at - lastAt;
      const grown = new Map<string, number[]>();
      for (const { id, pid, ageMs } of view.processes) {
        const owner = `${id} ${pid}`;
        const before = last.get(owner);
        // All that a young process has counted, it has counted since the last view.
        const isYoung = lastAt !== undefined && ageMs <= elapsedMs;
        for (const [name, counts] of now.get(owner) ?? []) {
          const change =
            before === undefined && !isYoung ? [] : growthOf(before?.get(name), counts);
          const all = grown.get(name) ?? [];
          grown.set(name, all);
          addTo(all, change);
        }
        // A silent process keeps what it had: it goes on from there.
        now.set(owner, new Map([...(before ?? []), ...(now.get(owner) ?? [])]));
      }
      // The clock was set back.
      if (elapsedMs < 0) steps = [];
      if (elapsedMs > 0) {
        steps.push({ at: view.at, seconds: elapsedMs / 1000, grown });
        steps = steps.filter(({ at }) => at > view.at - RECENT_MS);
      }
      last = now;
      lastAt = view.at;
    },
    perSecond,
    recent,
    latest: (name) => total(steps.at(-1)?.grown.get(name) ?? []),
    quantile,
    busy: (id) => busy.get(id) ?? [],
    all() {
      const names = [...new Set(steps.flatMap(({ grown }) => [...grown.keys()]))];
      const table = (read: (name: string) => number | undefined) =>
        Object.fromEntries(
          names.flatMap((name) => {
            const value = read(name);
            return value === undefined ? [] : [[name, rounded(value)] as const];
          }),
        );
      return {
        perSecond: table(perSecond),
        recent: table(recent),
        p50: table((name) => quantile(name, 0.5)),
        p99: table((name) => quantile(name, 0.99)),
      };
    },
  };
}

/** Returns how much counts grew. A count that fell is that of a successor, which began at 0. */
export function growthOf(
  before: readonly number[] | undefined,
  now: readonly number[],
): readonly number[] {
  if (before === undefined || now.some((count, at) => count < (before[at] ?? 0))) return now;
  return now.map((count, at) => count - (before[at] ?? 0));
}

/**
 * Returns a quantile of bucket counts, evenly spread within each bucket. What is above the last bound counts as that bound.
 * `undefined` for no counts.
 */
export function quantileOf(
  leMs: readonly number[],
  counts: readonly number[],
  share: number,
): number | undefined {
  const all = total(counts);
  if (all === 0) return undefined;
  let left = share * all;
  for (const [at, count] of counts.entries()) {
    const from = leMs[at - 1] ?? 0;
    const to = leMs[at] ?? from;
    if (count > 0 && left <= count) return from + (to - from) * (left / count);
    left -= count;
  }
  return leMs.at(-1);
}

function addTo(counts: number[], more: readonly number[] = []): void {
  for (let at = 0; at < more.length; at += 1) counts[at] = (counts[at] ?? 0) + (more[at] ?? 0);
}

function total(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

function readingsByOwner(
  view: ServerView,
  bounds: Map<string, readonly number[]>,
): Map<string, ReadonlyMap<string, readonly number[]>> {
  const owners = new Map(view.processes.map(({ id, pid }) => [id, `${id} ${pid}`]));
  const all = new Map<string, Map<string, number[]>>();
  for (const { process, name, counts, leMs } of readingsOf(view)) {
    const owner = owners.get(process);
    if (owner === undefined) continue;
    const byName = all.get(owner) ?? new Map<string, number[]>();
    all.set(owner, byName);
    const sum = byName.get(name) ?? [];
    byName.set(name, sum);
    addTo(sum, counts);
    if (leMs !== undefined) bounds.set(name, leMs);
  }
  return all;
}
