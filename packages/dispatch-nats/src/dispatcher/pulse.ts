/** A dispatcher looks at its sessions this often in a beat. */
export const TICKS_OF_BEAT = 4;
/** Beats after which an idle session is asked for a sign of life: nothing is lost with it, and a call asks by itself. */
const IDLE_BEATS = 20;
/** A busy session measures its round trip this often. */
const BEATS_OF_ROUND_TRIP = 240;

/** Returns milliseconds without a message after which an idle session is asked for a sign of life. */
export function idleMsOf(beatMs: number): number {
  return IDLE_BEATS * beatMs;
}

/**
 * When the host of a session is asked for a sign of life, and when it counts as silent. Messages are signs, both ways, so a busy
 * session is asked only if an answer takes long; without calls under way no caller waits for one. All times are of one clock.
 */
export class Pulse {
  readonly #beatMs: number;
  readonly #silentAfterMs: number;
  readonly #askAfterMs: number;
  /** Since when a sign of life is due: calls are under way, or it was asked. */
  #dueSince: number | undefined;
  #heardAt: number;
  #sentAt: number;
  #askedAt: number;
  /** Messages that were sent, at the last tick. */
  #sent = 0;
  /** Calls that were sent with or after the one question that is open: it asked when no call was under way. */
  #unheard: number[] | undefined;

  constructor(
    { beatMs, missedBeats }: { readonly beatMs: number; readonly missedBeats: number },
    now: number,
  ) {
    this.#beatMs = beatMs;
    this.#silentAfterMs = beatMs * missedBeats;
    // A beat less a tick, so that the question comes within a beat; and soon enough for an answer.
    this.#askAfterMs = beatMs * Math.min(1 - 1 / TICKS_OF_BEAT, missedBeats / 4);
    this.#heardAt = now;
    this.#sentAt = now;
    this.#askedAt = now;
  }

  /** A call is sent. @returns whether it is to ask the server whether the host lives: the session was idle */
  calls(seq: number, now: () => number): boolean {
    const asks = this.#dueSince === undefined;
    if (asks) {
      this.#dueSince = now();
      this.#unheard = [];
    }
    this.#unheard?.push(seq);
    return asks;
  }

  /** The host is asked. */
  asked(now: number, hasCalls: boolean): void {
    this.#askedAt = now;
    this.#dueSince ??= now;
    this.#unheard = hasCalls ? undefined : [];
  }

  /** The host has sent something; `hasCalls`: the next sign is due. */
  heard(now: number, hasCalls: boolean): void {
    this.#heardAt = now;
    this.#dueSince = hasCalls ? now : undefined;
    this.#unheard = undefined;
  }

  /** Returns calls that cannot have begun, when the server says that the host has gone: it had before it was sent them. */
  takeUnheard(): readonly number[] {
    const calls = this.#unheard ?? [];
    this.#unheard = undefined;
    return calls;
  }

  /** This process slept: what came meanwhile is read after this, and a question asked now has a beat. */
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
   * Whether the host is to be asked now. Called at each tick.
   *
   * @param sent - messages sent so far
   */
  isToAsk(
    now: number,
    { sent, hasCalls }: { readonly sent: number; readonly hasCalls: boolean },
  ): boolean {
    if (sent !== this.#sent) this.#sentAt = now;
    this.#sent = sent;
    const beatMs = this.#beatMs;
    const sinceAskedMs = now - this.#askedAt;
    // The server knows at once whether the host lives, and only a question tells.
    const dueMs = this.#dueSince === undefined ? 0 : now - this.#dueSince;
    if (dueMs >= this.#askAfterMs) return sinceAskedMs >= beatMs || dueMs <= sinceAskedMs;
    // The host aborts the calls of a dispatcher that is silent.
    if (hasCalls && now - this.#sentAt >= this.#askAfterMs) return true;
    const quietMs = now - Math.min(this.#heardAt, this.#sentAt);
    return quietMs >= idleMsOf(beatMs) || sinceAskedMs >= BEATS_OF_ROUND_TRIP * beatMs;
  }
}
