import type { Clock } from '@ticketing/kit';
import type { HostSession } from './host-session.ts';

/** Sessions come and go together: each is told its share once. A host with room for this long is not full. */
const SHARE_MS = 50;

/**
 * Lets in as many calls as a host holds, of all sessions together, and tells each session how many it may send: more than its
 * share while the host has room, so that sessions which are idle leave none unused. A session that a call went back to has its
 * share of a full host.
 */
export class Admission {
  /** Calls that have been let in and have not settled. */
  running = 0;
  /** Streams of these that wait for their readers: they take no room. */
  stalled = 0;
  /** Calls that went back. */
  busy = 0;
  capacity: number;
  readonly #sessions: ReadonlyMap<string, HostSession>;
  readonly #clock: Clock;
  /** Called when a call runs, and none did. */
  readonly #began: () => void;
  /** Sessions that a call went back to since the host was last not full. */
  readonly #limited = new Set<HostSession>();
  /** Those of them that were not told of room since, in the order in which they are. */
  readonly #waiting = new Set<HostSession>();
  /** Calls that each of `limited` may have, not rounded. */
  #share = 1;
  /** When it last had no room. */
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

  /** Twice what the host holds. */
  creditAmong(sessions: number): number {
    return Math.max(1, Math.floor((2 * this.capacity) / Math.max(1, sessions)));
  }

  /** Asks for room for one more call, of a session, or of a request that does not wait. False: it goes back. */
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

  /** A call has settled: one more may come, from the session that has waited longest. */
  release(session?: HostSession): void {
    if (!this.hasRoom) this.#fullAt = this.#clock.now();
    this.running -= 1;
    this.#makeRoom(session);
  }

  /** A stream waits for its reader, which makes room for another call; or it goes on, whether or not there is room. */
  stall(session: HostSession, isStalled: boolean): void {
    if (!this.hasRoom) this.#fullAt = this.#clock.now();
    this.stalled += isStalled ? 1 : -1;
    if (isStalled) this.#makeRoom(session);
  }

  #makeRoom(session?: HostSession): void {
    const [next] = this.#waiting;
    if (next === undefined || !this.hasRoom) return;
    // One with its share has its next turn after those that wait: its own next call would be here before theirs.
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

  /** A session has ended with its calls. */
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

  /** Tells sessions what they may send, when all that come or go together have done so. */
  shareSoon(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      this.#shareOut();
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

  #limit(session: HostSession): void {
    this.#waiting.add(session);
    if (this.#limited.has(session)) return;
    this.#limited.add(session);
    this.#divide();
    this.shareSoon();
  }

  /** Divides what other sessions leave among those that want more. */
  #divide(): void {
    let others = this.running - this.stalled;
    for (const { active } of this.#limited) others -= active;
    this.#share = Math.max(0, this.capacity - others) / this.#limited.size;
  }

  /** What does not divide is one too many rather than unused. */
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

  /** One that has all that it may while the host has room may have more: others do not use theirs. */
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
