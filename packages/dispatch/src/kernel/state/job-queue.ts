/** Milliseconds of waiting that one step of priority is worth. */
export const AGEING_MS = 1000;

/** A job carries its own links, so that removal costs the same anywhere in the queue. */
export interface Queued {
  readonly priority: number;
  /** Milliseconds; at least that of each job pushed before. */
  readonly enqueuedAt: number;
  /** Position, above that of each job pushed before. Orders equals, and jobs that are put back. */
  readonly order: number;
  /** Set by the queue alone, like `next` and `list`: undefined outside of one. */
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
  /** The job put back last, if it is still here: the next one belongs near it. */
  lastBack: Queued | undefined;
}

/**
 * Jobs by priority with linear ageing: the least `enqueuedAt - priority * AGEING_MS` goes first, and of equals the one
 * pushed first. So each step of priority is worth one second of waiting, and no job waits for ever.
 *
 * All jobs age alike, so jobs of one priority stay in the order of their arrival: one list per priority is enough, and
 * only the heads are compared.
 */
export class JobQueue<J extends Queued> {
  readonly #lists = new Map<number, JobList>();
  /** The list whose head goes first; undefined when that must be looked up. */
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
   * Returns a job to its position, before those pushed after it. Searches from the job put back last, at first from the
   * head: many that come back in their order, or in reverse, cost little.
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

  /** Estimates how many go before a job pushed now: jobs of a lower priority may have aged enough. */
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

  /** Returns the job that goes first. */
  peek(): J | undefined {
    if (this.#first === undefined) {
      for (const list of this.#lists.values()) this.#offer(list);
    }
    return this.#first?.head as J | undefined;
  }

  /** Removes and returns the job that goes first. */
  shift(): J | undefined {
    const job = this.peek();
    if (job?.list !== undefined) this.#unlink(job, job.list);
    return job;
  }

  /** Inserts a job after another of its list, or at the head. */
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

/** Returns true if a job goes before another, even of another queue. */
export function goesBefore(job: Queued, other: Queued | undefined): boolean {
  if (other === undefined) return true;
  const lead = due(job) - due(other);
  return lead < 0 || (lead === 0 && job.order < other.order);
}

function due({ enqueuedAt, priority }: Queued): number {
  return enqueuedAt - priority * AGEING_MS;
}
