import type { Clock } from '@ticketing/kit';
import type { HostSession } from './host-session.ts';

/** While calls run, or the host leaves: for a blocked event loop, and for what it may let go. */
const TICK_MS = 100;
/** While the host is idle: each tick wakes the process. */
const IDLE_TICK_MS = 1000;
/** In the time of silence that ends a session, also while the host is idle: its next call may come at any time. */
const IDLE_TICKS = 3;
/** A tick that is later than this was held up by something. */
export const LATE_MS: number = TICK_MS / 2;

export interface HostTicksOptions {
  readonly clock: Clock;
  readonly sessions: ReadonlyMap<string, HostSession>;
  isActive(): boolean;
  /** `lateMs`: how long after its time it comes. */
  tick(now: number, lateMs: number): void;
}

/** Has a host look at itself and its sessions, often while there is something to see. */
export class HostTicks {
  readonly #options: HostTicksOptions;
  #timer: unknown;
  #dueAt = 0;
  #isClosed = false;

  constructor(options: HostTicksOptions) {
    this.#options = options;
  }

  start(): void {
    this.#later(this.#options.clock.now());
  }

  /** The host is active from now on. */
  sooner(): void {
    const now = this.#options.clock.now();
    if (this.#dueAt - now > TICK_MS) this.#later(now);
  }

  close(): void {
    this.#isClosed = true;
    this.#options.clock.clearTimeout(this.#timer);
  }

  #later(now: number): void {
    const { clock } = this.#options;
    if (this.#isClosed) return;
    clock.clearTimeout(this.#timer);
    const ms = this.#nextMs();
    this.#dueAt = now + ms;
    this.#timer = clock.setTimeout(() => this.#tick(), ms);
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
  }

  #nextMs(): number {
    const { isActive, sessions } = this.#options;
    if (isActive()) return TICK_MS;
    const shortest = Math.min(...[...sessions.values()].map(({ silentAfterMs }) => silentAfterMs));
    return Math.max(TICK_MS, Math.min(IDLE_TICK_MS, shortest / IDLE_TICKS));
  }

  #tick(): void {
    const now = this.#options.clock.now();
    const lateMs = now - this.#dueAt;
    this.#options.tick(now, lateMs);
    this.#later(now);
  }
}
