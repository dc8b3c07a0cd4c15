import type { Call } from './call.ts';

/** Calls in the order of their coming, each in one list at a time. It holds none that has gone, and makes nothing for one. */
export class CallList {
  /** With a gap for each call that has gone; from `#end` on all are gaps. */
  readonly #calls: (Call | undefined)[] = [];
  #end = 0;
  #size = 0;

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  add(call: Call): void {
    call.watched = this;
    call.watchedAt = this.#end;
    if (this.#end < this.#calls.length) this.#calls[this.#end] = call;
    else this.#calls.push(call);
    this.#end += 1;
    this.#size += 1;
  }

  /** Removes a call that is in this list. */
  remove(call: Call): void {
    call.watched = undefined;
    this.#calls[call.watchedAt] = undefined;
    this.#size -= 1;
    if (this.#size === 0) this.#end = 0;
  }

  /** Calls `visit` with each. It may remove any of them. */
  forEach(visit: (call: Call) => void): void {
    for (let place = 0; place < this.#end; place += 1) {
      const call = this.#calls[place];
      if (call !== undefined) visit(call);
    }
  }
}
