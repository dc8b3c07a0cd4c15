import type { ServerView } from '../figures/view-schema.ts';
import { isBusy, type SettledState } from '../search/carrier-states.ts';
import { sharedScope } from './shared-scope.ts';

/** A counter of a process, or the counts of buckets. */
export interface Reading {
  /** Id of the process that counts. */
  readonly process: string;
  readonly name: string;
  readonly counts: readonly number[];
  readonly leMs?: readonly number[];
}

/** Every counter of a view. Counters of one name are added up over all processes. */
export function* readingsOf(view: ServerView): Generator<Reading, void> {
  for (const { id, requests, refused } of view.processes) {
    if (requests !== undefined) yield { process: id, name: `requests ${id}`, counts: [requests] };
    if (refused !== undefined) yield { process: id, name: `refused ${id}`, counts: [refused] };
  }
  for (const { process, route, status, latency } of view.routes) {
    // Those who watch are no load, and watch for minutes.
    if (route.startsWith('/operator')) continue;
    yield { process, name: 'http', ...latency };
    if (status >= 500) yield { process, name: 'errors', counts: [total(latency.counts)] };
  }
  for (const { process, complete, partial, aborted } of view.searches) {
    yield { process, name: 'searches', counts: [complete + partial + aborted] };
  }
  yield* readingsOfCoalescing(view);
  for (const { process, id, completed, failed, buckets } of view.pools) {
    yield { process, name: `tasks ${id}`, counts: [completed + failed] };
    yield { process, name: `wait ${id}`, ...buckets.wait };
    yield { process, name: `run ${id}`, ...buckets.run };
  }
  for (const { process, name, done } of view.hosts) {
    if (done !== undefined) yield { process, name: `host ${name}`, counts: [done] };
  }
  if (view.router !== undefined) {
    yield { process: 'primary', name: 'claim', ...view.router.claim };
    yield { process: 'primary', name: 'refused router', counts: [view.router.refused] };
  }
  for (const { process, id, states, latency, http, guard } of view.carriers) {
    // A carrier whose circuit is open was not asked.
    const { 'circuit-open': unasked = 0 } = states;
    yield { process, name: `calls ${id}`, counts: [total(Object.values(states)) - unasked] };
    yield { process, name: `sent ${id}`, counts: [http.sent] };
    yield { process, name: `sent by ${process}`, counts: [http.sent] };
    yield { process, name: `retried ${id}`, counts: [http.retried + (guard?.retries ?? 0)] };
    for (const [state, times] of Object.entries(latency)) {
      // Refusals take no time.
      if (!isBusy({ state: state as SettledState }))
        yield { process, name: `carrier ${id}`, ...times };
      yield { process, name: `state ${id} ${state}`, counts: [total(times.counts)] };
    }
  }
}

/** Calls and loads of coalescers: of the server, of each scope, and of each process of a scope. */
function* readingsOfCoalescing(view: ServerView): Generator<Reading, void> {
  for (const { process, name, scope, asked, led, joined, hits, overflowed } of view.coalesce) {
    if (scope === 'process') yield { process, name: 'asked', counts: [asked] };
    if (scope === outerScope(view, name)) yield { process, name: 'led', counts: [led] };
    for (const part of [scope, `${scope} ${process}`]) {
      yield { process, name: `asked ${part}`, counts: [asked] };
      yield { process, name: `led ${part}`, counts: [led] };
      yield { process, name: `saved ${part}`, counts: [joined + hits] };
    }
    yield { process, name: `overflowed ${process}`, counts: [overflowed] };
  }
}

/** Scope of the coalescers whose loads are work that is done: loads of an inner one ask the outer one. */
function outerScope({ modes, coalesce }: ServerView, name: string): string {
  const scope = sharedScope(modes.coalesce) ?? 'process';
  // Streams are shared within a process alone.
  return coalesce.some((row) => row.name === name && row.scope === scope) ? scope : 'process';
}

function total(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}
