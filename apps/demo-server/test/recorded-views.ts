import type { ServerView } from '../src/figures/view-schema.ts';
import { someView } from './story-views.ts';

type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [name: string]: Json;
}

/** Views of a real server, one a second, reduced to what its health is made of. */
export interface Recorded {
  /** Flags of the server, and when it was recorded. */
  readonly argv: readonly string[];
  readonly node: string;
  /** Bounds of all buckets. */
  readonly leMs: readonly number[];
  /** What was going on, and what had changed since the view before; the first is whole. */
  readonly views: readonly (readonly [phase: string, change: JsonObject])[];
}

/** Returns the parts of a view that health is made of. */
export function reduced({ at, modes, processes, pools, carriers, router }: ServerView): JsonObject {
  const parts = {
    at,
    modes,
    processes: processes.map(({ id, kind, pid, state, ageMs, utilisation, refused }) => ({
      id,
      kind,
      pid,
      state,
      refused,
      // What stays is written once.
      startedAt: Math.round((at - ageMs) / 500) * 500,
      utilisation: utilisation && Math.round(utilisation * 100) / 100,
    })),
    pools: pools.map(({ process, id, kind, circuit, slots, queued, size }) => ({
      process,
      id,
      kind,
      circuit,
      slots,
      queued,
      size,
    })),
    carriers: carriers.map(({ process, id, latency, http }) => {
      const counts = Object.entries(latency).map(
        ([state, times]) => [state, times.counts] as const,
      );
      return { process, id, http, latency: Object.fromEntries(counts) };
    }),
    router: router && { waiting: router.waiting, refused: router.refused },
  };
  return JSON.parse(JSON.stringify(parts)) as JsonObject;
}

/** Returns what has changed in a value; `undefined` if nothing has. Lists of another length are whole. */
export function changeOf(before: Json | undefined, now: Json): Json | undefined {
  if (!isObject(before) || !isObject(now) || lengthOf(before) !== lengthOf(now)) {
    return before === now ? undefined : now;
  }
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  const changes = [...names].flatMap((name) => {
    const value = (now as JsonObject)[name];
    const change = value === undefined ? null : changeOf((before as JsonObject)[name], value);
    return change === undefined ? [] : [[name, change] as const];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

/** Returns a value with a change. */
export function withChange(before: Json | undefined, change: Json): Json {
  if (!isObject(before) || !isObject(change) || Array.isArray(change)) return change;
  const all = { ...(before as JsonObject) };
  for (const [name, value] of Object.entries(change as JsonObject)) {
    if (value === null) delete all[name];
    else all[name] = withChange(all[name], value);
  }
  return Array.isArray(before) ? Object.values(all) : all;
}

/** Yields the views that were recorded. */
export function* viewsOf({
  views,
  leMs,
}: Recorded): Generator<readonly [phase: string, ServerView]> {
  const [pool] = someView(0).pools;
  let parts: JsonObject = {};
  for (const [phase, change] of views) {
    parts = withChange(parts, change) as JsonObject;
    const { at, modes, processes, pools, carriers, router } = parts as unknown as Reduced;
    yield [
      phase,
      someView(at, {
        modes,
        processes: processes.map((each) => ({ ...each, ageMs: at - each.startedAt })),
        carriers: carriers.map((each) => ({
          ...each,
          latency: timesOf(each.latency, leMs),
          states: totalsOf(each.latency),
        })),
        ...(router && { router: { ...router, claim: { leMs: [], counts: [], sumMs: 0 } } }),
        pools: pools.map((each) => ({ ...pool, ...each })),
      }),
    ];
  }
}

type Row<Name extends 'processes' | 'carriers'> = ServerView[Name][number];

/** A view as it is recorded. */
interface Reduced extends Pick<ServerView, 'at' | 'modes' | 'pools' | 'router'> {
  readonly processes: readonly (Row<'processes'> & { readonly startedAt: number })[];
  readonly carriers: readonly (Omit<Row<'carriers'>, 'latency' | 'states'> & {
    readonly latency: Readonly<Record<string, number[]>>;
  })[];
}

function timesOf(
  latency: Readonly<Record<string, number[]>>,
  leMs: readonly number[],
): Row<'carriers'>['latency'] {
  const named = (state: string) => ({ leMs: [...leMs], counts: latency[state] ?? [], sumMs: 0 });
  return Object.fromEntries(Object.keys(latency).map((state) => [state, named(state)]));
}

function totalsOf(latency: Readonly<Record<string, number[]>>): Row<'carriers'>['states'] {
  const totals = Object.entries(latency).map(
    ([state, counts]) => [state, counts.reduce((all, one) => all + one, 0)] as const,
  );
  return Object.fromEntries(totals);
}

function isObject(value: Json | undefined): value is JsonObject | readonly Json[] {
  return typeof value === 'object' && value !== null;
}

function lengthOf(value: JsonObject | readonly Json[]): number | undefined {
  return Array.isArray(value) ? value.length : undefined;
}
