/** A router's counters and gauges. */
export interface RouterStats {
  readonly state: 'idle' | 'listening' | 'draining' | 'closed';
  /** Connections accepted. */
  readonly accepted: number;
  /** Connections whose head is being read. */
  readonly reading: number;
  /** Connections that wait for any worker, or for one that is not ready. */
  readonly waiting: number;
  /** Connections that workers took; in mode `passthru` requests that were proxied. */
  readonly handedOver: number;
  /** Clients that left before a worker took them. */
  readonly gone: number;
  readonly refused: number;
  readonly rerouted: number;
  readonly workers: readonly WorkerStats[];
}

/** One worker, as a router sees it. */
export interface WorkerStats {
  readonly slot: string;
  readonly pid: number | undefined;
  readonly state: 'starting' | 'ready' | 'stuck' | 'retired' | 'down';
  /** Connections that wait for it, with the one that is being given to it. */
  readonly queued: number;
  /** Connections that are open in it, as it last told; in mode `passthru` requests that it is answering. */
  readonly open: number;
  readonly handedOver: number;
}
