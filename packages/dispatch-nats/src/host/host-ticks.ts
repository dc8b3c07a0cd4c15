import type { Clock } from '@ticketing/kit';
import type { HostSession } from './host-session.ts';

/** Milliseconds between ticks while calls run or the host leaves, so that a blocked event loop and empty sessions are seen soon. */
const TICK_MS = 100;
/** Milliseconds between ticks while the host is idle: long, because each tick wakes the process. */
const IDLE_TICK_MS = 1000;
/** Least ticks within the silence that ends a session, even while the host is idle: its next call may come at any time. */
const IDLE_TICKS = 3;
/** Milliseconds of delay from which on a tick was held up. */
export const LATE_MS: number = TICK_MS / 2;

/** Options of the ticks: a clock, the sessions, and the callback of each tick. */
export interface HostTicksOptions {
  readonly clock: Clock;
  readonly sessions: ReadonlyMap<string, HostSession>;
  isActive(): boolean;
  /** Called at each tick, `lateMs` after its time. */
  tick(now: number, lateMs: number): void;
}

/** Timer by which a host checks itself and its sessions, more often while calls run. */
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

  /** Brings the next tick forward, for a host that is active from now on. */
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
