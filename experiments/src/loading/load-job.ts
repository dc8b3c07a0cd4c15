/** Job of a loader. Plain data: it goes to a process. */
export interface LoadJob {
  /** Origin of the server. */
  readonly url: string;
  /** Requests of a client follow one another; clients do not wait for each other. */
  readonly clients: number;
  /** Requests a second, sent whatever became of earlier ones, instead of `clients` that wait for their answers; GET only. */
  readonly perSecond?: number;
  /** Milliseconds during which requests are begun; all are waited for. */
  readonly ms: number;
  /** True if a client keeps its connection; false: a new one for each request. */
  readonly reuse: boolean;
  /** Paths to ask; a client draws each request's anew. */
  readonly paths: readonly string[];
  /** Probability of the paths: all alike, or by Zipf's law the n-th 1/n as likely as the first. Default uniform. */
  readonly draw?: 'uniform' | 'zipf';
  /** Bytes of a body to POST; without it GET. */
  readonly bodyBytes?: number;
  /** A header that has another value for each client. */
  readonly clientHeader?: string;
  /** Most milliseconds that an answer may take. Default 60,000. */
  readonly timeoutMs?: number;
  /** A path that is asked at a constant rate meanwhile, over a connection of its own. */
  readonly beside?: { readonly path: string; readonly perSecond: number };
}

/** Measurements of a loader. A type, so that it is a `Sample`. */
export type LoadSample = {
  /** Answers of 200 a second. */
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers of 200. */
  readonly answered: number;
  /** Other answers, and requests without any. */
  readonly failed: number;
  /** Latency of what was asked beside. */
  readonly besideP50Ms?: number;
  readonly besideP99Ms?: number;
};
