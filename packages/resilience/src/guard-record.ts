import type { AsyncResource } from 'node:async_hooks';
import type { Linked, LinkedList } from '@ticketing/kit';
import type { Watch, Watched } from './calls/watch.ts';
import type { Attempt, RunOptions } from './guard.ts';
import type { GuardClock } from './guard-clock.ts';
import type { ResolvedGuardOptions } from './guard-options.ts';
import type { Budget } from './state/budget.ts';
import type { Circuit } from './state/circuit.ts';
import type { Counts } from './state/counts.ts';
import type { Latencies } from './state/latencies.ts';
import type { Limit } from './state/limit.ts';
import type { Rate } from './state/rate.ts';

/** Everything that a guard knows. Each part is written in its own file, `counts` and the calls in `calls/run-call.ts`. */
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
  /** Ends a call whose caller has left. */
  readonly leave: (call: Call, reason: unknown) => void;
  /** Written by `close()` alone. */
  isClosed: boolean;
}

/** An attempt in the line. */
export interface Waiting extends Linked {
  readonly attempt: CallAttempt;
  /** Time at which it is refused. */
  readonly until: number;
}

/** A call of `run` that has not settled. */
export class Call implements Watched {
  readonly guard: GuardRecord;
  readonly fn: (attempt: Attempt) => unknown;
  readonly signal: AbortSignal | undefined;
  readonly deadline: number | undefined;
  /** The deadline on the guard's clock; Infinity without one. */
  readonly until: number;
  /** Functions of the caller's promise. */
  resolve: (value: never) => void = nothing;
  reject: (error: unknown) => void = nothing;
  /** The first attempt or the latest retry. */
  main: CallAttempt | undefined = undefined;
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

  constructor(
    guard: GuardRecord,
    fn: (attempt: Attempt) => unknown,
    { signal, deadline }: RunOptions,
    until: number,
  ) {
    this.guard = guard;
    this.fn = fn;
    this.signal = signal;
    this.deadline = deadline;
    this.until = until;
  }

  /** Called when the caller's signal aborts. */
  aborted(reason: unknown): void {
    this.guard.leave(this, reason);
  }
}

function nothing(): void {}

/** An attempt of a call. */
export class CallAttempt implements Attempt {
  readonly call: Call;
  readonly number: number;
  readonly kind: Attempt['kind'];
  /** `done`: it no longer counts in any part, be it settled or given up. */
  state: 'new' | 'sent' | 'done' = 'new';
  /** Its place in the line, while it waits. */
  waiting: Waiting | undefined = undefined;
  /** Time at which it was sent. */
  startedAt = 0;
  /** Generation of the circuit that let it in. */
  generation = -1;
  /** Pauses that had begun when it was sent. */
  pauses = 0;
  /** Made when `signal` is read; else the reason of an abort, for a signal that is read later. */
  #abort: AbortController | { readonly reason: unknown } | undefined = undefined;

  constructor(call: Call, number: number, kind: Attempt['kind']) {
    this.call = call;
    this.number = number;
    this.kind = kind;
  }

  get deadline(): number | undefined {
    return this.call.deadline;
  }

  get signal(): AbortSignal {
    if (this.#abort instanceof AbortController) return this.#abort.signal;
    const controller = new AbortController();
    if (this.#abort !== undefined) controller.abort(this.#abort.reason);
    // Who reads the signal hears of an abort at once.
    else this.call.guard.watch.listen(this.call);
    this.#abort = controller;
    return controller.signal;
  }

  /** Aborts the signal, also one that is read later. */
  abort(reason: unknown): void {
    if (this.#abort instanceof AbortController) this.#abort.abort(reason);
    else this.#abort = { reason };
  }
}
