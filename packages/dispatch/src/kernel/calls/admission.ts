import type { RunOptions } from '../../contract/dispatcher.ts';
import type { KernelCounts } from '../kernel-counts.ts';
import type { ResolvedPoolOptions } from '../resolve-pool-options.ts';
import { overloadedChannel } from '../workers/pool-events.ts';
import type { Target } from './call.ts';
import { overloaded, queueFull } from './call-errors.ts';
import type { Feeder } from './feeder.ts';

/** Decides whether a call that no worker has room for may wait. */
export class Admission {
  readonly #feeder: Feeder;
  readonly #counts: KernelCounts;
  readonly #options: ResolvedPoolOptions;

  constructor(
    parts: { readonly feeder: Feeder; readonly counts: KernelCounts },
    options: ResolvedPoolOptions,
  ) {
    this.#feeder = parts.feeder;
    this.#counts = parts.counts;
    this.#options = options;
  }

  /** Whether a call without options would be refused for the time that it would wait. */
  get isOverloaded(): boolean {
    return (this.expectedWaitMs() ?? 0) > this.#options.maxWaitMs;
  }

  /** Milliseconds that a call would wait for a worker; undefined if nothing is known. */
  expectedWaitMs(): number | undefined {
    const target = { key: undefined, slot: undefined };
    if (this.#feeder.workerFor(target) !== undefined) return 0;
    return this.#feeder.expectedWaitMs(target, 0);
  }

  /**
   * Passes a call that may wait.
   *
   * @throws DispatchError `ERR_QUEUE_FULL`; `ERR_OVERLOADED` if it would wait for longer than it may
   */
  check(task: string, target: Target, options: RunOptions | undefined): void {
    const { name, maxQueue } = this.#options;
    if (this.#feeder.size >= maxQueue) {
      // One more worker will have room.
      this.#feeder.help(target);
      throw queueFull(name, task, maxQueue);
    }
    const { option, limitMs, allowedMs } = this.#limitOf(task, options);
    if (allowedMs === Number.POSITIVE_INFINITY) return;
    const waitMs = this.#feeder.expectedWaitMs(target, options?.priority ?? 0);
    // At the head of the queue it is the next one, however long it takes.
    if (waitMs === undefined || waitMs === 0 || waitMs <= allowedMs) return;
    this.#counts.refused += 1;
    const expectedWaitMs = Math.ceil(waitMs);
    // The queue may be as long as it may wait then.
    const retryAfterMs = Math.max(1, Math.ceil(waitMs - Math.max(0, allowedMs)));
    if (overloadedChannel.hasSubscribers) {
      overloadedChannel.publish({ name, task, expectedWaitMs, retryAfterMs });
    }
    throw overloaded({ name, task, option, limit: limitMs, expectedWaitMs, retryAfterMs });
  }

  /** The option that ends its waiting first; what a task takes at its worker counts for `timeoutMs` too. */
  #limitOf(
    task: string,
    options: RunOptions | undefined,
  ): { readonly option: string; readonly limitMs: number; readonly allowedMs: number } {
    const { maxWaitMs } = this.#options;
    let least = { option: 'maxWaitMs', limitMs: maxWaitMs, allowedMs: maxWaitMs };
    const { timeoutMs, queueTimeoutMs } = options ?? {};
    if (queueTimeoutMs !== undefined && queueTimeoutMs < least.allowedMs) {
      least = { option: 'queueTimeoutMs', limitMs: queueTimeoutMs, allowedMs: queueTimeoutMs };
    }
    if (timeoutMs !== undefined) {
      const allowedMs = timeoutMs - this.#feeder.departures.heldMs(task);
      if (allowedMs < least.allowedMs)
        least = { option: 'timeoutMs', limitMs: timeoutMs, allowedMs };
    }
    return least;
  }
}
