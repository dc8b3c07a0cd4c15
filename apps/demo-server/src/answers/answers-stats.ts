import type { CoalescerStats } from '@ticketing/batching';
import type { CoordinatorStats, SharedLoadsStats } from '@ticketing/batching/shared';
import type { SearchStats } from '@ticketing/core';
import type { DispatcherStats } from '@ticketing/dispatch';
import type { NatsFleetStats, NatsHostStats } from '@ticketing/dispatch-nats';
import type { WormStoreStats } from '../worms/worm-store.ts';
import { ofCoalescer, perCoalescer, type SomeCoalescers } from './kinds.ts';

/** Counters of a coalescer for each question; absent where equal ones are not shared. */
export type CoalesceStats = SomeCoalescers<CoalescerStats>;

/** Returns these counters alone. */
export function coalesceStats(stats: CoalesceStats): CoalesceStats {
  return perCoalescer((name) => ofCoalescer(stats, name));
}

/** Counters where equal questions are not shared. */
export const notCoalesced: CoalesceStats = perCoalescer(() => undefined);

/** Counters of all links that answer a process's clients. */
export type AnswersStats = CoalesceStats & {
  readonly streams: StreamStats;
  /** Searches of this process. */
  readonly search: SearchStats;
  readonly worms: WormStoreStats;
  /** Figures of `--coalesce fleet`, unless the primary has them. */
  readonly keys?: FleetStats;
  /** Figures of `--coalesce shared`. */
  readonly shared?: RedisStats;
};

/** Counters of the streams of this process. */
export interface StreamStats {
  /** Streams that clients asked for. */
  readonly asked: number;
  /** Streams that joined a search in flight. */
  readonly joined: number;
  /** Searches in flight that streams follow. */
  readonly inFlight: number;
}

/** Counters of a member of the fleet that shares questions; its coalescers serve its own clients and other members. */
export type FleetStats = CoalesceStats & {
  /** Questions whose key belongs to this host, and questions that another host was asked. */
  readonly own: number;
  readonly others: number;
  /** Owners of keys that it knows. */
  readonly hosts: NatsFleetStats;
  /** Calls from other members. */
  readonly member: NatsHostStats;
  /** Calls to other members. */
  readonly dispatch: DispatcherStats;
};

/** Counters of what a process shares by Redis. */
export interface RedisStats {
  readonly coordinator: CoordinatorStats;
  /** Loads by the name of the question. */
  readonly loads: Readonly<Record<string, SharedLoadsStats>>;
}
