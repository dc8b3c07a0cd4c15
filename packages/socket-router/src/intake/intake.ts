import type { Server } from 'node:net';
import type { Head } from '../contract/head.ts';
import type { EmitRouterEvent } from '../contract/socket-router.ts';
import type { ResolvedRouterOptions } from '../options/router-options.ts';
import type { Decision } from '../placing/decide.ts';
import type { Workers, WorkersListener } from '../placing/workers.ts';

/** Counts of a router over its life. */
export interface RouterCounts {
  accepted: number;
  handedOver: number;
  gone: number;
  answered: number;
  refused: number;
  rerouted: number;
}

/** Reports a connection or request that a worker has got. */
export type ReportHandedOver = (
  slot: string,
  kind: 'connection' | 'request',
  arrivedAt: number,
) => void;

export interface IntakeDependencies {
  readonly options: ResolvedRouterOptions;
  readonly workers: Workers;
  /** Adds to a count, 1 by default. */
  readonly count: (name: keyof RouterCounts, by?: number) => void;
  readonly emit: EmitRouterEvent;
  /** Routes by the head, which is read only if it is asked for. */
  readonly decide: (head: () => Head) => Decision;
  /** Counts and publishes; `arrivedAt` is on the machine's monotonic clock. */
  readonly handedOver: ReportHandedOver;
  /** Counts and reports an answer of the router itself; status 0: it closed without an answer. */
  readonly refused: (status: number, reason: string) => void;
}

/** Accepts clients: one implementation per mode of the router. */
export interface Intake extends WorkersListener {
  /** Listens for clients. */
  readonly server: Server;
  /** Accepts no more connections; resolves when the router holds none. `lameDuckMs`: for idle ones to send another request. */
  finish(lameDuckMs: number): Promise<void>;
  /** Refuses the connections that no worker can have got. */
  refuseWaiting(): void;
  /** Closes all connections that the router still holds. */
  destroy(): void;
  stats(): { readonly reading: number; readonly waiting: number };
}
