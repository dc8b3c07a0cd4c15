import type { Clock, RunOptions } from '@ticketing/dispatch';
import type { NatsLike } from './nats-like.ts';

/** Serves tasks by JSON for a host: the option `json` of `serveNatsTasks`. */
export type ServeNatsJson = (options: NatsJsonOptions) => NatsJsonEndpoint;

/** Facts and limits of a host, for its JSON endpoint. */
export interface NatsJsonOptions {
  readonly fleet: string;
  readonly host: {
    readonly id: string;
    readonly zone?: string | undefined;
    readonly revision?: string | undefined;
  };
  readonly tasks: readonly string[];
  /** Runs a task. Must settle soon after its signal has aborted, as `run` of a dispatcher does. */
  readonly run: (task: string, input: unknown, options: RunOptions) => Promise<unknown>;
  /** Most requests in progress; one more is answered with 503. May change. */
  readonly capacity: number;
  /** Most bytes of a request. The server's `max_payload` also limits requests, and answers. */
  readonly maxMessageBytes: number;
  readonly clock: Clock;
}

/** Endpoint by which callers of any language run tasks with JSON. */
export interface NatsJsonEndpoint {
  stats(): NatsJsonStats;
  /** Takes requests of a connection, and sends the answers that waited for one. */
  connected(nats: Pick<NatsLike, 'publish' | 'subscribe' | 'info'>): void;
  /** Aborts all running requests, because an answer could get lost. Their callers get a 503 at `connected`. */
  disconnected(): void;
  /** Takes no further requests, and resolves when the requests in progress are answered. */
  drain(): Promise<void>;
  /** Takes no further requests, and resolves when the requests in progress are aborted and answered with 503. Idempotent. */
  close(): Promise<void>;
}

/** Counts of a host's JSON requests. */
export interface NatsJsonStats {
  readonly running: number;
  /** Requests answered with a result. */
  readonly completed: number;
  /** Requests answered with an error other than 503. */
  readonly failed: number;
  /** Requests answered with 503. */
  readonly busy: number;
  /** Requests without a reply subject, which are not run. */
  readonly ignored: number;
  /** Subjects to which the server does not let this connection subscribe. */
  readonly denied: readonly string[];
}
