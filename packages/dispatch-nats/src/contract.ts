import type { NodeConnectionOptions } from '@nats-io/transport-node';
import type {
  Dispatcher,
  DrainOptions,
  DrainReport,
  PoolOptions,
  TaskMap,
} from '@ticketing/dispatch';
import type { NatsJsonStats, ServeNatsJson } from './json/json-contract.ts';
import type { NatsLike } from './nats-like.ts';

/** Options of {@link createNatsDispatcher}. */
export interface NatsDispatcherOptions
  extends Pick<
    PoolOptions,
    | 'name'
    | 'window'
    | 'maxQueue'
    | 'maxWaitMs'
    | 'abortGraceMs'
    | 'startTimeoutMs'
    | 'restart'
    | 'clock'
    | 'random'
  > {
  /** Connection that this package does not close, or the options of one that it opens and closes. */
  readonly nats: NatsLike | NodeConnectionOptions;
  /** Name of the hosts that share tasks: 1 to 32 of a-z, 0-9 and `-`. Part of every subject. */
  readonly fleet: string;
  /** Tasks that a host must have; a host without one of them is passed over. Default: none. */
  readonly tasks?: readonly string[];
  readonly hosts?: {
    /** Most hosts that are used at a time, 1 to 256; owners of keys come on top. Default 16. */
    readonly max?: number;
    /** Zone of 1 to 64 characters whose hosts get calls first; other hosts get calls when these are full. Default: none. */
    readonly zone?: string;
  };
  /** Milliseconds between beats, 20 to 60,000. Default 250. */
  readonly beatMs?: number;
  /** Beats without a sign of life after which a host is lost, 1 to 100. Default 3. */
  readonly missedBeats?: number;
  /** Bytes of a call at most, either way, 1024 to 2^30; then `ERR_TOO_LARGE`. Default 64 MiB. */
  readonly maxMessageBytes?: number;
}

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

/** State of a host. `cut-off`: NATS cannot be reached. `leaving`: the host takes no further calls. */
export type NatsHostState = 'connecting' | 'serving' | 'leaving' | 'cut-off' | 'closed';

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

/** Reason why a host is passed over, or refuses a session. */
export type NatsRefusal = 'full' | 'leaving' | 'protocol' | 'v8' | 'tasks';

/** Value of `stats().workers[].report` of a dispatcher over NATS. */
export interface NatsWorkerReport {
  /** Id of the host; undefined while the worker waits for one. */
  readonly host: string | undefined;
  readonly zone: string | undefined;
  readonly revision: string | undefined;
  /** Latest round trip of a beat in milliseconds. */
  readonly rttMs: number | undefined;
  /** Most calls that the host lets the dispatcher have. */
  readonly credit: number;
}

/**
 * Message of the channel `ticketing:dispatch-nats:host`. Dispatchers report that a host `joined`, was `refused` (passed over), was
 * `lost` or is `leaving`; hosts report that they were `late`: their event loop was blocked for more than half of the time after
 * which a host is lost. Both report that the connection to NATS was `closed` for good, for instance after its last attempt, and
 * that a message was `unsent`, for instance an announcement above the server's `max_payload`.
 */
export type NatsHostEvent =
  | { readonly type: 'joined' | 'leaving'; readonly name: string; readonly host: string }
  | {
      readonly type: 'refused';
      readonly name: string;
      readonly host: string;
      readonly reason: NatsRefusal;
    }
  | {
      readonly type: 'lost';
      readonly name: string;
      readonly host: string;
      readonly sign: NatsLossSign;
    }
  | { readonly type: 'late'; readonly host: string; readonly blockedMs: number }
  | {
      readonly type: 'closed';
      /** Name of the dispatcher whose connection it was; undefined for the connection of a host, whose id is `host`. */
      readonly name: string | undefined;
      readonly host: string | undefined;
      /** True if another connection is made; never for a connection that the user passed as `nats`. */
      readonly reconnects: boolean;
      readonly error: unknown;
    }
  | {
      readonly type: 'unsent';
      readonly name: string | undefined;
      readonly host: string | undefined;
      readonly subject: string;
      readonly bytes: number;
      readonly error: unknown;
    };

/**
 * Sign of a loss: the server reports that there is no subscription; beats are missing; the dispatcher's connection broke; a
 * message is missing or malformed; the host has ended the session.
 */
export type NatsLossSign =
  | 'no-responders'
  | 'silence'
  | 'disconnect'
  | 'gap'
  | 'malformed'
  | 'ended';

/** Counts of a dispatcher over NATS, beside the counts of every dispatcher. */
export interface NatsFleetStats {
  readonly fleet: string;
  /** Id of the dispatcher in subjects. */
  readonly id: string;
  readonly state: Extract<NatsHostState, 'connecting' | 'cut-off' | 'closed'> | 'connected';
  readonly hosts: readonly {
    readonly host: string;
    readonly zone: string | undefined;
    readonly revision: string | undefined;
    readonly capacity: number;
    readonly state: 'serving' | 'leaving' | 'silent';
    /** Reason why the host is passed over; undefined if it is not. */
    readonly refused: NatsRefusal | undefined;
  }[];
  /** Announcements and openings that were refused, by reason. */
  readonly refused: Readonly<Record<NatsRefusal, number>>;
  readonly lost: Readonly<Record<NatsLossSign, number>>;
}

/** A dispatcher whose workers are hosts of a fleet. */
export interface NatsDispatcher<M extends TaskMap> extends Dispatcher<M> {
  /** Returns the known hosts, and the counts of hosts lost and passed over, by reason. */
  fleet(): NatsFleetStats;
  /** Returns the id of the host that runs the calls of a key; undefined while no host is known. */
  ownerOf(key: string): string | undefined;
}
