import type { AsyncResource } from 'node:async_hooks';
import type { Linked, LinkedList } from '@ticketing/kit';
import type { AttemptView } from './calls/attempt-view.ts';
import type { Watch, Watched } from './calls/watch.ts';
import type { Attempt } from './guard.ts';
import type { GuardClock } from './guard-clock.ts';
import type { ResolvedGuardOptions } from './guard-options.ts';
import type { Budget } from './state/budget.ts';
import type { Circuit } from './state/circuit.ts';
import type { Counts } from './state/counts.ts';
import type { Latencies } from './state/latencies.ts';
import type { Limit } from './state/limit.ts';
import type { Rate } from './state/rate.ts';

/** Everything that a guard knows. Each part is written in its own file of `state/`, calls and `counts` by the steps of `calls/`. */
export interface GuardRecord {
  readonly options: ResolvedGuardOptions;
  readonly clock: GuardClock;
  /** Undefined: off. */
  readonly circuit: Circuit | undefined;
  readonly rate: Rate;
  readonly limit: Limit;
  /** Undefined: neither retries nor hedges. */
  readonly budget: Budget | undefined;
  readonly latencies: Latencies;
  /** Attempts that wait for a token or a place, first come first served. */
  readonly line: LinkedList<Waiting>;
  readonly watch: Watch<Call>;
  readonly counts: Counts;
  /** True if attempts may begin outside of their caller's turn: then its async context is kept from the start. */
  readonly keepsContext: boolean;
  readonly events: CallEvents;
  /** Records of calls that have ended, for later ones. */
  readonly pool: Call[];
  /** True while several calls end at once: attempts in the line wait for the last of them. Written by `due` and `close()`. */
  isHeld: boolean;
  /** Written by `close()` alone. */
  isClosed: boolean;
}

/** Events of calls from outside. */
export interface CallEvents {
  /** The caller's signal has aborted. */
  leave(call: Call, reason: unknown): void;
  /** The function of an attempt has returned, or its promise is fulfilled. */
  answered(attempt: CallAttempt, value: unknown): void;
  /** The function of an attempt has thrown, or its promise is rejected. */
  failed(attempt: CallAttempt, error: unknown): void;
}

/** An attempt in the line. */
export interface Waiting extends Linked {
  readonly attempt: CallAttempt;
  /** Time at which it is refused. */
  readonly until: number;
}

/**
 * A call of `run`. The record of a call whose first attempt succeeds is used again by a later one, and with it the two functions
 * that hear of the attempt's end: most of what a call would allocate.
 */
export class Call implements Watched {
  readonly guard: GuardRecord;
  fn: (attempt: Attempt) => unknown = nothing;
  signal: AbortSignal | undefined = undefined;
  deadline: number | undefined = undefined;
  /** The deadline on the guard's clock; Infinity without one. */
  until: number = Number.POSITIVE_INFINITY;
  /** Functions of the caller's promise. */
  resolve: (value: never) => void = nothing;
  reject: (error: unknown) => void = nothing;
  /** The first attempt or the latest retry. */
  main: CallAttempt;
  hedge: CallAttempt | undefined = undefined;
  /** End of the latest attempt that failed. */
  failure: { readonly error: unknown; readonly at: number } | undefined = undefined;
  /** Time of the next attempt: a hedge while one is in flight, else a retry. Infinity: none. */
  nextAt: number = Number.POSITIVE_INFINITY;
  /** Async context of the caller, kept where attempts begin later. */
  context: AsyncResource | undefined = undefined;
  // Written by the watch.
  dueAt: number = Number.POSITIVE_INFINITY;
  place = -1;
  listening: Watched['listening'] = undefined;

  constructor(guard: GuardRecord) {
    this.guard = guard;
    this.main = new CallAttempt(this, 1, 'first');
  }

  hearAborts(): void {
    this.guard.watch.listen(this);
  }

  /** Called when the caller's signal aborts. */
  aborted(reason: unknown): void {
    this.guard.events.leave(this, reason);
  }
}

function nothing(): void {}

/** An attempt of a call. */
export class CallAttempt {
  readonly call: Call;
  readonly number: number;
  readonly kind: Attempt['kind'];
  /** `done`: it no longer counts in any part, be it settled or given up. */
  state: 'new' | 'sent' | 'done' = 'new';
  /** Its place in the line, while it waits. */
  waiting: Waiting | undefined = undefined;
  /** Time at which it was sent. */
  startedAt: number = Number.NEGATIVE_INFINITY;
  /** Generation of the circuit that let it in. */
  generation = -1;
  /** Pauses that had begun when it was sent. */
  pauses = 0;
  /** The attempt as the called function sees it. */
  view: AttemptView | undefined = undefined;
  readonly onValue: (value: unknown) => void;
  readonly onError: (error: unknown) => void;

  constructor(call: Call, number: number, kind: Attempt['kind']) {
    this.call = call;
    this.number = number;
    this.kind = kind;
    const { events } = call.guard;
    this.onValue = (value) => events.answered(this, value);
    this.onError = (error) => events.failed(this, error);
  }
}
