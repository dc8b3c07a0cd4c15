/** What a fleet is, and what it is asked: the same for sockets and for the simulation. Times are milliseconds. */
export interface FleetSetting {
  /** Hosts that run tasks, and hosts that ask them: each has one dispatcher. */
  readonly workerHosts: number;
  readonly servingHosts: number;
  /** Tasks that a worker host runs at a time; above it calls are given back. */
  readonly capacity: number;
  /** How long a task takes: it waits, and does not compute. */
  readonly taskMs: number;
  /** Calls of all dispatchers together, evenly spread over time and dispatchers. */
  readonly callsPerSecond: number;
  /** Share of calls that may run twice, with `retries: 1`: every second call. */
  readonly idempotentShare: number;
  /** One way between two hosts, without the time of the programs. */
  readonly delayMs: number;
  readonly beatMs: number;
  readonly missedBeats: number;
  /** Between two announcements of a host, ± 30 %. */
  readonly announceMs: number;
  /** Hosts that a dispatcher has a session with at most. */
  readonly sessions: number;
  /** `timeoutMs` of each call. */
  readonly timeoutMs: number;
  /** How long is asked, and when the fault of a scenario begins. */
  readonly seconds: number;
  readonly faultAtSecond: number;
  /** How many times slower the slow host is. */
  readonly slowBy: number;
}

/** Three hosts that run tasks, two that ask: `pnpm fleet-proof` on sockets, `simulate.ts` without. 42 % of what they can do. */
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
