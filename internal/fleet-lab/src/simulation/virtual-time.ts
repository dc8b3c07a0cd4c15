import type { Clock } from '@ticketing/dispatch';

interface Timer {
  readonly at: number;
  readonly order: number;
  callback: (() => void) | undefined;
}

/** Most cancelled timers in the heap. */
const MOST_CANCELLED = 1000;

/** Time that passes from event to event. Events of one instant happen in the order in which they were set. */
export class VirtualTime {
  /** Milliseconds. */
  now = 0;
  /** Events that have happened. */
  events = 0;
  /** A binary heap: the first is the next. */
  #heap: Timer[] = [];
  /** Cancelled timers that are still in the heap. */
  #cancelled = 0;
  #lastOrder = 0;

  at(at: number, callback: () => void): Timer {
    this.#lastOrder += 1;
    const timer = { at: Math.max(at, this.now), order: this.#lastOrder, callback };
    this.#up(timer);
    return timer;
  }

  cancel(timer: unknown): void {
    const cancelled = timer as Timer | undefined;
    if (cancelled?.callback === undefined) return;
    cancelled.callback = undefined;
    this.#cancelled += 1;
    if (this.#cancelled < MOST_CANCELLED || 2 * this.#cancelled < this.#heap.length) return;
    // Most limits of calls are cancelled long before they pass.
    this.#heap = this.#heap.filter(({ callback }) => callback !== undefined);
    this.#heap.sort((one, other) => (isBefore(one, other) ? -1 : 1));
    this.#cancelled = 0;
  }

  /**
   * Lets time pass until `end`. Events within `grainMs` happen in one turn of the event loop: what they cause by promises and
   * `nextTick` comes after the last of them.
   */
  async run(end: number, grainMs: number): Promise<void> {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || first.at > end) break;
      const until = Math.min(end, first.at + grainMs);
      for (let next = this.#heap[0]; next !== undefined && next.at <= until; next = this.#heap[0]) {
        this.#pop();
        const { at, callback } = next;
        if (callback === undefined) {
          this.#cancelled -= 1;
          continue;
        }
        this.now = at;
        this.events += 1;
        next.callback = undefined;
        callback();
      }
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    this.now = end;
  }

  #up(timer: Timer): void {
    const heap = this.#heap;
    let index = heap.push(timer) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Timer;
      if (!isBefore(timer, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = timer;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Timer;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as Timer)) child += 1;
      const below = heap[child] as Timer;
      if (!isBefore(below, last)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** State of a machine. `stopped`: it goes on later, and then reads the messages of that time. */
export type MachineState = 'up' | 'stopped' | 'dead';

/** Machine with a clock of its own origin and rate, and its events. */
export class Machine implements Clock {
  readonly zone: string;
  state: MachineState = 'up';
  readonly #time: VirtualTime;
  readonly #origin: number;
  readonly #rate: number;
  readonly #backlog: (() => void)[] = [];

  /** Creates a machine; `rate` of its milliseconds pass in one. */
  constructor(
    time: VirtualTime,
    {
      zone,
      origin,
      rate,
    }: { readonly zone: string; readonly origin: number; readonly rate: number },
  ) {
    this.#time = time;
    this.zone = zone;
    this.#origin = origin;
    this.#rate = rate;
  }

  now(): number {
    return this.#origin + this.#time.now * this.#rate;
  }

  setTimeout(callback: () => void, ms: number): unknown {
    return this.#time.at(this.#time.now + ms / this.#rate, () => this.does(callback));
  }

  clearTimeout(timer: unknown): void {
    this.#time.cancel(timer);
  }

  /** Does something now, later, or never. */
  does(what: () => void): void {
    if (this.state === 'up') what();
    else if (this.state === 'stopped') this.#backlog.push(what);
  }

  stop(): void {
    if (this.state === 'up') this.state = 'stopped';
  }

  goOn(): void {
    if (this.state !== 'stopped') return;
    this.state = 'up';
    for (const what of this.#backlog.splice(0)) what();
  }

  die(): void {
    this.state = 'dead';
    this.#backlog.length = 0;
  }
}
