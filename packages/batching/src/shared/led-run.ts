import type { LoadContext } from '../coalescer/coalescer.ts';
import { BatchingError } from '../errors.ts';
import type { Lease } from './coordinator.ts';
import type { ResolvedShareLoadsOptions } from './share-loads-options.ts';

/** Looks per lease time whether other processes still wait for a load that has no caller here. */
const LOOKS = 3;

/**
 * Context of a leader's loader. Its signal aborts when the lease is lost, and as the coalescer's does; but when the
 * last caller of this process leaves, the load goes on while other processes wait for it.
 */
export class LedRun<K> implements LoadContext<K> {
  readonly key: K;
  readonly #context: LoadContext<K>;
  readonly #lease: Lease;
  readonly #controller = new AbortController();
  readonly #options: Pick<ResolvedShareLoadsOptions<K, unknown>, 'clock' | 'leaseMs'>;
  readonly #onLost = (): void => this.#abort(this.#lease.lost.reason);
  readonly #onAbort = (): void => void this.#left(this.#context.signal.reason);
  #timer: unknown;
  #hasEnded = false;

  constructor(
    lease: Lease,
    context: LoadContext<K>,
    options: Pick<ResolvedShareLoadsOptions<K, unknown>, 'clock' | 'leaseMs'>,
  ) {
    this.key = context.key;
    this.#context = context;
    this.#lease = lease;
    this.#options = options;
    lease.lost.addEventListener('abort', this.#onLost, { once: true });
    context.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get waiters(): number {
    return this.#context.waiters;
  }

  end(): void {
    this.#hasEnded = true;
    this.#lease.lost.removeEventListener('abort', this.#onLost);
    this.#context.signal.removeEventListener('abort', this.#onAbort);
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
  }

  #abort(reason: unknown): void {
    this.#controller.abort(reason);
    // The next one need not wait until this loader has noticed.
    void this.#lease.release();
  }

  /** Called when the callers of this process left, or when its time is up, and then a few times per lease. */
  async #left(reason: unknown): Promise<void> {
    const isTimeUp = BatchingError.is(reason) && ENDS.has(reason.code);
    const others = isTimeUp ? 0 : await this.#lease.waiters();
    if (this.#hasEnded) return;
    if (others === 0) return this.#abort(reason);
    const { clock, leaseMs } = this.#options;
    this.#timer = clock.setTimeout(() => void this.#left(reason), leaseMs / LOOKS);
  }
}

/** Reasons of a coalescer that end a load, also while other processes wait. */
const ENDS: ReadonlySet<string> = new Set(['ERR_LOAD_TIMEOUT', 'ERR_CLOSED']);
