import type { AddressInfo, ListenOptions } from 'node:net';
import type { BucketCounts } from '@ticketing/kit';
import type { LeaveOptions } from './leave-options.ts';
import type {
  CircuitOpenMessage,
  RefusedMessage,
  ReroutedMessage,
  WorkerStateMessage,
} from './socket-router-messages.ts';

/** Accepts connections and hands them to workers. */
export interface SocketRouter extends AsyncDisposable {
  /**
   * Listens; connections wait until a worker is ready. Once in a router's life. With option `signals`, when a signal has closed
   * the router, it does not listen and resolves with port 0, so that the program ends with 0; `stats().state` shows it.
   *
   * @throws RouterError `ERR_STATE`, or the platform's error, such as `EADDRINUSE`
   */
  listen(options: ListenOptions): Promise<AddressInfo>;
  /**
   * Resolves when each slot has a worker that serves: before that keys would go to the workers that are there, and move when
   * the others come. Resolves also when the router is closed meanwhile, which `stats().state` shows.
   *
   * @throws RouterError `ERR_CIRCUIT_OPEN` when workers fail to start; its `cause` is the failure of the last one
   */
  ready(): Promise<void>;
  /**
   * Stops listening, hands what has arrived to workers, and lets them finish what they answer; idle connections may send one
   * more request within `lameDuckMs`. Cuts off what is left, and ends the source's processes, so that all is over within
   * `graceMs`. A second call joins the first.
   */
  close(options?: LeaveOptions): Promise<void>;
  stats(): RouterStats;
  on<E extends keyof RouterEvents>(event: E, listener: (data: RouterEvents[E]) => void): this;
  off<E extends keyof RouterEvents>(event: E, listener: (data: RouterEvents[E]) => void): this;
}

/** A router's events by name; each is published on the diagnostics channel `ticketing:socket-router:<event>` as well. */
export interface RouterEvents {
  /** The router itself answered a connection, or a request in mode `passthru`; status 0: it closed without an answer. */
  refused: RefusedMessage;
  /** Connections that a worker had not claimed go to others. */
  rerouted: ReroutedMessage;
  /** A worker has not claimed a connection within `claimTimeoutMs`; it gets none until it answers again. */
  'worker-stuck': WorkerStateMessage;
  /** A worker has claimed nothing for `stuckTimeoutMs`, or got SIGTERM: its source has been asked to replace it. */
  'worker-replaced': WorkerStateMessage;
  /** A worker's process or its channel has ended. */
  'worker-down': WorkerStateMessage;
  /** A worker claims connections: at its start, and when it answers again after it was stuck. */
  'worker-ready': WorkerStateMessage;
  /**
   * Too many workers of these slots failed to start, the last one with `error`. One is started from time to time; until it
   * serves, what would wait for these slots gets 503 at once.
   */
  'circuit-open': CircuitOpenMessage;
}

/** Emits an event of a router. */
export type EmitRouterEvent = <E extends keyof RouterEvents>(
  event: E,
  data: RouterEvents[E],
) => void;

/** A router's counters and gauges. */
export interface RouterStats {
  readonly state: 'idle' | 'listening' | 'draining' | 'closed';
  /** Connections accepted. */
  readonly accepted: number;
  /** Connections whose head is being read. */
  readonly reading: number;
  /** Connections that wait for any worker, or for one that is not ready. */
  readonly waiting: number;
  /** Connections that workers claimed; in mode `passthru` requests that were proxied. */
  readonly handedOver: number;
  /** Clients that left before a worker claimed their connection. */
  readonly gone: number;
  readonly refused: number;
  /** Requests that the router answered by `health` or an `answer` of the route. */
  readonly answered: number;
  readonly rerouted: number;
  /**
   * Milliseconds from the end of a head until a worker claimed the connection, by bucket; in mode `passthru` until
   * the request was sent to a worker, each time that it was.
   */
  readonly claimMs: BucketCounts;
  readonly workers: readonly WorkerStats[];
  /** Counts of workers that have ended: with `workers` they add up to `handedOver`. */
  readonly ended: { readonly workers: number; readonly handedOver: number };
}

/** One worker, as a router sees it. */
export interface WorkerStats extends WorkerStateMessage {
  readonly state: 'starting' | 'ready' | 'stuck' | 'retired' | 'down';
  /** Connections that wait for it, including the one being handed over. */
  readonly queued: number;
  /** Connections that are open in it, as it last reported; in mode `passthru` requests that it is answering. */
  readonly open: number;
  readonly handedOver: number;
}
