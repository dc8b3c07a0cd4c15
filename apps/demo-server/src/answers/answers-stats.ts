import type { CoalescerStats } from '@ticketing/batching';
import type { CoordinatorStats, SharedLoadsStats } from '@ticketing/batching/shared';
import type { SearchStats } from '@ticketing/core';
import type { DispatcherStats } from '@ticketing/dispatch';
import type { NatsFleetStats, NatsHostStats } from '@ticketing/dispatch-nats';
import type { WormStoreStats } from '../worms/worm-store.ts';

/** Counters of a coalescer for each question; absent where equal ones are not shared. */
export interface CoalesceStats {
  /** Of searches. */
  readonly coalesce: CoalescerStats | undefined;
  readonly worms: { readonly coalesce: CoalescerStats | undefined };
}

/** Counters of all links that answer a process's clients. */
export interface AnswersStats extends CoalesceStats {
  readonly streams: StreamStats;
  /** Searches of this process. */
  readonly search: SearchStats;
  readonly worms: WormStoreStats & CoalesceStats['worms'];
  /** With `--coalesce fleet`, unless the primary has them. */
  readonly keys?: FleetStats;
  /** With `--coalesce shared`. */
  readonly shared?: RedisStats;
}

/** Counters of the streams of this process. */
export interface StreamStats {
  /** Streams that clients asked for. */
  readonly asked: number;
  /** Streams that joined a search in flight. */
  readonly joined: number;
  /** Searches in flight that streams follow. */
  readonly inFlight: number;
}

/** Counters of a member of the fleet that shares questions: those of coalescers are for itself and for others. */
export interface FleetStats extends CoalesceStats {
  /** Questions whose key belongs to this host, and those that others were asked. */
  readonly own: number;
  readonly others: number;
  /** Owners of keys that it knows. */
  readonly hosts: NatsFleetStats;
  /** What others ask of it. */
  readonly member: NatsHostStats;
  /** What it asks others. */
  readonly dispatch: DispatcherStats;
}

/** Counters of what a process shares by Redis. */
export interface RedisStats {
  readonly coordinator: CoordinatorStats;
  /** By the name of the question. */
  readonly loads: Readonly<Record<string, SharedLoadsStats>>;
}
