// Frames of sessions with hosts that other dispatchers use too, and of workers that do more than tasks. A transport lists the
// ones that its workers may send in `extraFrames`; without any, its author need not read this file.

/** A frame that only some workers send. */
export type ExtraFrame = BusyFrame | KeysOnlyFrame | LostFrame | ReportFrame | RoomFrame;

/**
 * Returns a call that the worker has no room for, has not begun and never will. The call goes back to the head of its queue and
 * to another worker, without using up an attempt. The worker gets no further call until it sends `room`, even when it is empty.
 */
export interface BusyFrame {
  readonly kind: 'busy';
  readonly seq: number;
}

/**
 * Ends the pause after `busy`, and limits the calls that the worker holds to `window`, an integer from 1, until the next `room`.
 * A smaller `window` of the pool still applies. May come at any time after `ready`.
 */
export interface RoomFrame {
  readonly kind: 'room';
  readonly window: number;
}

/**
 * Restricts the worker to calls whose key it owns, as long as any other worker takes calls: for a worker kept only for the keys
 * it owns, which would otherwise get a share of all calls from each of many dispatchers. Off at first.
 */
export interface KeysOnlyFrame {
  readonly kind: 'keys-only';
  readonly on: boolean;
}

/**
 * Reports that a call may have run and cannot be answered: the worker gave it to a worker of its own, which ended. The call has
 * its next attempt, just as after the loss of this worker, or rejects with `error` if it has none left.
 */
export interface LostFrame {
  readonly kind: 'lost';
  readonly seq: number;
  readonly error: unknown;
}

/** Figures of a worker that does more than tasks; `stats()` has the latest. */
export interface ReportFrame {
  readonly kind: 'report';
  readonly data: unknown;
  /**
   * Counts as an answered task: if the worker ends now, its start did not fail. A session with another machine sets it in its
   * first report, so that a host which leaves does not count against the circuit.
   */
  readonly worked: boolean;
}
