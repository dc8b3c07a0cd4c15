import type { Clock } from '@ticketing/kit';
import type { HostSession } from './host-session.ts';

/** Sessions come and go together: each is told its share once. */
const SHARE_MS = 50;

/** Lets in as many calls as a host holds, of all sessions together, and tells each session its share. */
export class Admission {
  /** Calls that have been let in and have not settled. */
  running = 0;
  /** Calls that went back. */
  busy = 0;
  capacity: number;
  readonly #sessions: ReadonlyMap<string, HostSession>;
  readonly #clock: Clock;
  /** Sessions that a call went back to, in the order in which they get room. */
  readonly #waiting = new Set<HostSession>();
  #timer: unknown;
  #isClosed = false;

  constructor(sessions: ReadonlyMap<string, HostSession>, capacity: number, clock: Clock) {
    this.#sessions = sessions;
    this.capacity = capacity;
    this.#clock = clock;
  }

  get hasRoom(): boolean {
    return this.running < this.capacity;
  }

  /** Twice what the host holds, so that sessions which are idle leave no room unused. */
  creditAmong(sessions: number): number {
    return Math.max(1, Math.floor((2 * this.capacity) / Math.max(1, sessions)));
  }

  /** Asks for room for one more call, of a session, or of a request that does not wait. False: it goes back. */
  admit(session?: HostSession): boolean {
    if (!this.hasRoom || session?.isBusy) {
      this.busy += 1;
      if (session?.isLeaving === false) this.#waiting.add(session);
      return false;
    }
    this.running += 1;
    if (session !== undefined) session.running += 1;
    return true;
  }

  /** Counts a call that is answered without running. */
  count(session: HostSession): void {
    this.running += 1;
    session.running += 1;
  }

  /** A call has settled: one more may come, from the session that has waited longest. */
  release(): void {
    this.running -= 1;
    const [session] = this.#waiting;
    if (session === undefined || !this.hasRoom) return;
    this.#waiting.delete(session);
    const free = this.capacity - this.running;
    const share = Math.max(1, Math.floor(free / (this.#waiting.size + 1)));
    const most = this.creditAmong(this.#sessions.size);
    session.grant(Math.min(session.running + share, most));
    // The rest of what it may have comes when others have had theirs.
    if (session.credit < most) this.shareSoon();
  }

  /** A session has ended with its calls. */
  ended(session: HostSession): void {
    this.#waiting.delete(session);
    this.running -= session.running;
    session.running = 0;
    this.shareSoon();
  }

  /** Tells sessions their share, when all that come or go together have done so. */
  shareSoon(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      this.#share();
    }, SHARE_MS);
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
  }

  /** Follows the workers of the host. */
  resize(capacity: number): void {
    if (capacity === this.capacity) return;
    this.capacity = capacity;
    this.shareSoon();
  }

  close(): void {
    this.#isClosed = true;
    this.#clock.clearTimeout(this.#timer);
  }

  #share(): void {
    const credit = this.creditAmong(this.#sessions.size);
    let isLess = false;
    for (const session of this.#sessions.values()) {
      if (session.isBusy || session.isLeaving || session.credit === credit) continue;
      // While calls go back, a session gets no more than it was given last.
      if (credit > session.credit && !this.hasRoom) isLess = true;
      else session.grant(credit);
    }
    if (isLess) this.shareSoon();
  }
}
