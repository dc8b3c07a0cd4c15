/** Counters since the start, written by the steps of `calls/`: the comment names the file. */
export interface Counts {
  // run-call.ts
  calls: number;
  succeeded: number;
  left: number;
  timeouts: number;
  attemptTimeouts: number;
  /** Attempts that were given up, and whose function has not settled: up by attempt-ends.ts, down by run-call.ts. */
  abandoned: number;
  /** Calls that were rejected: call-ends.ts, and run-call.ts for a guard that is closed. */
  failed: number;
  // send.ts
  firsts: number;
  retries: number;
  hedges: number;
  // attempt-ends.ts
  success: number;
  failure: number;
  throttled: number;
  ignored: number;
  hedgesWon: number;
  // call-ends.ts
  circuitOpen: number;
  rateLimited: number;
  overloaded: number;
  // next-attempt.ts
  noBudget: number;
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
