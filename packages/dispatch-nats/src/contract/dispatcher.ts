import type { NodeConnectionOptions } from '@nats-io/transport-node';
import type { Dispatcher, PoolOptions, TaskMap } from '@ticketing/dispatch';
import type { NatsHostState } from './host.ts';
import type { NatsLossSign, NatsRefusal } from './host-event.ts';
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

/** A dispatcher whose workers are hosts of a fleet. */
export interface NatsDispatcher<M extends TaskMap> extends Dispatcher<M> {
  /** Returns the known hosts, and the counts of hosts lost and passed over, by reason. */
  fleet(): NatsFleetStats;
  /** Returns the id of the host that runs the calls of a key; undefined while no host is known. */
  ownerOf(key: string): string | undefined;
}

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
