import type { MsgHdrs } from '@nats-io/transport-node';

/**
 * Part of a connection to NATS that this package uses; a `NatsConnection` of `@nats-io/transport-node` has it. A host and a
 * dispatcher in one process need two connections to reach each other, or one without `noEcho`.
 */
export interface NatsLike {
  /** Facts of the server; `max_payload` limits the bytes of a message. */
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
    /** Ends the subscription after the messages that were sent to it before. */
    drain(): Promise<void>;
  };
  /** Yields `disconnect`, `reconnect`, `staleConnection`, `ldm`, `close` and others. */
  status(): AsyncIterable<{ readonly type: string }>;
  flush(): Promise<void>;
  isClosed(): boolean;
  /** Returns true while the connection takes no messages because it is about to close. */
  isDraining?(): boolean;
  /** Resolves at the end of the connection, with the error that ended it. */
  closed?(): Promise<unknown>;
  close(): Promise<void>;
}

/** A message for the callback of a subscription. */
export interface NatsMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly reply?: string | undefined;
  /** Headers. `code` 503 without data: no subscription has the subject to which a message was published. */
  readonly headers?: Pick<MsgHdrs, 'code' | 'get'> | undefined;
}
