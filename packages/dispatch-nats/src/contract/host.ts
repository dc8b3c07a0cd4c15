import type { NodeConnectionOptions } from '@nats-io/transport-node';
import type {
  Dispatcher,
  DrainOptions,
  DrainReport,
  PoolOptions,
  TaskMap,
} from '@ticketing/dispatch';
import type { NatsRefusal } from './host-event.ts';
import type { NatsJsonStats, ServeNatsJson } from './json-endpoint.ts';
import type { NatsLike } from './nats-like.ts';

/** Options of {@link serveNatsTasks}. */
export interface ServeNatsTasksOptions<M extends TaskMap> {
  /** Connection that this package does not close, or the options of one that it opens and closes. */
  readonly nats: NatsLike | NodeConnectionOptions;
  /** Name of the hosts that share tasks: 1 to 32 of a-z, 0-9 and `-`. */
  readonly fleet: string;
  /** Dispatcher that runs the tasks, in this process or in workers of its own; its limits apply. Not closed with the host. */
  readonly dispatcher: Dispatcher<M>;
  /** Tasks that other machines may run. */
  readonly tasks: readonly (keyof M & string)[];
  /** Name of the host, 1 to 32 of a-z, 0-9 and `-`; 8 random characters follow it. Default: the name of the machine. */
  readonly hostId?: string;
  /** Zone of the host, 1 to 64 characters. Default: none. */
  readonly zone?: string;
  /** Revision of the program, 1 to 64 characters, for statistics and errors. Default: none. */
  readonly revision?: string;
  /** Most calls of all dispatchers together, 1 to 1,048,576; further calls go to other hosts. Default: 64 per worker of `dispatcher`. */
  readonly capacity?: number;
  /** Most sessions of dispatchers, 1 to 65,536; one more is refused. Default 256. */
  readonly maxSessions?: number;
  /** Bytes of a call at most, either way, 1024 to 2^30; then `ERR_TOO_LARGE`. Default 64 MiB. */
  readonly maxMessageBytes?: number;
  /**
   * Returns cloneable figures of the host, twice a second for each session. Dispatchers have the latest as `moduleReport` of the
   * host's worker. Errors are ignored. Default: none.
   */
  readonly report?: () => unknown;
  /** `serveJson` of `@ticketing/dispatch-nats/json`, which lets programs in other languages run the tasks. Default: none. */
  readonly json?: ServeNatsJson;
  /** Clock, for tests. Default: the clock of the platform. */
  readonly clock?: PoolOptions['clock'];
  /** Source of random numbers, 0 ≤ n < 1, for tests. Default `Math.random`. */
  readonly random?: () => number;
}

/** Runs tasks for dispatchers of a fleet. */
export interface NatsHost extends AsyncDisposable {
  /** Id of the host: `hostId`, a dot and 8 characters that are new at every start. */
  readonly id: string;
  readonly state: NatsHostState;
  /** Resolves when dispatchers can find the host. @throws the error of the first connection; DispatchError `ERR_CLOSED` */
  ready(): Promise<void>;
  stats(): NatsHostStats;
  /**
   * Leaves the fleet: dispatchers start successors elsewhere, and then send no further calls. Calls that still run after
   * `timeoutMs` are aborted. Then the host is closed, and no longer keeps the process alive; `dispatcher` stays open. Later calls
   * return the report of the first one.
   */
  drain(options?: DrainOptions): Promise<DrainReport>;
  /** Ends every session at once: open calls are aborted. Idempotent. */
  close(): Promise<void>;
}

/** State of a host. `cut-off`: NATS cannot be reached. `leaving`: the host takes no further calls. */
export type NatsHostState = 'connecting' | 'serving' | 'leaving' | 'cut-off' | 'closed';

/** Counts of a host since its creation. */
export interface NatsHostStats {
  readonly id: string;
  readonly fleet: string;
  readonly zone: string | undefined;
  readonly revision: string | undefined;
  readonly state: NatsHostState;
  readonly tasks: readonly string[];
  readonly capacity: number;
  /** Calls that run or wait in `dispatcher` now. */
  readonly running: number;
  readonly asked: number;
  readonly completed: number;
  readonly failed: number;
  /** Calls ended by their dispatcher: aborted, past their deadline, or lost with its session. */
  readonly aborted: number;
  /** Calls sent back because the host was full. */
  readonly busy: number;
  readonly sessions: readonly NatsSessionStats[];
  /** Sessions that were opened. */
  readonly opened: number;
  /** Sessions that ended without the dispatcher's own request. */
  readonly lost: number;
  /** Sessions that were refused, by reason. */
  readonly refused: Readonly<Record<NatsRefusal, number>>;
  /** Counts of JSON requests; undefined for a host that takes none. */
  readonly json: NatsJsonStats | undefined;
}

/** Figures of one session of a host. */
export interface NatsSessionStats {
  /** Id of the dispatcher: its name, a dot and 8 characters that are new at every start. */
  readonly dispatcher: string;
  readonly session: number;
  readonly running: number;
  /** Most calls that the dispatcher may have here. */
  readonly credit: number;
  readonly ageMs: number;
}
