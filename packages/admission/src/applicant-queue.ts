import { type Linked, LinkedList } from '@ticketing/kit';
import type { InFlightLimit } from './in-flight-limit.ts';
import { QueuePace } from './queue-pace.ts';

/** Reason of a refusal. `busy`: too many wait to begin it in time; `late`: it has waited too long. */
export type Refusal = 'busy' | 'late';

/** A request that waits to begin. Exactly one of its functions is called, once, unless it is withdrawn before. */
export interface Applicant {
  /** Milliseconds on the clock of `performance.now()`. */
  readonly arrivedAt: number;
  /** Requests of one key share their work: a request that joins does not count against the limit. */
  readonly key?: string | undefined;
  begin(): void;
  refuse(reason: Refusal): void;
}

export interface QueueOptions {
  readonly limit: InFlightLimit;
  /** Milliseconds that a request may take from its arrival. */
  readonly deadlineMs: number;
  /** Returns true if work of this key is under way that a request can join. */
  readonly isUnderWay: (key: string) => boolean;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** Milliseconds by which the event loop is late now. */
  readonly lateMs: () => number;
  /** Calls back in the next turn of the event loop, when the requests that have arrived are read. */
  readonly soon: (callback: () => void) => void;
  /** Calls back in the same turn, once the work that has begun waits. */
  readonly settled: (callback: () => void) => void;
}

const RESOLVED = Promise.resolve();

/** The platform's event loop, for a queue of applicants. */
export const eventLoop: Pick<QueueOptions, 'now' | 'soon' | 'settled'> = {
  now: () => performance.now(),
  soon: setImmediate,
  // A tick that is queued by a promise job runs when no promise job is left.
  // Not by queueMicrotask, which makes an async resource for each.
  settled: (callback) => void RESOLVED.then(() => process.nextTick(callback)),
};

/** Counters since the start, and requests that are held now. */
export interface AdmissionStats {
  /** Limit of the requests in flight; `null`: none. */
  readonly limit: number | null;
  /** Requests whose work is under way; requests of one key count once. */
  readonly inFlight: number;
  /** Requests that wait to begin; requests of one key count once. */
  readonly waiting: number;
  /** Requests that have begun. */
  readonly admitted: number;
  /** Admitted requests that joined work under way. */
  readonly joined: number;
  readonly refused: Readonly<Record<Refusal, number>>;
  /** Clients that left before their request was begun. */
  readonly left: number;
}

/** Queue that decides when requests begin, and which are refused. */
export interface ApplicantQueue {
  /** Takes a request. Returns a function that the caller must call when the client has its answer or has left. */
  apply(applicant: Applicant): () => void;
  /** Notes a new connection, whose request may arrive next. */
  connected(): void;
  /** Refuses requests that have waited too long. Call it from time to time. Returns the most in flight since the last call. */
  look(): number;
  stats(): AdmissionStats;
}

/** Shares of the deadline that a request may wait before its work begins: by estimate when it arrives, and in fact. In a burst they are larger. */
const WAIT_SHARE = 1 / 3;
const LATE_SHARE = 1 / 2;
/** Most requests that wait. */
const MOST_WAITING = 1000;
/** Share of the deadline by which the event loop may be late while the limit grows for a burst. */
const BURST_LATE_SHARE = 1 / 20;
/** Milliseconds of work that begin in one turn of the event loop. Then requests that have arrived are read first. */
const TURN_MS = 2;
/** Milliseconds of one piece of work above which arrivals are read before more begins. */
const LOOK_MS = 0.5;
/** Most turns in which arrivals are read before more work begins, unless the last work took longer. */
const LOOK_TURNS = 16;

/** Requests that share their work; most are alone. */
interface Group extends Linked {
  readonly key: string | undefined;
  readonly arrivedAt: number;
  /** No `Set`: most groups have one, and a set costs as much as all else that is kept for a request. */
  readonly applicants: Applicant[];
  state: 'waiting' | 'begun' | 'over';
  begunAt: number;
  /** True if the group came in a burst: then it may wait longer. */
  readonly isBurst: boolean;
}

/**
 * Creates a queue of applicants. They wait, in the order of arrival, and begin in a later turn of the event loop, a few
 * per turn: so all arrivals are read first, and requests that cannot begin in time are refused at once.
 */
export function createApplicantQueue(options: QueueOptions): ApplicantQueue {
  return new Queue(options);
}

class Queue implements ApplicantQueue {
  readonly #options: QueueOptions;
  /** Applicants in the order of their arrival. */
  readonly #waiting = new LinkedList<Group>();
  readonly #byKey = new Map<string, Group>();
  readonly #pace: QueuePace;
  readonly #counts = { admitted: 0, joined: 0, busy: 0, late: 0, left: 0 };
  #inFlight = 0;
  #peak = 0;
  #isDue = false;
  /** Connections and requests since the last turn. */
  #came = 0;
  #looked = 0;
  /**
   * The last turn: connections and requests that it brought, its beginning, the duration of the work that began in it, in
   * milliseconds, and the end of that.
   */
  readonly #turn = { came: 0, startedAt: 0, tookMs: 0, endedAt: 0 };
  readonly #onTurn = (): void => this.#takeTurn();
  readonly #onSettled = (): void => this.#endStep();

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#pace = new QueuePace(options.deadlineMs);
  }

  apply(applicant: Applicant): () => void {
    const { key } = applicant;
    this.#came += 1;
    if (key !== undefined && this.#options.isUnderWay(key)) return this.#join(applicant);
    const group = key === undefined ? undefined : this.#byKey.get(key);
    if (group !== undefined) {
      group.applicants.push(applicant);
      return () => this.#leave(group, applicant);
    }
    const now = this.#options.now();
    const reason = this.#reasonToRefuse(applicant.arrivedAt, now);
    if (reason === undefined) return this.#enqueue(applicant, now);
    this.#counts[reason] += 1;
    this.#pace.refused(now);
    applicant.refuse(reason);
    return () => {};
  }

  connected(): void {
    this.#came += 1;
  }

  look(): number {
    const now = this.#options.now();
    for (const group of this.#waiting) {
      if (!this.#isLate(group, now)) continue;
      this.#take(group, now);
      this.#refuse(group, now);
    }
    // The limit or the event loop may have more room than when the last one came or left.
    this.#beginSoon();
    const peak = this.#peak;
    this.#peak = this.#inFlight;
    return peak;
  }

  stats(): AdmissionStats {
    const { size } = this.#options.limit;
    const { admitted, joined, busy, late, left } = this.#counts;
    return {
      limit: Number.isFinite(size) ? size : null,
      inFlight: this.#inFlight,
      waiting: this.#waiting.size,
      admitted,
      joined,
      refused: { busy, late },
      left,
    };
  }

  #join(applicant: Applicant): () => void {
    this.#counts.admitted += 1;
    this.#counts.joined += 1;
    applicant.begin();
    return () => {};
  }

  #enqueue(applicant: Applicant, now: number): () => void {
    const { key, arrivedAt } = applicant;
    if (this.#waiting.size === 0) this.#pace.filled(now);
    const group: Group = {
      previous: undefined,
      next: undefined,
      list: undefined,
      key,
      arrivedAt,
      applicants: [applicant],
      state: 'waiting',
      begunAt: 0,
      isBurst: this.#pace.isBurst(arrivedAt, now),
    };
    this.#waiting.add(group);
    if (key !== undefined) this.#byKey.set(key, group);
    this.#beginSoon();
    return () => this.#leave(group, applicant);
  }

  #reasonToRefuse(arrivedAt: number, now: number): Refusal | undefined {
    const { deadlineMs, limit } = this.#options;
    if (limit.size === Number.POSITIVE_INFINITY) return undefined;
    const waitedMs = now - arrivedAt;
    if (waitedMs >= deadlineMs) return 'late';
    // The only request is not refused for what earlier ones took.
    if (this.#waiting.size === 0) return undefined;
    if (this.#waiting.size >= MOST_WAITING) return 'busy';
    const expectedMs = waitedMs + this.#waiting.size * this.#pace.intervalMs;
    if (expectedMs <= deadlineMs * WAIT_SHARE) return undefined;
    const isPatient = this.#pace.isBurst(arrivedAt, now);
    return isPatient && expectedMs <= this.#pace.burstWaitMs() ? undefined : 'busy';
  }

  #beginSoon(): void {
    if (this.#isDue || this.#waiting.size === 0) return;
    if (!this.#hasRoom() && !this.#mayGrow()) return;
    this.#isDue = true;
    this.#options.soon(this.#onTurn);
  }

  #takeTurn(): void {
    this.#turn.came = this.#came;
    this.#came = 0;
    if (this.#isLooking()) {
      this.#isDue = false;
      this.#beginSoon();
      return;
    }
    const now = this.#options.now();
    this.#turn.startedAt = now;
    this.#turn.tookMs = 0;
    this.#turn.endedAt = now;
    this.#step();
  }

  /**
   * A turn accepts one connection, however many wait: while each turn brings more, those are read first, and all of a burst before
   * its work begins.
   */
  #isLooking(): boolean {
    const { came, tookMs, endedAt } = this.#turn;
    if (tookMs < LOOK_MS || came === 0) {
      this.#looked = 0;
      return false;
    }
    this.#looked += 1;
    const now = this.#options.now();
    if (this.#looked <= LOOK_TURNS || now - endedAt < tookMs) return true;
    // A burst is read whole, but not so far that requests are refused for their number alone.
    if (this.#pace.isBurst(now, now) && this.#waiting.size < MOST_WAITING / 2) return true;
    this.#looked = 0;
    return false;
  }

  /** Begins one request after the other until this turn's time is up. A handler may start only after promises of its hooks. */
  #step(): void {
    const group = this.#waiting.first;
    if (group === undefined || this.#turn.tookMs >= TURN_MS || !this.#makeRoom()) {
      this.#isDue = false;
      this.#beginSoon();
      return;
    }
    const now = this.#turn.endedAt;
    this.#take(group, now);
    try {
      if (this.#isLate(group, now)) this.#refuse(group, now);
      else this.#begin(group, now);
    } finally {
      // Also after one that throws: the process may go on, and the others wait. If none does, it is not worth the time to wait for promises.
      if (this.#waiting.size > 0) this.#options.settled(this.#onSettled);
      else this.#endStep();
    }
  }

  #endStep(): void {
    const now = this.#options.now();
    this.#turn.tookMs = now - this.#turn.startedAt;
    this.#turn.endedAt = now;
    this.#step();
  }

  #hasRoom(): boolean {
    return this.#inFlight < this.#options.limit.size;
  }

  /** Returns whether the limit may grow for a burst: the event loop keeps up. */
  #mayGrow(): boolean {
    const { deadlineMs, limit, lateMs, now } = this.#options;
    return (
      this.#inFlight < limit.most &&
      this.#pace.isNew(now()) &&
      lateMs() <= deadlineMs * BURST_LATE_SHARE
    );
  }

  /**
   * Returns whether one more may be in flight, if need be by a higher limit. Not in a turn that brought more: without a limit that is reached, work
   * would begin as fast as connections are accepted, and no request would ever be seen to wait.
   */
  #makeRoom(): boolean {
    if (this.#hasRoom()) return true;
    if (this.#turn.came > 0 || !this.#mayGrow()) return false;
    this.#options.limit.grow(this.#inFlight + 1);
    return true;
  }

  #take(group: Group, now: number): void {
    this.#waiting.delete(group);
    if (group.key !== undefined) this.#byKey.delete(group.key);
    this.#pace.taken(now, this.#waiting.size);
  }

  #isLate({ arrivedAt, isBurst }: Group, now: number): boolean {
    const { deadlineMs, limit } = this.#options;
    if (limit.size === Number.POSITIVE_INFINITY) return false;
    const waitedMs = now - arrivedAt;
    // An idle server tries with the time that is left.
    if (this.#inFlight === 0) return waitedMs >= deadlineMs;
    if (waitedMs < deadlineMs * LATE_SHARE) return false;
    return !isBurst || waitedMs >= this.#pace.burstWaitMs();
  }

  #refuse(group: Group, now: number): void {
    group.state = 'over';
    this.#pace.refused(now);
    for (const applicant of group.applicants) {
      this.#counts.late += 1;
      applicant.refuse('late');
    }
  }

  #begin(group: Group, now: number): void {
    group.state = 'begun';
    group.begunAt = now;
    this.#inFlight += 1;
    this.#peak = Math.max(this.#peak, this.#inFlight);
    this.#counts.admitted += group.applicants.length;
    this.#counts.joined += group.applicants.length - 1;
    // The first one starts the work, the others join it. One may leave meanwhile.
    for (const applicant of group.applicants.slice()) applicant.begin();
  }

  #leave(group: Group, applicant: Applicant): void {
    const place = group.applicants.indexOf(applicant);
    if (place < 0) return;
    group.applicants.splice(place, 1);
    if (group.state === 'waiting') this.#counts.left += 1;
    if (group.applicants.length > 0 || group.state === 'over') return;
    if (group.state === 'begun') {
      this.#inFlight -= 1;
      this.#pace.worked(this.#options.now() - group.begunAt);
    } else {
      this.#waiting.delete(group);
      if (group.key !== undefined) this.#byKey.delete(group.key);
      if (this.#waiting.size === 0) this.#pace.emptied();
    }
    group.state = 'over';
    this.#beginSoon();
  }
}
