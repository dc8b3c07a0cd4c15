import type { ChaosEvent, Ending, Observed } from '../../chaos/events/event.ts';
import type { NewEvent } from '../../chaos/events/event-log.ts';
import { checkInvariants } from '../../chaos/invariants/invariants.ts';
import type { ClientKind, RouteKind } from '../../chaos/load/requests.ts';
import type { SearchFacts } from '../../chaos/truth/search-facts.ts';

export const TERMS = { deadlineMs: 2000 };

/** Events at times, in the order of their times. */
export function logOf(
  ...events: readonly (readonly [atMs: number, event: NewEvent])[]
): ChaosEvent[] {
  return events
    .map(([atMs, event]) => ({ atMs, ...event }) as ChaosEvent)
    .toSorted((one, other) => one.atMs - other.atMs);
}

/** A request as its two events. */
export function request(
  { id = 1, from, to, route = 'search', client = 'kept', heldMs = 0 }: RequestSpan,
  ending: Ending,
): (readonly [number, NewEvent])[] {
  return [
    [from, { kind: 'sent', id, route, client, target: '/x' }],
    [to, { kind: 'ended', id, ending, heldMs }],
  ];
}

interface RequestSpan {
  readonly id?: number;
  readonly from: number;
  readonly to: number;
  readonly route?: RouteKind;
  readonly client?: ClientKind;
  readonly heldMs?: number;
}

/** An answer with status 200 to a search. */
export function found(facts: Partial<SearchFacts> = {}): Ending {
  const search = { complete: true, missing: [], paused: [], differences: [], ageMs: 0, ...facts };
  return { how: 'answered', status: 200, search };
}

export function answered(status: number, more: { readonly retryAfter?: string } = {}): Ending {
  return { how: 'answered', status, ...more };
}

/** A fault as its two events. */
export function fault(
  { id = 1, from, to }: { readonly id?: number; readonly from: number; readonly to: number },
  began: Omit<Extract<NewEvent, { kind: 'fault-began' }>, 'kind' | 'fault'>,
): (readonly [number, NewEvent])[] {
  return [
    [from, { kind: 'fault-began', fault: id, ...began }],
    [to, { kind: 'fault-ended', fault: id }],
  ];
}

export function state(more: Partial<Observed> = {}): Observed {
  return {
    processes: { primary: 1, server: 2 },
    descriptors: { socket: 20, pipe: 10 },
    threads: 30,
    memoryBytes: 300e6,
    files: ['a'],
    ...more,
  };
}

/** Names of the invariants that a log breaks. */
export function broken(events: readonly ChaosEvent[]): string[] {
  return [...new Set(checkInvariants(events, TERMS).map(({ invariant }) => invariant))];
}
