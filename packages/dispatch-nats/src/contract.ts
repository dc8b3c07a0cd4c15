import type { MsgHdrs, NodeConnectionOptions } from '@nats-io/transport-node';
import type {
  Dispatcher,
  DrainOptions,
  DrainReport,
  PoolOptions,
  TaskMap,
} from '@ticketing/dispatch';

/**
 * What this package uses of a connection to NATS: a `NatsConnection` of `@nats-io/transport-node` has it. A host and a
 * dispatcher that are to meet need two connections, or one that is made without `noEcho`.
 */
export interface NatsLike {
  /** Of the server; `max_payload` bounds a message. */
  readonly info?: { readonly max_payload: number } | undefined;
  publish(
    subject: string,
    payload?: Uint8Array,
    options?: { reply?: string; headers?: MsgHdrs },
  ): void;
  subscribe(
    subject: string,
    options: {
      readonly queue?: string;
      readonly callback: (error: Error | null, message: NatsMessage) => void;
    },
  ): {
    unsubscribe(): void;
    /** Ends it after what was sent to it before. */
    drain(): Promise<void>;
  };
  /** Yields `disconnect`, `reconnect`, `staleConnection`, `ldm`, `close` and others. */
  status(): AsyncIterable<{ readonly type: string }>;
  flush(): Promise<void>;
  isClosed(): boolean;
  /** Whether it takes no more messages, since it is about to close. */
  isDraining?(): boolean;
  /** Resolves at its end, with the error that has ended it. */
  closed?(): Promise<unknown>;
  close(): Promise<void>;
}

/** A message as a subscription's callback gets it. */
export interface NatsMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly reply?: string | undefined;
  /** `code` 503 with no data: no subscription has the subject that a message was published to. */
  readonly headers?: Pick<MsgHdrs, 'code' | 'get'> | undefined;
}

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
  /** A connection, which is not closed by this package; or the options of one, which is. */
  readonly nats: NatsLike | NodeConnectionOptions;
  /** Names the hosts that share tasks: 1 to 32 of a-z, 0-9 and `-`. Part of every subject. */
  readonly fleet: string;
  /** Tasks that a host must have; others are passed over. Default: none. */
  readonly tasks?: readonly string[];
  readonly hosts?: {
    /** Hosts that are used at a time, 1 to 256; owners of keys come on top. Default 16. */
    readonly max?: number;
    /** Hosts of this zone come first, others when those are full. 1 to 64 characters. Default: none. */
    readonly zone?: string;
  };
  /** Milliseconds between beats, 20 to 60,000. Default 250. */
  readonly beatMs?: number;
  /** Beats without a sign of life after which a host counts as lost, 1 to 100. Default 3. */
  readonly missedBeats?: number;
  /** Bytes of a call at most, either way, 1024 to 2^30; then `ERR_TOO_LARGE`. Default 64 MiB. */
  readonly maxMessageBytes?: number;
}

/** Options of {@link serveNatsTasks}. */
export interface ServeNatsTasksOptions<M extends TaskMap> {
  /** A connection, which is not closed by this package; or the options of one, which is. */
  readonly nats: NatsLike | NodeConnectionOptions;
  /** Names the hosts that share tasks: 1 to 32 of a-z, 0-9 and `-`. */
  readonly fleet: string;
  /** Runs the tasks, in this process or in workers of its own: it bounds, isolates and kills. Not closed with the host. */
  readonly dispatcher: Dispatcher<M>;
  /** The tasks that others may run. */
  readonly tasks: readonly (keyof M & string)[];
  /** Names the host, 1 to 32 of a-z, 0-9 and `-`; 8 random characters follow. Default: the machine's name. */
  readonly hostId?: string;
  /** 1 to 64 characters. Default: none. */
  readonly zone?: string;
  /** Of the program, 1 to 64 characters: in statistics and errors. Default: none. */
  readonly revision?: string;
  /** Tasks of all dispatchers together, 1 to 1,048,576; above it calls go to other hosts. Default: 64 for each worker of `dispatcher`. */
  readonly capacity?: number;
  /** Dispatchers at most, 1 to 65,536; one more is refused. Default 256. */
  readonly maxSessions?: number;
  /** Bytes of a call at most, either way, 1024 to 2^30; then `ERR_TOO_LARGE`. Default 64 MiB. */
  readonly maxMessageBytes?: number;
  /**
   * Returns cloneable figures of the host, twice a second for each session; dispatchers have the latest as `moduleReport` of
   * the host's worker. What it throws is ignored. Default: none.
   */
  readonly report?: () => unknown;
  /** Whether programs in other languages may run tasks by plain JSON requests. Default `false`. */
  readonly json?: boolean;
  /** For tests. Default: the platform's. */
  readonly clock?: PoolOptions['clock'];
  /** For tests: 0 ≤ n < 1. Default `Math.random`. */
  readonly random?: () => number;
}

/** `cut-off`: NATS cannot be reached. `leaving`: it takes no more calls. */
export type NatsHostState = 'connecting' | 'serving' | 'leaving' | 'cut-off' | 'closed';

/** Runs tasks for dispatchers of a fleet. */
export interface NatsHost extends AsyncDisposable {
  /** `hostId`, a dot and 8 characters that are new at every start. */
  readonly id: string;
  readonly state: NatsHostState;
  /** Resolves when dispatchers can find the host. @throws the error of the first connection; DispatchError `ERR_CLOSED` */
  ready(): Promise<void>;
  stats(): NatsHostStats;
  /**
   * Leaves the fleet: dispatchers start successors elsewhere, then send nothing more; what is not done after `timeoutMs` is
   * aborted. Then closes the host, so that it no longer keeps the process alive; `dispatcher` stays open. Later calls return the
   * report of the first one.
   */
  drain(options?: DrainOptions): Promise<DrainReport>;
  /** Ends every session at once: open calls are aborted. Idempotent. */
  close(): Promise<void>;
}

/** What a host has counted since its creation. */
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
  /** Ended by their dispatcher: aborted, past their deadline, or its session ended. */
  readonly aborted: number;
  /** Sent back because the host was full. */
  readonly busy: number;
  readonly sessions: readonly NatsSessionStats[];
  /** Sessions that were opened, and those that ended for another reason than the dispatcher's own word. */
  readonly opened: number;
  readonly lost: number;
  /** Sessions that were refused, by reason. */
  readonly refused: Readonly<Record<NatsRefusal, number>>;
  /** JSON requests, if it takes them. */
  readonly json: NatsJsonStats | undefined;
}

/** JSON requests that a host has had. */
export interface NatsJsonStats {
  readonly running: number;
  /** Answered with a result. */
  readonly completed: number;
  /** Answered with an error other than 503. */
  readonly failed: number;
  /** Answered with 503. */
  readonly busy: number;
  /** Without a reply subject, so not run. */
  readonly ignored: number;
  /** Subjects that the server does not let this connection subscribe to. */
  readonly denied: readonly string[];
}

export interface NatsSessionStats {
  /** Name of the dispatcher, a dot and 8 characters that are new at every start. */
  readonly dispatcher: string;
  readonly session: number;
  readonly running: number;
  /** Calls that it may have here at a time. */
  readonly credit: number;
  readonly ageMs: number;
}

/** Why a host is passed over, or refuses a session. */
export type NatsRefusal = 'full' | 'leaving' | 'protocol' | 'v8' | 'tasks';

/** `stats().workers[].report` of a dispatcher over NATS. */
export interface NatsWorkerReport {
  /** Id of the host; undefined while the worker waits for one. */
  readonly host: string | undefined;
  readonly zone: string | undefined;
  readonly revision: string | undefined;
  /** Round trip of the last beat in milliseconds. */
  readonly rttMs: number | undefined;
  /** Calls that the host lets it have at a time. */
  readonly credit: number;
}

/**
 * What `ticketing:dispatch-nats:host` publishes. By dispatchers: a host `joined`, was `refused` (passed over), was `lost`,
 * is `leaving`; by hosts: `late`, its event loop was blocked for more than half of what counts as death. By both: the connection
 * to NATS was `closed` for good, as after the last of its attempts; a message was `unsent`, as an
 * announcement above `max_payload` of the server.
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
      /** Of the dispatcher, if it was its connection; else `host` is the id of the host. */
      readonly name: string | undefined;
      readonly host: string | undefined;
      /** Whether another connection is being made: not for one that was given. */
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
 * How a loss was seen: the server says that no subscription is there; beats are missing; the own connection broke; a message is
 * missing or malformed; the host says that it has ended the session.
 */
export type NatsLossSign =
  | 'no-responders'
  | 'silence'
  | 'disconnect'
  | 'gap'
  | 'malformed'
  | 'ended';

/** Counts of a dispatcher beyond those of every dispatcher. */
export interface NatsFleetStats {
  readonly fleet: string;
  /** Id of this dispatcher in subjects. */
  readonly id: string;
  readonly state: Extract<NatsHostState, 'connecting' | 'cut-off' | 'closed'> | 'connected';
  readonly hosts: readonly {
    readonly host: string;
    readonly zone: string | undefined;
    readonly revision: string | undefined;
    readonly capacity: number;
    readonly state: 'serving' | 'leaving' | 'silent';
    /** Why it is passed over. */
    readonly refused: NatsRefusal | undefined;
  }[];
  /** Announcements and openings that were refused, by reason. */
  readonly refused: Readonly<Record<NatsRefusal, number>>;
  readonly lost: Readonly<Record<NatsLossSign, number>>;
}

/** A dispatcher whose workers are hosts of a fleet. */
export interface NatsDispatcher<M extends TaskMap> extends Dispatcher<M> {
  /** Returns the hosts that it knows, and why it lost or passed over any. */
  fleet(): NatsFleetStats;
  /** The host that runs the calls of a key; undefined while it knows none. */
  ownerOf(key: string): string | undefined;
}
