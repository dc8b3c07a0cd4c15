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
 * Liveness of a session's host, seen from the dispatcher: decides when to ask the host for a sign of life, and when it is silent.
 * Messages are signs, both ways, so the host of a busy session is asked only if an answer takes long; without calls under way no
 * caller waits for one. All times are of one clock.
 */
export class Pulse {
  readonly #beatMs: number;
  readonly #silentAfterMs: number;
  readonly #askAfterMs: number;
  /** Time since which a sign of life is due, because calls are under way or the host was asked. */
  #dueSince: number | undefined;
  #heardAt: number;
  #sentAt: number;
  #askedAt: number;
  /** Number of messages sent until the last tick. */
  #sent = 0;
  /** Calls sent since the pending question, if that was sent while no call was under way; else undefined. */
  #unheard: number[] | undefined;

  constructor(
    { beatMs, missedBeats }: { readonly beatMs: number; readonly missedBeats: number },
    now: number,
  ) {
    this.#beatMs = beatMs;
    this.#silentAfterMs = beatMs * missedBeats;
    // A beat less a tick, so that the question comes within a beat; and early enough for an answer to arrive.
    this.#askAfterMs = beatMs * Math.min(1 - 1 / TICKS_OF_BEAT, missedBeats / 4);
    this.#heardAt = now;
    this.#sentAt = now;
    this.#askedAt = now;
  }

  /** Notes that a call is sent. @returns true if the call must ask the server if the host lives, because the session was idle */
  calls(seq: number, now: () => number): boolean {
    const asks = this.#dueSince === undefined;
    if (asks) {
      this.#dueSince = now();
      this.#unheard = [];
    }
    this.#unheard?.push(seq);
    return asks;
  }

  /** Notes that the host is asked for a sign of life. */
  asked(now: number, hasCalls: boolean): void {
    this.#askedAt = now;
    this.#dueSince ??= now;
    this.#unheard = hasCalls ? undefined : [];
  }

  /** Notes a message of the host. With `hasCalls` the next sign is due from now on. */
  heard(now: number, hasCalls: boolean): void {
    this.#heardAt = now;
    this.#dueSince = hasCalls ? now : undefined;
    this.#unheard = undefined;
  }

  /** Returns the calls that cannot have begun, after the server reports that the host has gone: they were sent after its end. */
  takeUnheard(): readonly number[] {
    const calls = this.#unheard ?? [];
    this.#unheard = undefined;
    return calls;
  }

  /** Postpones due signs after this process slept: messages of that time are read later, and a question asked now has a beat. */
  late(lateMs: number, now: number): void {
    this.#heardAt += lateMs;
    if (this.#dueSince === undefined) return;
    const enough = now - this.#silentAfterMs + this.#beatMs;
    this.#dueSince = Math.max(this.#dueSince, Math.min(this.#dueSince + lateMs, enough));
  }

  isSilent(now: number): boolean {
    return this.#dueSince !== undefined && now - this.#dueSince > this.#silentAfterMs;
  }

  /**
   * Returns true if the host must be asked now. Called at each tick.
   *
   * @param sent - number of messages sent so far
   */
  isToAsk(
    now: number,
    { sent, hasCalls }: { readonly sent: number; readonly hasCalls: boolean },
  ): boolean {
    if (sent !== this.#sent) this.#sentAt = now;
    this.#sent = sent;
    const beatMs = this.#beatMs;
    const sinceAskedMs = now - this.#askedAt;
    // Only a question shows if the host lives: the server answers it at once if it does not.
    const dueMs = this.#dueSince === undefined ? 0 : now - this.#dueSince;
    if (dueMs >= this.#askAfterMs) return sinceAskedMs >= beatMs || dueMs <= sinceAskedMs;
    // A silent dispatcher would lose its calls: the host aborts them.
    if (hasCalls && now - this.#sentAt >= this.#askAfterMs) return true;
    const quietMs = now - Math.min(this.#heardAt, this.#sentAt);
    return quietMs >= idleMsOf(beatMs) || sinceAskedMs >= BEATS_OF_ROUND_TRIP * beatMs;
  }
}
