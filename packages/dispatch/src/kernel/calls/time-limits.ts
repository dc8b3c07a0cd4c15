import type { Clock } from '@ticketing/kit';
import type { Call } from './call.ts';
import type { TimeoutCode } from './call-errors.ts';

/** A time limit of a call. */
export interface TimeLimit {
  readonly call: Call;
  readonly code: TimeoutCode;
  readonly ms: number;
  /** When it passes. */
  readonly at: number;
  // Its list, and its neighbours there; undefined once it has passed or is removed.
  list: LimitList | undefined;
  previous: TimeLimit | undefined;
  next: TimeLimit | undefined;
}

/** Limits of one duration, in the order in which they pass. */
interface LimitList {
  readonly ms: number;
  first: TimeLimit | undefined;
  last: TimeLimit | undefined;
  timer: unknown;
}

/**
 * Time limits of calls, with one timer for each duration: limits of one duration pass in the order in which they began. To add
 * or to remove a limit takes a few steps, however many there are; one timer per limit would take longer than a small task.
 */
export class TimeLimits {
  readonly #clock: Clock;
  readonly #passed: (limit: TimeLimit) => void;
  readonly #lists = new Map<number, LimitList>();

  /** @param passed - Called once for each limit that passes and was not removed before */
  constructor(clock: Clock, passed: (limit: TimeLimit) => void) {
    this.#clock = clock;
    this.#passed = passed;
  }

  /** Begins a limit that passes `ms` after the call was enqueued. */
  add(call: Call, code: TimeoutCode, ms: number): TimeLimit {
    const at = call.enqueuedAt + ms;
    let list = this.#lists.get(ms);
    if (list === undefined) {
      list = { ms, first: undefined, last: undefined, timer: undefined };
      this.#lists.set(ms, list);
      // The call may have been made a while ago.
      this.#arm(list, Math.max(0, at - this.#clock.now()));
    }
    const limit: TimeLimit = { call, code, ms, at, list, previous: list.last, next: undefined };
    if (list.last === undefined) list.first = limit;
    else list.last.next = limit;
    list.last = limit;
    return limit;
  }

  /** Removes a limit. Does nothing after it has passed. */
  remove(limit: TimeLimit): void {
    const { list } = limit;
    if (list === undefined) return;
    unlink(limit, list);
    if (list.first !== undefined) return;
    // A timer would keep the process alive.
    this.#clock.clearTimeout(list.timer);
    this.#forget(list);
  }

  #forget(list: LimitList): void {
    // A call that was made meanwhile has a new list.
    if (this.#lists.get(list.ms) === list) this.#lists.delete(list.ms);
  }

  #arm(list: LimitList, ms: number): void {
    list.timer = this.#clock.setTimeout(() => this.#check(list), ms);
  }

  #check(list: LimitList): void {
    const now = this.#clock.now();
    // To end a call may end others, so the loop reads the list's first limit again after each.
    for (let limit = list.first; limit !== undefined && limit.at <= now; limit = list.first) {
      unlink(limit, list);
      if (list.first === undefined) this.#forget(list);
      this.#passed(limit);
    }
    const { first } = list;
    if (first !== undefined) this.#arm(list, first.at - now);
  }
}

function unlink(limit: TimeLimit, list: LimitList): void {
  const { previous, next } = limit;
  if (previous === undefined) list.first = next;
  else previous.next = next;
  if (next === undefined) list.last = previous;
  else next.previous = previous;
  limit.list = undefined;
  limit.previous = undefined;
  limit.next = undefined;
}
