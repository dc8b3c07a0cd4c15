import type { CoalescerStats } from './coalescer.ts';

/** The counters of {@link CoalescerStats} that are not counted on the way of every call. */
export type CoalescerCounts = {
  -readonly [Name in Exclude<
    keyof CoalescerStats,
    'name' | 'asked' | 'joined' | 'inFlight' | 'unshared' | 'kept'
  >]: number;
};

export function createCoalescerCounts(): CoalescerCounts {
  return {
    loaded: 0,
    hits: 0,
    staleHits: 0,
    errorHits: 0,
    failed: 0,
    left: 0,
    aborted: 0,
    overflowed: 0,
  };
}
