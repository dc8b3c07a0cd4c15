/** What a worker tells of the requests that it serves. Counted since its start unless said. */
export interface WorkerReport {
  /** Requests whose head has come. */
  readonly requests: number;
  /** Requests whose answer is under way. */
  readonly inFlight: number;
  /** Connections that are open. */
  readonly connections: number;
  /** Where it listens; undefined if it does not. */
  readonly address: { readonly address: string; readonly port: number } | string | undefined;
}

export const emptyReport: WorkerReport = {
  requests: 0,
  inFlight: 0,
  connections: 0,
  address: undefined,
};
