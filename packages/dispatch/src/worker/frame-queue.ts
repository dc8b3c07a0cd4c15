import type { RunFrame } from '../contract/frames.ts';

/** Calls that wait in a worker, in the order of `seq`. */
export class FrameQueue {
  #frames: RunFrame[] = [];
  #at = 0;
  /** Removed from the middle; skipped when their turn comes. */
  readonly #removed = new Set<number>();

  get empty(): boolean {
    this.#passRemoved();
    return this.#at === this.#frames.length;
  }

  push(frame: RunFrame): void {
    this.#frames.push(frame);
  }

  shift(): RunFrame | undefined {
    this.#passRemoved();
    const frame = this.#frames[this.#at];
    this.#advance();
    return frame;
  }

  /** Removes a call. @returns whether it was there */
  remove(seq: number): boolean {
    const first = this.#frames[this.#at];
    const last = this.#frames.at(-1);
    if (first === undefined || last === undefined) return false;
    if (seq < first.seq || seq > last.seq || this.#removed.has(seq)) return false;
    this.#removed.add(seq);
    return true;
  }

  clear(): void {
    this.#frames = [];
    this.#at = 0;
    this.#removed.clear();
  }

  #passRemoved(): void {
    while (this.#removed.size > 0) {
      const frame = this.#frames[this.#at];
      if (frame === undefined || !this.#removed.delete(frame.seq)) return;
      this.#advance();
    }
  }

  #advance(): void {
    this.#at += 1;
    if (this.#at >= this.#frames.length) this.clear();
    else if (this.#at === 1024) {
      this.#frames.splice(0, this.#at);
      this.#at = 0;
    }
  }
}
