import type { Server } from 'node:net';
import type { ResolvedRouterOptions } from '../options/resolve-router-options.ts';
import type { Fleet } from './fleet.ts';
import type { ConnectionEvents } from './lane-events.ts';
import type { RouterCounts } from './router-counts.ts';
import type { RouterEmitter } from './router-emitter.ts';

/** What an intake works with. */
export interface IntakeParts {
  readonly options: ResolvedRouterOptions;
  readonly fleet: Fleet;
  readonly counts: RouterCounts;
  readonly emitter: RouterEmitter;
}

/** Where clients come in: what a mode of the router is. */
export interface Intake extends Partial<ConnectionEvents> {
  /** Listens for clients. */
  readonly server: Server;
  /** To be called before it listens. */
  prepare?(): Promise<void>;
  /** To be called when workers have come, gone, or become ready. */
  workersChanged(): void;
  /** Nobody is accepted any more; resolves when nothing is in the router's hand. Idempotent. */
  finish(): Promise<void>;
  /** Refuses what no worker can have got. */
  refuseWaiting(): void;
  /** Cuts off what is still in the router's hand. */
  destroy(): void;
  stats(): { readonly reading: number; readonly waiting: number };
}
