import type { Clock } from '@ticketing/kit';
import type { HostSession } from './host-session.ts';

/** Milliseconds to wait for sessions that come and go together, so that each gets its share once; a host with room for this long is not full. */
const SHARE_MS = 50;

/**
 * Limit of a host's calls, of all sessions together. Gives each session a credit of calls: more than its share while the host has
 * room, so that idle sessions leave no room unused. A session that got a call back has its share of a full host.
 */
export class Admission {
  /** Calls that were admitted and have not settled. */
  running = 0;
  /** Admitted streams that wait for their readers: they take no room. */
  stalled = 0;
  /** Calls that were sent back. */
  busy = 0;
  capacity: number;
  readonly #sessions: ReadonlyMap<string, HostSession>;
  readonly #clock: Clock;
  /** Called when a call runs after none did. */
  readonly #began: () => void;
  /** Sessions that got a call back since the host became full. */
  readonly #limited = new Set<HostSession>();
  /** Limited sessions waiting for room, longest wait first. */
  readonly #waiting = new Set<HostSession>();
  /** Calls that each limited session may have, not rounded. */
  #share = 1;
  /** Time at which the host last had no room. */
  #fullAt = Number.NEGATIVE_INFINITY;
  #timer: unknown;
  #isClosed = false;

  constructor(
    sessions: ReadonlyMap<string, HostSession>,
    capacity: number,
    { clock, began }: { readonly clock: Clock; began(): void },
  ) {
    this.#sessions = sessions;
    this.capacity = capacity;
    this.#clock = clock;
    this.#began = began;
  }

  get hasRoom(): boolean {
    return this.running - this.stalled < this.capacity;
  }

  /** Returns the credit of one of so many sessions: together they have twice the calls that the host holds. */
  creditAmong(sessions: number): number {
    return Math.max(1, Math.floor((2 * this.capacity) / Math.max(1, sessions)));
  }

  /** Admits one more call of a session, or a JSON request, which has none. @returns false if there is no room: the call goes back */
  admit(session?: HostSession): boolean {
    if (!this.hasRoom || session?.isBusy) {
      this.busy += 1;
      if (session?.takesCalls) this.#limit(session);
      return false;
    }
    this.running += 1;
    if (session !== undefined) session.running += 1;
    if (this.running === 1) this.#began();
    if (this.hasRoom && session !== undefined) this.#encourage(session);
    return true;
  }

  /** Counts a call that is answered without running. */
  count(session: HostSession): void {
    this.running += 1;
    session.running += 1;
  }

  /** Frees the room of a settled call, for the session with the longest wait. */
  release(session?: HostSession): void {
    if (!this.hasRoom) this.#fullAt = this.#clock.now();
    this.running -= 1;
    this.#makeRoom(session);
  }

  /** Notes that a stream waits for its reader, which makes room for another call; or that it goes on, even without room. */
  stall(session: HostSession, isStalled: boolean): void {
    if (!this.hasRoom) this.#fullAt = this.#clock.now();
    this.stalled += isStalled ? 1 : -1;
    if (isStalled) this.#makeRoom(session);
  }

  #makeRoom(session?: HostSession): void {
    const [next] = this.#waiting;
    if (next === undefined || !this.hasRoom) return;
    // A session with its share goes behind the waiting ones: its own next call would be here before theirs.
    if (session !== undefined && this.#isServed(session)) {
      session.pause();
      this.#waiting.add(session);
    }
    this.#waiting.delete(next);
    if (!next.takesCalls) return;
    const now = next.isBusy ? next.active : next.credit;
    next.grant(Math.min(now + 1, this.#limitedCredit));
    if (next.credit < this.#limitedCredit) this.#waiting.add(next);
  }

  /** Frees the room of a session's calls after its end. */
  ended(session: HostSession): void {
    if (!this.hasRoom) this.#fullAt = this.#clock.now();
    this.#waiting.delete(session);
    this.#limited.delete(session);
    this.running -= session.running;
    this.stalled -= session.stalled;
    session.running = 0;
    session.stalled = 0;
    this.shareSoon();
  }

  /** Shares the room out soon, once for all sessions that come or go together. */
  shareSoon(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      this.#shareOut();
    }, SHARE_MS);
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
  }

  /** Sets the capacity, which follows the number of the host's workers. */
  resize(capacity: number): void {
    if (capacity === this.capacity) return;
    this.capacity = capacity;
    this.shareSoon();
  }

  close(): void {
    this.#isClosed = true;
    this.#clock.clearTimeout(this.#timer);
  }

  #limit(session: HostSession): void {
    this.#waiting.add(session);
    if (this.#limited.has(session)) return;
    this.#limited.add(session);
    this.#divide();
    this.shareSoon();
  }

  /** Divides the room that other sessions leave among the limited ones. */
  #divide(): void {
    let others = this.running - this.stalled;
    for (const { active } of this.#limited) others -= active;
    this.#share = Math.max(0, this.capacity - others) / this.#limited.size;
  }

  /** Share of a limited session, rounded up, so that no room is left unused. */
  get #limitedCredit(): number {
    return Math.max(1, Math.ceil(this.#share));
  }

  #isServed(session: HostSession): boolean {
    const { active, isBusy, takesCalls } = session;
    if (isBusy || !takesCalls) return false;
    if (!this.#limited.has(session)) {
      if (active < Math.floor(this.capacity / (this.#limited.size + 1))) return false;
      this.#limited.add(session);
      this.#divide();
    }
    return active >= Math.floor(this.#share);
  }

  /** Doubles the credit of a session that uses all of it while the host has room, because other sessions do not use theirs. */
  #encourage(session: HostSession): void {
    const { active, credit, takesCalls } = session;
    if (active < credit || credit >= this.capacity || !takesCalls) return;
    if (!this.#limited.has(session)) session.grant(Math.min(this.capacity, 2 * credit));
  }

  #shareOut(): void {
    const isFull = !this.hasRoom || this.#clock.now() - this.#fullAt < SHARE_MS;
    if (isFull && this.#limited.size > 0) {
      this.#divide();
      this.shareSoon();
    } else {
      this.#limited.clear();
      this.#waiting.clear();
    }
    const credit = this.creditAmong(this.#sessions.size);
    for (const session of this.#sessions.values()) {
      const own = this.#limited.has(session) ? this.#limitedCredit : credit;
      if (!session.takesCalls || this.#waiting.has(session)) continue;
      if (session.isBusy || session.credit !== own) session.grant(own);
    }
  }
}
