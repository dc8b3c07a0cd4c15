/** Counters since the start. Each is written where its comment says. */
export interface Counts {
  // By `calls/run-call.ts`.
  calls: number;
  succeeded: number;
  failed: number;
  left: number;
  retries: number;
  hedges: number;
  hedgesWon: number;
  firsts: number;
  success: number;
  failure: number;
  throttled: number;
  ignored: number;
  attemptTimeouts: number;
  timeouts: number;
  noBudget: number;
  abandoned: number;
  circuitOpen: number;
  rateLimited: number;
  overloaded: number;
}

export function createCounts(): Counts {
  return {
    calls: 0,
    succeeded: 0,
    failed: 0,
    left: 0,
    retries: 0,
    hedges: 0,
    hedgesWon: 0,
    firsts: 0,
    success: 0,
    failure: 0,
    throttled: 0,
    ignored: 0,
    attemptTimeouts: 0,
    timeouts: 0,
    noBudget: 0,
    abandoned: 0,
    circuitOpen: 0,
    rateLimited: 0,
    overloaded: 0,
  };
}
