import type { CircuitKind } from './resilience-messages.ts';

/** State of a circuit now. */
export interface CircuitStats {
  readonly kind: CircuitKind;
  /** Milliseconds until an attempt may be let in; 0 if it may be now. */
  readonly retryAfterMs: number;
  /** Outcomes in the window, and failures among them; 0 unless the circuit is closed. */
  readonly outcomes: number;
  readonly failures: number;
  /** Times that it opened. */
  readonly opened: number;
}

/** Tokens and pauses now. */
export interface RateStats {
  /** Tokens in the bucket; `null` without a rate. */
  readonly tokens: number | null;
  /** Milliseconds that are left of a pause; 0 if there is none. */
  readonly pausedMs: number;
  /** Pauses that began. */
  readonly pauses: number;
}

/** Attempts in flight now. */
export interface ConcurrencyStats {
  /** `null`: none. */
  readonly limit: number | null;
  readonly inFlight: number;
  /** Attempts that wait for a token or a place. */
  readonly queued: number;
  /** Attempts that were given up, and whose function has not settled yet. */
  readonly abandoned: number;
}

/** Latency of the last 256 successes, in milliseconds; 0 without any. */
export interface LatencyStats {
  readonly samples: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** Counters since the start, and the present state of each part. */
export interface GuardStats {
  readonly name: string;
  readonly calls: {
    readonly begun: number;
    readonly inFlight: number;
    readonly succeeded: number;
    /** Calls that were rejected, refused ones included; the next two are counted apart. */
    readonly failed: number;
    /** Calls whose deadline passed, or whose signal aborted as its time was over. */
    readonly timedOut: number;
    /** Calls whose caller has left. */
    readonly left: number;
  };
  /** Attempts that were sent, by kind. */
  readonly attempts: { readonly first: number; readonly retry: number; readonly hedge: number };
  /** Attempts that have ended, by outcome. */
  readonly outcomes: {
    readonly success: number;
    readonly failure: number;
    readonly throttled: number;
    readonly ignored: number;
  };
  /** Attempts that were not sent, by reason. */
  readonly refused: {
    readonly circuitOpen: number;
    readonly rateLimited: number;
    readonly overloaded: number;
    /** Retries and hedges for which the budget was too low. */
    readonly noBudget: number;
  };
  readonly attemptTimeouts: number;
  readonly hedgesWon: number;
  /** `null`: off. */
  readonly circuit: CircuitStats | null;
  readonly rate: RateStats;
  readonly concurrency: ConcurrencyStats;
  /** Retries and hedges that may be sent now; `null` without both. */
  readonly budget: number | null;
  readonly latency: LatencyStats;
}
