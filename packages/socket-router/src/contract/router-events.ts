/** What a router tells, by name of the event; each is published on `ticketing:socket-router:<event>` as well. */
export interface RouterEvents {
  /** A connection, or a request in mode `passthru`, was answered by the router itself; status 0 is a mere close. */
  refused: { readonly status: number; readonly reason: string };
  /** Connections that a worker had not taken are given to others. */
  rerouted: {
    readonly slot: string;
    readonly reason: 'worker-stuck' | 'worker-down' | 'declined' | 'unsent';
    readonly connections: number;
  };
  /** A worker has not taken a connection within `claimTimeoutMs`; it gets none until it answers again. */
  'worker-stuck': { readonly slot: string; readonly pid: number | undefined };
  /** A worker has taken nothing for `stuckTimeoutMs`: its source has been asked to replace it. */
  'worker-replaced': { readonly slot: string; readonly pid: number | undefined };
  /** A worker's process or its channel has ended. */
  'worker-down': { readonly slot: string; readonly pid: number | undefined };
  /** A worker takes connections: at its start, and when it answers again after it was stuck. */
  'worker-ready': { readonly slot: string; readonly pid: number | undefined };
}
