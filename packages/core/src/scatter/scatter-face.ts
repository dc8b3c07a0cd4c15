import type { Channel } from 'node:diagnostics_channel';
import type { TraceChannel } from '@ticketing/kit';
import type { SourceFacts, SourceNote } from './source-note.ts';
import type { SettledState, SourceState } from './source-status.ts';

/** Context of a source. */
export interface SourceContext {
  /** Aborts at the deadline, and when no caller is waiting for the answers. */
  readonly signal: AbortSignal;
  /** Epoch ms; an answer after it is ignored. */
  readonly deadline: number;
  /** Adds facts to the status of this source, until it settles. Needs no `this`. */
  readonly note: (facts: SourceFacts) => void;
}

/** Fields of every status. */
export interface BareStatus extends SourceNote {
  readonly state: SourceState;
  readonly ms: number;
}

/** One call as subscribers see it. `ended` is set when it has ended. */
export interface CallTrace {
  ended?: object;
}

/** One source in one call as subscribers see it. `status` is set when it has settled; a failure is a status too. */
export interface SourceTrace<Status> {
  status?: Status;
}

/** The channels of one kind of scatter. */
export interface ScatterChannels {
  /** `start` and `end` around the calls of all sources, `asyncStart` and `asyncEnd` when the last one has settled. */
  readonly call: TraceChannel<object>;
  /** `start` and `end` around the call of a source, `asyncStart` and `asyncEnd` when it has settled. */
  readonly source: TraceChannel<object>;
  readonly settled: Channel;
  readonly done: Channel;
}

/**
 * One kind of scatter: its sources, how they are asked, and its own words. The mechanism (deadline, signal, one outcome
 * per source, counters) is the same for all kinds.
 */
export interface ScatterFace<Source, Query, Answer, Status extends BareStatus, Ended> {
  /** Every source, ids unique. */
  readonly sources: readonly Source[];
  readonly now: () => number;
  readonly channels: ScatterChannels;
  /** Asks one source. Async also for what throws at once: it fails the source, not the call. */
  ask(source: Source, query: Query, context: SourceContext): Promise<Answer>;
  running(id: string): Status;
  answered(id: string, ms: number, answer: Answer): Status;
  /** `state` is that of the cause, unless given. */
  failed(id: string, ms: number, cause: unknown, state?: SettledState): Status;
  /** Returns the reason with which sources are aborted at the deadline. */
  late(deadlineMs: number): Error;
  /** Returns the reason with which sources end when the caller left. */
  left(): Error;
  /** Returns the error of a call after `close()`. */
  closed(): Error;
  ended(query: Query, statuses: readonly Status[], ms: number): Ended;
  /** Returns the message of the channel `settled`. */
  settled(query: Query, status: Status, cause: unknown): object;
  traceCall(query: Query, deadlineMs: number): CallTrace;
  traceSource(call: CallTrace, id: string): SourceTrace<Status>;
}
