import type { CoalescerStats } from '../coalescer.ts';

/** What the plugin adds to the app, as `app.coalesced`. */
export interface CoalescedRoutes {
  /** Counters of the plugin's coalescer: a request of a coalesced route is asked, and joined or loaded. */
  stats(): CoalescerStats;
}
