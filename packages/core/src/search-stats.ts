import type { CarrierId } from './journey.ts';
import type { CarrierState, CarrierStatus } from './search-result.ts';

/** Counters since the start. */
export interface SearchStats {
  readonly state: 'open' | 'closed';
  /** Searches in flight. */
  readonly running: number;
  /** Searches that ended with an answer of every carrier. */
  readonly complete: number;
  /** Searches that ended without some carrier's answer. */
  readonly partial: number;
  /** Searches whose caller left. */
  readonly aborted: number;
  /** How often each carrier ended in each state. */
  readonly carriers: Readonly<Record<CarrierId, Readonly<Record<SettledState, number>>>>;
}

type SettledState = Exclude<CarrierState, 'running'>;

/** The writable side of {@link SearchStats}. */
export interface SearchCounters {
  started(): void;
  settled(status: CarrierStatus): void;
  ended(how: 'complete' | 'partial' | 'aborted'): void;
  /** Searches in flight. */
  readonly running: number;
  read(state: SearchStats['state']): SearchStats;
}

export function createSearchCounters(carriers: readonly CarrierId[]): SearchCounters {
  const ends = { complete: 0, partial: 0, aborted: 0 };
  const states = new Map(carriers.map((id) => [id, noEnds()]));
  let running = 0;
  return {
    started() {
      running += 1;
    },
    settled({ carrier, state }) {
      const counts = states.get(carrier);
      if (counts && state !== 'running') counts[state] += 1;
    },
    ended(how) {
      running -= 1;
      ends[how] += 1;
    },
    get running() {
      return running;
    },
    read: (state) => ({
      state,
      running,
      ...ends,
      carriers: Object.fromEntries([...states].map(([id, counts]) => [id, { ...counts }])),
    }),
  };
}

function noEnds(): Record<SettledState, number> {
  return { ok: 0, empty: 0, timeout: 0, error: 0, cancelled: 0, 'rejected-busy': 0 };
}
