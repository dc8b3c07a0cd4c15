import type { Activity, Liveness } from '../link/liveness.ts';

/** Ticks per beat, at each of which a dispatcher checks its sessions. */
export const TICKS_OF_BEAT = 4;
/** Beats after which an idle host is asked for a sign of life: rarely, because no call depends on it, and a call asks by itself. */
const IDLE_BEATS = 20;
/** Beats between two measurements of a busy session's round trip. */
const BEATS_OF_ROUND_TRIP = 240;

/** Returns milliseconds without a message after which an idle session is asked for a sign of life. */
export function idleMsOf(beatMs: number): number {
  return IDLE_BEATS * beatMs;
}

/**
 * Questions by which a dispatcher asks the host of a session for a sign of life. The host of a busy session is asked only if an
 * answer takes long; without calls under way no caller waits for one.
 */
export class Questions {
  readonly #liveness: Liveness;
  readonly #beatMs: number;
  readonly #askAfterMs: number;
  #askedAt: number;
  /** Calls sent since the pending question, if that was sent while no call was under way; else undefined. */
  #unheard: number[] | undefined;

  constructor(
    liveness: Liveness,
    { beatMs, missedBeats }: { readonly beatMs: number; readonly missedBeats: number },
    now: number,
  ) {
    this.#liveness = liveness;
    this.#beatMs = beatMs;
    // A beat less a tick, so that the question comes within a beat; and early enough for an answer to arrive.
    this.#askAfterMs = beatMs * Math.min(1 - 1 / TICKS_OF_BEAT, missedBeats / 4);
    this.#askedAt = now;
  }

  /** Notes that the host is asked for a sign of life. */
  asked(now: number, activity: Pick<Activity, 'hasCalls'>): void {
    this.#liveness.expect(now, activity);
    this.#askedAt = now;
    this.#unheard = activity.hasCalls ? undefined : [];
  }

  /** Notes the first call after a time without, which asks the server if the host is there. */
  began(now: number): void {
    this.#liveness.expect(now, { hasCalls: false });
    this.#unheard = [];
  }

  /** Notes that a call is sent. */
  called(seq: number): void {
    this.#unheard?.push(seq);
  }

  /** Notes a message of the host. */
  answered(): void {
    this.#unheard = undefined;
  }

  /** Returns the calls that cannot have begun, after the server reports that the host has gone: they were sent after its end. */
  takeUnheard(): readonly number[] {
    const calls = this.#unheard ?? [];
    this.#unheard = undefined;
    return calls;
  }

  /** Returns true if the host must be asked now. Called after each tick of the session's liveness. */
  isToAsk(now: number, { hasCalls }: Pick<Activity, 'hasCalls'>): boolean {
    const sinceAskedMs = now - this.#askedAt;
    const dueMs = this.#liveness.dueMs(now, { hasCalls });
    // Only a question shows if the host lives: the server answers it at once if it does not.
    if (dueMs >= this.#askAfterMs) return sinceAskedMs >= this.#beatMs || dueMs <= sinceAskedMs;
    // A silent dispatcher would lose its calls: the host aborts them.
    if (hasCalls && this.#liveness.unsentMs(now) >= this.#askAfterMs) return true;
    const quietMs = this.#liveness.quietMs(now);
    return quietMs >= idleMsOf(this.#beatMs) || sinceAskedMs >= BEATS_OF_ROUND_TRIP * this.#beatMs;
  }
}
