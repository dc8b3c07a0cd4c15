/** Messages of the diagnostics channels, by channel. */
export interface DispatchWrappersMessages {
  /** A call is about to run in the fallback. */
  readonly 'ticketing:dispatch:fallback': FallbackMessage;
  /** A hedged call has settled. */
  readonly 'ticketing:dispatch:hedge': HedgeMessage;
}

/** A call that the first dispatcher cannot send. */
export interface FallbackMessage {
  /** Name of the first dispatcher. */
  readonly name: string;
  readonly task: string;
  /** Error of the first dispatcher. */
  readonly error: unknown;
  /** Calls that run in the fallback, with this one. */
  readonly inFlight: number;
}

/** A call that two workers had. */
export interface HedgeMessage {
  readonly name: string;
  readonly task: string;
  /** Number of the first worker. */
  readonly workerId: number;
  /** True if the second worker answered first. */
  readonly won: boolean;
}
