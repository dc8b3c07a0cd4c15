/** Messages of the diagnostics channels, by channel: each event of a router has one, and three more have no event. */
export interface SocketRouterMessages {
  /** The router itself answered a connection, or a request in mode `passthru`. */
  readonly 'ticketing:socket-router:refused': RefusedMessage;
  /** Connections that a worker had not claimed go to others. */
  readonly 'ticketing:socket-router:rerouted': ReroutedMessage;
  /** A worker has not claimed a connection within `claimTimeoutMs`. */
  readonly 'ticketing:socket-router:worker-stuck': WorkerStateMessage;
  /** A source has been asked to replace a worker. */
  readonly 'ticketing:socket-router:worker-replaced': WorkerStateMessage;
  /** A worker's process or its channel has ended. */
  readonly 'ticketing:socket-router:worker-down': WorkerStateMessage;
  /** A worker claims connections. */
  readonly 'ticketing:socket-router:worker-ready': WorkerStateMessage;
  /** Workers of some slots keep failing to start. */
  readonly 'ticketing:socket-router:circuit-open': CircuitOpenMessage;
  /** A worker has got a connection or a request. No event: it is published often. */
  readonly 'ticketing:socket-router:handed-over': HandedOver;
  /** A client left before a worker took its connection or request. */
  readonly 'ticketing:socket-router:gone': GoneMessage;
  /** The inspector of a worker listens. */
  readonly 'ticketing:socket-router:inspector-open': InspectorOpenMessage;
}

/** A connection or request that the router itself answered. */
export interface RefusedMessage {
  /** Status of the answer; 0: closed without one. */
  readonly status: number;
  readonly reason: string;
}

/** Connections that a worker had not claimed, and that go to others. */
export interface ReroutedMessage {
  /** Slot of the worker that had not claimed them. */
  readonly slot: string;
  readonly reason: 'worker-stuck' | 'worker-down' | 'declined' | 'unsent';
  /** Number of the connections. */
  readonly connections: number;
}

/** A worker of which a router reports something. */
export interface WorkerStateMessage {
  readonly slot: string;
  readonly pid: number | undefined;
}

/** Slots whose workers keep failing to start. */
export interface CircuitOpenMessage {
  readonly slots: readonly string[];
  /** Failure of the last worker. */
  readonly error: unknown;
}

/** A connection or request that a worker has got. */
export interface HandedOver {
  readonly slot: string;
  /** Kind of what a worker has got: in mode `passthru` a request. */
  readonly kind: 'connection' | 'request';
  /** Milliseconds, as in `RouterStats.claimMs`. */
  readonly ms: number;
}

/** A client that left before a worker took its connection or request. */
export interface GoneMessage {
  readonly kind: 'connection' | 'request';
}

/** A worker whose inspector listens: it may be at a breakpoint, and is not replaced. */
export interface InspectorOpenMessage extends WorkerStateMessage {
  /** Address for a debugger. */
  readonly url: string;
}
