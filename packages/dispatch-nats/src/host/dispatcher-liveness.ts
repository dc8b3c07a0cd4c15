/** Sign that a dispatcher is lost: it is silent, or must have given this host up. */
export type LivenessLoss = 'silent' | 'given-up';

/** Activity of a session since the previous look at it. */
export interface SessionActivity {
  /** Number of messages that the host has sent. */
  readonly sent: number;
  readonly hasCalls: boolean;
}

/**
 * Liveness of a session's dispatcher, seen from the host. The dispatcher is silent if no message of it comes. It must have given
 * this host up if the host has sent nothing for so long: its calls are lost to it then, so none of them may begin. All times are of
 * one clock.
 */
export class DispatcherLiveness {
  /** Milliseconds without a message after which either side gives up the other. */
  readonly silentAfterMs: number;
  readonly #idleMs: number;
  #heardAt: number;
  /** Latest time at which the dispatcher surely had a message: of the last answer to a question, or of the tick before the message. */
  #saidAt: number;
  #tickedAt: number;
  /** Latest tick after which this process has not slept, or has read the messages of that time. */
  #awakeAt: number;
  #sentAtTick = 0;

  constructor(
    {
      beatMs,
      missedBeats,
      idleMs,
    }: { readonly beatMs: number; readonly missedBeats: number; readonly idleMs: number },
    now: number,
  ) {
    this.silentAfterMs = beatMs * missedBeats;
    this.#idleMs = idleMs;
    this.#heardAt = now;
    this.#saidAt = now;
    this.#tickedAt = now;
    this.#awakeAt = now;
  }

  /** Notes a message of the dispatcher. @returns 'given-up' if it is too late: the message must not be read */
  heard(now: number, { sent, hasCalls }: SessionActivity): LivenessLoss | undefined {
    // Without calls no sign was due before this message was sent, which was after the process last slept.
    if (!hasCalls) this.#saidAt = Math.max(this.#saidAt, this.#awakeAt);
    if (this.#isGivenUp(now, sent)) return 'given-up';
    this.#heardAt = now;
    return undefined;
  }

  /** Notes that a question of the dispatcher, the latest message, is answered. */
  answered(): void {
    this.#saidAt = this.#heardAt;
  }

  /**
   * Judges the dispatcher at a tick. `lateMs`: this process slept, and reads the messages of that time after this tick.
   *
   * @returns the sign of a lost dispatcher
   */
  tick(now: number, lateMs: number, { sent, hasCalls }: SessionActivity): LivenessLoss | undefined {
    this.#heardAt += lateMs;
    // Without calls messages are far apart.
    const mostMs = this.silentAfterMs + (hasCalls ? 0 : this.#idleMs);
    const isGivenUp = hasCalls && this.#isGivenUp(now, sent);
    this.#saidAt = this.#lastSaidAt(sent);
    this.#sentAtTick = sent;
    this.#awakeAt = lateMs < this.silentAfterMs / 2 ? now : this.#tickedAt;
    this.#tickedAt = now;
    if (isGivenUp) return 'given-up';
    return now - this.#heardAt > mostMs ? 'silent' : undefined;
  }

  #isGivenUp(now: number, sent: number): boolean {
    return now - this.#lastSaidAt(sent) >= this.silentAfterMs;
  }

  #lastSaidAt(sent: number): number {
    return sent === this.#sentAtTick ? this.#saidAt : Math.max(this.#saidAt, this.#tickedAt);
  }
}
