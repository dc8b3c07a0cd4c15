import type { Clock } from '@ticketing/kit';

/** Something that may last for a limited time. */
export interface Limited {
  /** Start of the limits, by their own clock. */
  readonly enqueuedAt: number;
}

/** Time limit, with the code of the error that reports its end. */
export interface TimeLimit<T> {
  readonly call: T;
  readonly code: 'ERR_TIMEOUT' | 'ERR_QUEUE_TIMEOUT';
  readonly ms: number;
  /** Time at which the limit passes. */
  readonly at: number;
  // The list that has it, and its neighbours there; undefined once it has passed or is removed.
  list: LimitList<T> | undefined;
  previous: TimeLimit<T> | undefined;
  next: TimeLimit<T> | undefined;
}

/** Limits of one duration, in the order in which they pass. */
interface LimitList<T> {
  readonly ms: number;
  first: TimeLimit<T> | undefined;
  last: TimeLimit<T> | undefined;
  timer: unknown;
}

/**
 * Time limits with one timer for each duration: limits of one duration pass in the order in which they began. Adding and removing a
 * limit takes a few steps, however many there are; one timer per limit would take longer than a small task.
 */
export class TimeLimits<T extends Limited> {
  readonly #clock: Clock;
  readonly #passed: (limit: TimeLimit<T>) => void;
  readonly #lists = new Map<number, LimitList<T>>();

  /** @param passed - Called once for each limit that passes and was not removed before */
  constructor(clock: Clock, passed: (limit: TimeLimit<T>) => void) {
    this.#clock = clock;
    this.#passed = passed;
  }

  /** Begins a limit that passes `ms` after `enqueuedAt`. */
  add(call: T, code: TimeLimit<T>['code'], ms: number): TimeLimit<T> {
    const at = call.enqueuedAt + ms;
    let list = this.#lists.get(ms);
    if (list === undefined) {
      list = { ms, first: undefined, last: undefined, timer: undefined };
      this.#lists.set(ms, list);
      // It may have begun a while ago.
      this.#arm(list, Math.max(0, at - this.#clock.now()));
    }
    const limit: TimeLimit<T> = { call, code, ms, at, list, previous: list.last, next: undefined };
    if (list.last === undefined) list.first = limit;
    else list.last.next = limit;
    list.last = limit;
    return limit;
  }

  /** Removes a limit. Does nothing after it has passed. */
  remove(limit: TimeLimit<T>): void {
    const { list } = limit;
    if (list === undefined) return;
    unlink(limit, list);
    if (list.first !== undefined) return;
    // A timer would keep the process alive.
    this.#clock.clearTimeout(list.timer);
    this.#forget(list);
  }

  #forget(list: LimitList<T>): void {
    // A limit that began meanwhile has a new list.
    if (this.#lists.get(list.ms) === list) this.#lists.delete(list.ms);
  }

  #arm(list: LimitList<T>, ms: number): void {
    list.timer = this.#clock.setTimeout(() => this.#check(list), ms);
  }

  #check(list: LimitList<T>): void {
    const now = this.#clock.now();
    // Whoever hears of one may remove others: the loop reads the first limit again after each.
    for (let limit = list.first; limit !== undefined && limit.at <= now; limit = list.first) {
      unlink(limit, list);
      if (list.first === undefined) this.#forget(list);
      this.#passed(limit);
    }
    const { first } = list;
    if (first !== undefined) this.#arm(list, first.at - now);
  }
}

function unlink<T>(limit: TimeLimit<T>, list: LimitList<T>): void {
  const { previous, next } = limit;
  if (previous === undefined) list.first = next;
  else previous.next = next;
  if (next === undefined) list.last = previous;
  else next.previous = previous;
  limit.list = undefined;
  limit.previous = undefined;
  limit.next = undefined;
}
