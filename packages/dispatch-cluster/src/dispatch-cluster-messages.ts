/** Messages of the diagnostics channels, by channel, beside the `DispatchMessages` of every dispatcher. */
export interface DispatchClusterMessages {
  /** A worker reports, twice a second at most. */
  readonly 'ticketing:dispatch-cluster:worker-report': WorkerReportMessage;
  /** A connection is dropped, because no worker took it. */
  readonly 'ticketing:dispatch-cluster:connection-dropped': ConnectionDroppedMessage;
  /** A worker is replaced, because it claimed no connection. */
  readonly 'ticketing:dispatch-cluster:worker-wedged': WorkerWedgedMessage;
}

/** Figures of one worker. */
export interface WorkerReportMessage {
  /** Name of the cluster. */
  readonly name: string;
  readonly workerId: number;
  /** Requests whose head has arrived since the worker started. */
  readonly requests: number;
  /** Requests in flight now. */
  readonly inFlight: number;
  /** Connections that are open now. */
  readonly connections: number;
}

/** A connection that no worker took. */
export interface ConnectionDroppedMessage {
  /** Name of the cluster. */
  readonly name: string;
  /** `full`: closed, because `maxWaiting` others wait. `late`: answered with 503, because it waited for `maxWaitMs`. */
  readonly reason: 'full' | 'late';
}

/** A worker that is replaced because it claimed no connection. */
export interface WorkerWedgedMessage {
  /** Name of the cluster. */
  readonly name: string;
  readonly workerId: number;
}
