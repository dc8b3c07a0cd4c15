/** Fleet and its load, equal for sockets and for the simulation. Times are milliseconds. */
export interface FleetSetting {
  /** Hosts that run tasks, and hosts that ask them: each has one dispatcher. */
  readonly workerHosts: number;
  readonly servingHosts: number;
  /** Tasks that a worker host runs at a time; above it calls are given back. */
  readonly capacity: number;
  /** Duration of a task, which waits, and does not compute. */
  readonly taskMs: number;
  /** Calls of all dispatchers together, evenly spread over time and dispatchers. */
  readonly callsPerSecond: number;
  /** Share of calls that may run twice, with `retries: 1`: every second call. */
  readonly idempotentShare: number;
  /** Time of a message between two hosts, without the time of the programs. */
  readonly delayMs: number;
  readonly beatMs: number;
  readonly missedBeats: number;
  /** Time between two announcements of a host, ± 30 %. */
  readonly announceMs: number;
  /** Most hosts with which a dispatcher has a session. */
  readonly sessions: number;
  /** `timeoutMs` of each call. */
  readonly timeoutMs: number;
  /** Duration of the load, and the second in which the fault begins. */
  readonly seconds: number;
  readonly faultAtSecond: number;
  /** Factor by which the slow host is slower. */
  readonly slowBy: number;
}

/** Three hosts that run tasks, two that ask: `pnpm fleet-proof` on sockets, `pnpm fleet-simulation` without. 42 % of what they can do. */
export const setting5: FleetSetting = {
  workerHosts: 3,
  servingHosts: 2,
  capacity: 16,
  taskMs: 100,
  callsPerSecond: 200,
  idempotentShare: 0.5,
  delayMs: 0.1,
  beatMs: 250,
  missedBeats: 3,
  announceMs: 10_000,
  sessions: 16,
  timeoutMs: 5000,
  seconds: 20,
  faultAtSecond: 6,
  slowBy: 10,
};
