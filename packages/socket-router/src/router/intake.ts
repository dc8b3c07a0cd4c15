import type { Server } from 'node:net';
import type { ResolvedRouterOptions } from '../options/resolve-router-options.ts';
import type { ConnectionEvents } from '../placing/worker-queue.ts';
import type { Workers } from '../placing/workers.ts';
import type { RouterEmitter } from './router-emitter.ts';

/** What an intake works with. */
export interface IntakeParts {
  readonly options: ResolvedRouterOptions;
  readonly workers: Workers;
  readonly counts: RouterCounts;
  readonly emitter: RouterEmitter;
}

/** Where clients come in: what a mode of the router is. */
export interface Intake extends Partial<ConnectionEvents> {
  /** Listens for clients. */
  readonly server: Server;
  /** To be called when workers have come, gone, or become ready. */
  workersChanged(): void;
  /** No connection is accepted; resolves when the router holds none. Idempotent. */
  finish(): Promise<void>;
  /** Refuses what no worker can have got. */
  refuseWaiting(): void;
  /** Cuts off what is still in the router's hand. */
  destroy(): void;
  stats(): { readonly reading: number; readonly waiting: number };
}

/** What a router counts over its life. */
export interface RouterCounts {
  accepted: number;
  handedOver: number;
  gone: number;
  refused: number;
  rerouted: number;
}

export function createRouterCounts(): RouterCounts {
  return { accepted: 0, handedOver: 0, gone: 0, refused: 0, rerouted: 0 };
}
