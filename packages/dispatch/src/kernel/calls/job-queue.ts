/** Milliseconds of waiting that one step of priority is worth. */
export const AGEING_MS = 1000;

/** What a queue holds: a job that carries its own links, so that removal costs the same anywhere. */
export interface Queued {
  readonly priority: number;
  /** Milliseconds; never less than that of a job pushed before. */
  readonly enqueuedAt: number;
  /** Above that of each job pushed before; it decides among equals, and where a job put back belongs. */
  readonly order: number;
  /** Of the queue alone, like `next` and `list`: undefined outside of one. */
  previous: Queued | undefined;
  next: Queued | undefined;
  list: JobList | undefined;
}

/** The jobs of one priority, in their order. Never empty. */
export interface JobList {
  readonly queue: object;
  readonly priority: number;
  head: Queued;
  tail: Queued;
  size: number;
  /** The latest that was put back and is still here: the next one belongs near it. */
  lastBack: Queued | undefined;
}

/**
 * Jobs by priority with linear ageing: first goes the least `enqueuedAt - priority * AGEING_MS`, and of equals the one
 * that was pushed first. So a job overtakes those that wait for less than a second for each step that it is above them,
 * and none waits for ever.
 *
 * All jobs age alike, so the difference of two never changes: the jobs of one priority stay in the order of their
 * arrival, and the first of all is the first of one priority. A list for each is enough; only their heads are compared.
 */
export class JobQueue<J extends Queued> {
  readonly #lists = new Map<number, JobList>();
  /** Whose head is the first of all; undefined when that must be looked up. */
  #first: JobList | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a job that is in no queue. */
  push(job: J): void {
    const list = this.#lists.get(job.priority);
    this.#link(job, list, list?.tail);
  }

  /**
   * Returns a job to where it was: before those that were pushed after it. Costs a step for each job between there and
   * that of the one put back before it, at first the head: many that come back in their order, or in reverse, cost little.
   */
  putBack(job: J): void {
    const list = this.#lists.get(job.priority);
    let before = list?.lastBack;
    while (before !== undefined && before.order > job.order) before = before.previous;
    let after = before === undefined ? list?.head : before.next;
    while (after !== undefined && after.order < job.order) {
      before = after;
      after = after.next;
    }
    this.#link(job, list, before);
    if (job.list !== undefined) job.list.lastBack = job;
  }

  /** How many go before a job of a priority that is pushed now. Of those below it some may have aged enough: an estimate. */
  before(priority: number, now: number): number {
    let count = 0;
    for (const { priority: other, size, head, tail } of this.#lists.values()) {
      const [first, last] = [head.enqueuedAt, tail.enqueuedAt];
      const since = now - (priority - other) * AGEING_MS;
      if (since >= last) count += size;
      else if (since > first) count += Math.ceil((size * (since - first)) / (last - first));
    }
    return count;
  }

  /** Takes a job out; false if it is not in this queue. */
  remove(job: J): boolean {
    const { list } = job;
    if (list?.queue !== this) return false;
    this.#unlink(job, list);
    return true;
  }

  /** The job that goes first. */
  peek(): J | undefined {
    if (this.#first === undefined) {
      for (const list of this.#lists.values()) this.#offer(list);
    }
    return this.#first?.head as J | undefined;
  }

  /** Takes out the job that goes first. */
  shift(): J | undefined {
    const job = this.peek();
    if (job?.list !== undefined) this.#unlink(job, job.list);
    return job;
  }

  /** Puts a job after another of its list, or at the head. */
  #link(job: J, list: JobList | undefined, before: Queued | undefined): void {
    this.#size += 1;
    if (list === undefined) {
      job.list = {
        queue: this,
        priority: job.priority,
        head: job,
        tail: job,
        size: 1,
        lastBack: undefined,
      };
      this.#lists.set(job.priority, job.list);
      if (this.#first !== undefined || this.#size === 1) this.#offer(job.list);
      return;
    }
    const after = before === undefined ? list.head : before.next;
    list.size += 1;
    job.list = list;
    job.previous = before;
    job.next = after;
    if (after === undefined) list.tail = job;
    else after.previous = job;
    if (before !== undefined) before.next = job;
    else {
      list.head = job;
      if (this.#first !== undefined) this.#offer(list);
    }
  }

  #unlink(job: J, list: JobList): void {
    const { previous, next } = job;
    this.#size -= 1;
    list.size -= 1;
    if (previous !== undefined) previous.next = next;
    else if (next !== undefined) list.head = next;
    else this.#lists.delete(list.priority);
    if (next !== undefined) next.previous = previous;
    else if (previous !== undefined) list.tail = previous;
    if (list.lastBack === job) list.lastBack = previous ?? next;
    // The head of another list may go first now; the only list stays the first.
    if (previous === undefined && list === this.#first) {
      if (next === undefined || this.#lists.size > 1) this.#first = undefined;
    }
    job.previous = undefined;
    job.next = undefined;
    job.list = undefined;
  }

  #offer(list: JobList): void {
    if (goesBefore(list.head, this.#first?.head)) this.#first = list;
  }
}

/** Whether a job goes before another, also one of another queue. */
export function goesBefore(job: Queued, other: Queued | undefined): boolean {
  if (other === undefined) return true;
  const lead = due(job) - due(other);
  return lead < 0 || (lead === 0 && job.order < other.order);
}

function due({ enqueuedAt, priority }: Queued): number {
  return enqueuedAt - priority * AGEING_MS;
}
