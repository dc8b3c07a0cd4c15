/** Messages of the diagnostics channels, by channel. */
export interface ResilienceMessages {
  /** A circuit changes its state. */
  readonly 'ticketing:resilience:circuit': CircuitMessage;
  /** An upstream asked for fewer calls. */
  readonly 'ticketing:resilience:pause': PauseMessage;
  /** An adaptive limit changes by a whole number. */
  readonly 'ticketing:resilience:limit': LimitMessage;
  /** A retry is sent. */
  readonly 'ticketing:resilience:retry': RetryMessage;
  /** A hedge is sent. */
  readonly 'ticketing:resilience:hedge': HedgeMessage;
}

/** State of a circuit. */
export type CircuitKind = 'closed' | 'open' | 'half-open';

/** A circuit that changes its state. */
export interface CircuitMessage {
  readonly name: string;
  readonly state: CircuitKind;
  /** State before. */
  readonly from: CircuitKind;
  /** Milliseconds until the first probe; undefined unless the state is `open`. */
  readonly openMs: number | undefined;
}

/** A pause that begins or becomes longer. */
export interface PauseMessage {
  readonly name: string;
  /** Milliseconds that are left of it. */
  readonly pauseMs: number;
  /** Error of the upstream. */
  readonly error: unknown;
}

/** A limit of attempts in flight that changes. */
export interface LimitMessage {
  readonly name: string;
  readonly limit: number;
  /** Limit before. */
  readonly from: number;
}

/** A retry that is sent. */
export interface RetryMessage {
  readonly name: string;
  /** Number of the attempt, from 2. */
  readonly attempt: number;
  /** Milliseconds that it waited after the failure. */
  readonly delayMs: number;
  /** Error of the attempt before. */
  readonly error: unknown;
}

/** A hedge that is sent. */
export interface HedgeMessage {
  readonly name: string;
  /** Number of the attempt, from 2. */
  readonly attempt: number;
  /** Milliseconds after the attempt that it accompanies. */
  readonly afterMs: number;
}
