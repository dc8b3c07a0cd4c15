import type { Clock } from '@ticketing/kit';

/** Milliseconds to wait for sessions that come and go together, so that each gets its share once; a host with room for this long is not full. */
const SHARE_MS = 50;

/** Calls and credit of one session. `Admission` alone writes them. */
export interface SessionCalls {
  /** Calls that the session has here. */
  running: number;
  /** Streams among these calls that wait for their readers, and take no room. */
  stalled: number;
  /** Most calls that the session may have, by the latest message to its dispatcher. */
  credit: number;
  /** True after a call was sent back, until the dispatcher is notified of room. Until then it sends no calls. */
  isBusy: boolean;
}

/** Session as the admission needs it. */
export interface AdmittedSession {
  readonly calls: SessionCalls;
  /** True while the dispatcher may send calls, now or as soon as there is room. */
  readonly takesCalls: boolean;
  /** Tells the dispatcher at once how many calls it may have here. */
  tellCredit(credit: number): void;
  /** Tells the dispatcher, with the next message, to send no calls. */
  tellBusy(): void;
}

/** Returns the calls and the credit of a new session. */
export function newCalls(credit: number): SessionCalls {
  return { running: 0, stalled: 0, credit, isBusy: false };
}

/** Returns the number of calls that take room. */
function activeOf({ running, stalled }: SessionCalls): number {
  return running - stalled;
}

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
  readonly #sessions: ReadonlyMap<string, AdmittedSession>;
  readonly #clock: Clock;
  /** Called when a call runs after none did. */
  readonly #began: () => void;
  /** Sessions that got a call back since the host became full. */
  readonly #limited = new Set<AdmittedSession>();
  /** Limited sessions waiting for room, longest wait first. */
  readonly #waiting = new Set<AdmittedSession>();
  /** Calls that each limited session may have, not rounded. */
  #share = 1;
  /** Time at which the host last had no room. */
  #fullAt = Number.NEGATIVE_INFINITY;
  #timer: unknown;
  #isClosed = false;

  constructor(
    sessions: ReadonlyMap<string, AdmittedSession>,
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
  admit(session?: AdmittedSession): boolean {
    if (!this.hasRoom || session?.calls.isBusy) {
      this.busy += 1;
      if (session?.takesCalls) this.#limit(session);
      if (session !== undefined) session.calls.isBusy = true;
      return false;
    }
    this.running += 1;
    if (session !== undefined) session.calls.running += 1;
    if (this.running === 1) this.#began();
    if (this.hasRoom && session !== undefined) this.#encourage(session);
    return true;
  }

  /** Counts a call that is answered without running. */
  count(session: AdmittedSession): void {
    this.running += 1;
    session.calls.running += 1;
  }

  /** Frees the room of a settled call, for the session with the longest wait. */
  release(session?: AdmittedSession): void {
    if (session !== undefined) session.calls.running -= 1;
    if (!this.hasRoom) this.#fullAt = this.#clock.now();
    this.running -= 1;
    this.#makeRoom(session);
  }

  /** Notes that a stream waits for its reader, which makes room for another call. */
  stall(session: AdmittedSession): void {
    if (!this.hasRoom) this.#fullAt = this.#clock.now();
    session.calls.stalled += 1;
    this.stalled += 1;
    this.#makeRoom(session);
  }

  /** Notes that a stream goes on, even without room. */
  goOn(session: AdmittedSession): void {
    session.calls.stalled -= 1;
    this.stalled -= 1;
  }

  /** Stops a session from sending calls until it is granted room. */
  pause(session: AdmittedSession): void {
    session.calls.isBusy = true;
    session.tellBusy();
  }

  #grant(session: AdmittedSession, credit: number): void {
    session.calls.credit = credit;
    session.calls.isBusy = false;
    session.tellCredit(credit);
  }

  #makeRoom(session?: AdmittedSession): void {
    const [next] = this.#waiting;
    if (next === undefined || !this.hasRoom) return;
    // A session with its share goes behind the waiting ones: its own next call would be here before theirs.
    if (session !== undefined && this.#isServed(session)) {
      this.pause(session);
      this.#waiting.add(session);
    }
    this.#waiting.delete(next);
    if (!next.takesCalls) return;
    const { calls } = next;
    const now = calls.isBusy ? activeOf(calls) : calls.credit;
    this.#grant(next, Math.min(now + 1, this.#limitedCredit));
    if (calls.credit < this.#limitedCredit) this.#waiting.add(next);
  }

  /** Frees the room of a session's calls after its end. */
  ended(session: AdmittedSession): void {
    if (!this.hasRoom) this.#fullAt = this.#clock.now();
    this.#waiting.delete(session);
    this.#limited.delete(session);
    const { calls } = session;
    this.running -= calls.running;
    this.stalled -= calls.stalled;
    calls.running = 0;
    calls.stalled = 0;
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

  #limit(session: AdmittedSession): void {
    this.#waiting.add(session);
    if (this.#limited.has(session)) return;
    this.#limited.add(session);
    this.#divide();
    this.shareSoon();
  }

  /** Divides the room that other sessions leave among the limited ones. */
  #divide(): void {
    let others = this.running - this.stalled;
    for (const { calls } of this.#limited) others -= activeOf(calls);
    this.#share = Math.max(0, this.capacity - others) / this.#limited.size;
  }

  /** Share of a limited session, rounded up, so that no room is left unused. */
  get #limitedCredit(): number {
    return Math.max(1, Math.ceil(this.#share));
  }

  #isServed(session: AdmittedSession): boolean {
    const { calls, takesCalls } = session;
    if (calls.isBusy || !takesCalls) return false;
    const active = activeOf(calls);
    if (!this.#limited.has(session)) {
      if (active < Math.floor(this.capacity / (this.#limited.size + 1))) return false;
      this.#limited.add(session);
      this.#divide();
    }
    return active >= Math.floor(this.#share);
  }

  /** Doubles the credit of a session that uses all of it while the host has room, because other sessions do not use theirs. */
  #encourage(session: AdmittedSession): void {
    const { calls, takesCalls } = session;
    const { credit } = calls;
    if (activeOf(calls) < credit || credit >= this.capacity || !takesCalls) return;
    if (!this.#limited.has(session)) this.#grant(session, Math.min(this.capacity, 2 * credit));
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
      if (session.calls.isBusy || session.calls.credit !== own) this.#grant(session, own);
    }
  }
}
