import type { OperatorEvent } from '../src/figures/operator-event.ts';
import type { Condition, History } from '../src/figures/trend-schemas.ts';
import type { OperatorView } from '../src/figures/view-schema.ts';

/** Bounds of buckets. */
export const LE = [5, 10, 100];
export const buckets = (...counts: number[]) => ({ leMs: LE, counts, sumMs: 0 });

/** A view of a server without processes, but for `parts`. */
export function someView(parts: Partial<OperatorView> = {}): OperatorView {
  const at = parts.at ?? 0;
  return {
    ...{ at, startedAt: 0, versions: { ticketing: '1', node: 'v26' } },
    modes: {
      ...{ accept: 'cluster', workers: 2, dispatch: 'fork', dispatchWorkers: 3 },
      ...{ offload: 'whole', coalesce: 'on', tls: false, controls: 'on' },
      ...{ deadlineMs: 2000, carriers: { renfe: 'Renfe', ouigo: 'Ouigo', avlo: 'Avlo' } },
    },
    ...{ processes: [], searches: [], routes: [], coalesce: [], pools: [], carriers: [] },
    ...{ fleets: [], hosts: [], coordinators: [], events: [], health: [] },
    rates: { perSecond: {}, recent: {}, p50: {}, p99: {} },
    sample: { at, lines: {} },
    ...parts,
  };
}

export function someServer(
  id: string,
  pid: number,
  more: Partial<OperatorView['processes'][number]> = {},
): OperatorView['processes'][number] {
  return { id, kind: 'server', pid, state: 'ready', ageMs: 1e6, ...more };
}

/** The guard of a carrier that was never in trouble. */
export const someGuard: NonNullable<OperatorView['carriers'][number]['guard']> = {
  ...{ circuit: 'closed', openMs: 0, pausedMs: 0, inFlight: 0, calls: 0 },
  ...{ opened: 0, pauses: 0, success: 0, failure: 0, throttled: 0, ignored: 0 },
  ...{ retries: 0, hedges: 0, refusedByCircuit: 0, refusedByRate: 0 },
};

export function someCondition(more: Partial<Condition> = {}): Condition {
  return {
    ...{ subject: 'carrier', id: 'renfe', state: 'hangs', severity: 'bad', since: 0 },
    ...{ name: 'Renfe', says: 'hangs', ...more },
  };
}

export function someEvent(more: Partial<OperatorEvent> & { readonly no: number }): OperatorEvent {
  return { at: 0, kind: 'hangs', severity: 'bad', process: '', text: 'Renfe hangs', ...more };
}

/** A sample a second up to `end`, in epoch ms. */
export function someHistory(
  end: number,
  lines: Readonly<Record<string, (second: number) => number | null>>,
  seconds = 120,
): History {
  const times = Array.from({ length: seconds }, (_, second) => second);
  return {
    at: times.map((second) => end - (seconds - 1 - second) * 1000),
    lines: Object.fromEntries(
      Object.entries(lines).map(([name, valueAt]) => [name, times.map(valueAt)]),
    ),
  };
}
