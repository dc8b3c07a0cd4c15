import type { Clock } from '@ticketing/kit';
import { TICKS_OF_BEAT } from './questions.ts';

/** Options of the beats: a clock, and the callback of each tick. */
export interface BeatsOptions {
  readonly clock: Clock;
  readonly beatMs: number;
  /** Called at each tick. `sleptMs`: this process slept, and reads the messages of that time after this tick. */
  tick(now: number, sleptMs: number): void;
  /** Called once per beat, after its last tick. */
  beat(now: number): void;
}

/** Timer by which a dispatcher checks its sessions, some times per beat. */
export class Beats {
  readonly #options: BeatsOptions;
  #timer: unknown;
  #dueAt = 0;
  #ticks = 0;

  constructor(options: BeatsOptions) {
    this.#options = options;
    this.#later();
  }

  close(): void {
    this.#options.clock.clearTimeout(this.#timer);
  }

  #later(): void {
    const { clock, beatMs } = this.#options;
    const ms = beatMs / TICKS_OF_BEAT;
    this.#ticks += 1;
    this.#dueAt = clock.now() + ms;
    this.#timer = clock.setTimeout(() => this.#tick(), ms);
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
  }

  #tick(): void {
    const { clock, beatMs } = this.#options;
    const now = clock.now();
    const lateMs = now - this.#dueAt;
    const isBeat = this.#ticks % TICKS_OF_BEAT === 0;
    this.#later();
    this.#options.tick(now, lateMs > beatMs / 2 ? lateMs : 0);
    if (isBeat) this.#options.beat(now);
  }
}
