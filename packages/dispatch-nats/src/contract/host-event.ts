/** Messages of the diagnostics channels, by channel. */
export interface DispatchNatsMessages {
  /** An event of a host or a connection. */
  readonly 'ticketing:dispatch-nats:host': NatsHostEvent;
}

/**
 * Message of the channel `ticketing:dispatch-nats:host`. Dispatchers report that a host `joined`, was `refused` (passed over), was
 * `lost` or is `leaving`; hosts report that they were `late`: their event loop was blocked for more than half of the time after
 * which a host is lost. Both report that the connection to NATS was `closed` for good, for instance after its last attempt, and
 * that a message was `unsent`, for instance an announcement above the server's `max_payload`.
 */
export type NatsHostEvent =
  | { readonly type: 'joined'; readonly name: string; readonly host: string }
  | { readonly type: 'leaving'; readonly name: string; readonly host: string }
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
      /** Name of the dispatcher whose connection it was; undefined for the connection of a host, whose id is `host`. */
      readonly name: string | undefined;
      readonly host: string | undefined;
      /** True if another connection is made; never for a connection that the user passed as `nats`. */
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
 * Sign of a loss: the server reports that there is no subscription; beats are missing; the dispatcher's connection broke; a
 * message is missing or malformed; the host has ended the session.
 */
export type NatsLossSign =
  | 'no-responders'
  | 'silence'
  | 'disconnect'
  | 'gap'
  | 'malformed'
  | 'ended';

/** Reason why a host is passed over, or refuses a session. */
export type NatsRefusal = 'full' | 'leaving' | 'protocol' | 'v8' | 'tasks';
