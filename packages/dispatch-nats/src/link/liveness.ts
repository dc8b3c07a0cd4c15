/** Sign of a lost session: the other end is silent, or must have given this end up, because it was sent nothing. */
export type LivenessLoss = 'silent' | 'given-up';

/** Limits of one end, of which the dispatcher of the session sets the beats. */
export interface LivenessLimits {
  readonly beatMs: number;
  readonly missedBeats: number;
  /** Most milliseconds between two messages of the other end while none is due; infinite for an end that only answers. */
  readonly idleMs: number;
  /** Least milliseconds for the other end after this process slept: the messages of that time are read later. */
  readonly graceMs: number;
}

/** Activity of one end of a session. */
export interface Activity {
  /** Number of messages that this end has sent. */
  readonly sent: number;
  /** True while calls are under way, so that a sign of the other end is due. */
  readonly hasCalls: boolean;
}

/**
 * Liveness of a session at one of its ends, the dispatcher's or the host's. Every message is a sign of life. The other end is
 * `silent` if a sign has been due for longer than `silentAfterMs`. It has `given-up` this end if it must have heard nothing for as
 * long, by the same rule. Time in which this process slept is no silence. All times are of one clock.
 */
export class Liveness {
  /** Milliseconds without a sign after which either end gives up the other. */
  readonly silentAfterMs: number;
  readonly #idleMs: number;
  readonly #graceMs: number;
  /** Time from which the next sign is due: of the latest one, later by the time that this process slept. */
  #since: number;
  #isExpecting = false;
  /** Number of messages sent until the latest tick, and the times between which the latest of them was sent. */
  #sent = 0;
  #sentAfter: number;
  #sentBy: number;
  #tickedAt: number;
  /** Latest tick after which this process has not slept, or has read the messages of that time. */
  #awakeAt: number;

  constructor({ beatMs, missedBeats, idleMs, graceMs }: LivenessLimits, now: number) {
    this.silentAfterMs = beatMs * missedBeats;
    this.#idleMs = idleMs;
    this.#graceMs = graceMs;
    this.#since = now;
    this.#sentAfter = now;
    this.#sentBy = now;
    this.#tickedAt = now;
    this.#awakeAt = now;
  }

  /** True if a sign is due whether or not calls are under way. */
  get isExpecting(): boolean {
    return this.#isExpecting;
  }

  /** Makes a sign due from now on, unless one is due already. */
  expect(now: number, { hasCalls }: Pick<Activity, 'hasCalls'>): void {
    if (!hasCalls && !this.#isExpecting) this.#since = now;
    this.#isExpecting = true;
  }

  /** Notes a message of the other end. @returns 'given-up' if the other end must have given this one up before it came */
  heard(now: number, { sent, hasCalls }: Activity): LivenessLoss | undefined {
    // Without calls no sign was due before this message was sent, which was after the process last slept.
    if (!hasCalls) this.#sentAfter = Math.max(this.#sentAfter, this.#awakeAt);
    const isGivenUp = this.#isGivenUp(now, sent);
    this.#since = now;
    this.#isExpecting = false;
    return isGivenUp ? 'given-up' : undefined;
  }

  /** Notes that the latest message of the other end, which asked for a sign, is answered. */
  answered(): void {
    this.#sentAfter = this.#since;
  }

  /** Judges the other end at a tick. `lateMs`: this process slept, and reads the messages of that time after this tick. */
  tick(now: number, lateMs: number, { sent, hasCalls }: Activity): LivenessLoss | undefined {
    this.#forgive(lateMs, now);
    const isGivenUp = hasCalls && this.#isGivenUp(now, sent);
    if (sent !== this.#sent) {
      this.#sentAfter = this.#lastSentAfter(sent);
      this.#sentBy = now;
      this.#sent = sent;
    }
    this.#awakeAt = lateMs < this.silentAfterMs / 2 ? now : this.#tickedAt;
    this.#tickedAt = now;
    const isDue = hasCalls || this.#isExpecting;
    if (now - this.#since > this.silentAfterMs + (isDue ? 0 : this.#idleMs)) return 'silent';
    return isGivenUp ? 'given-up' : undefined;
  }

  /** Returns the milliseconds for which a sign has been due; 0 if none is. */
  dueMs(now: number, { hasCalls }: Pick<Activity, 'hasCalls'>): number {
    return hasCalls || this.#isExpecting ? now - this.#since : 0;
  }

  /** Returns the milliseconds since this end sent a message, at the latest tick. */
  unsentMs(now: number): number {
    return now - this.#sentBy;
  }

  /** Returns the milliseconds since either end sent a message. */
  quietMs(now: number): number {
    return now - Math.min(this.#since, this.#sentBy);
  }

  #forgive(lateMs: number, now: number): void {
    const enough = now - this.silentAfterMs + this.#graceMs;
    this.#since = Math.max(this.#since, Math.min(this.#since + lateMs, enough));
  }

  #isGivenUp(now: number, sent: number): boolean {
    return now - this.#lastSentAfter(sent) >= this.silentAfterMs;
  }

  #lastSentAfter(sent: number): number {
    return sent === this.#sent ? this.#sentAfter : Math.max(this.#sentAfter, this.#tickedAt);
  }
}
