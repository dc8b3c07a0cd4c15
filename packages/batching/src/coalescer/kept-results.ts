import type { KeyValue } from '../canonical-key.ts';
import type { ResolvedCoalescerOptions } from './coalescer-options.ts';

/** A result that answers further calls for a while. */
export interface Kept<V> {
  /** Settled; given to each caller as it is. */
  readonly promise: Promise<V>;
  readonly outcome:
    | { readonly kind: 'value'; readonly value: V }
    | { readonly kind: 'error'; readonly error: unknown };
  readonly freshUntil: number;
  readonly staleUntil: number;
  /** Set when a renewal has failed: when the next one may be tried. */
  readonly renewFrom?: number;
}

/** Results by key, bounded: the least recently used is dropped first. Expiry is checked when a key is asked for. */
export interface KeptResults<K, V> {
  readonly size: number;
  /** Returns a result that is fresh or stale now, and marks it as used. */
  use(id: KeyValue): Kept<V> | undefined;
  /** The same without marking it. */
  peek(id: KeyValue): Kept<V> | undefined;
  isFresh(kept: Kept<V>): boolean;
  /** Whether a stale value may be renewed now. */
  mayRenew(kept: Kept<V>): boolean;
  keepValue(id: KeyValue, key: K, promise: Promise<V>, value: V): void;
  /** Keeps a failure. A stale value stays, and is not renewed for `errorTtlMs`. */
  keepError(id: KeyValue, promise: Promise<V>, error: unknown): void;
  delete(id: KeyValue): boolean;
  clear(): void;
}

/** Creates the results of a coalescer; `undefined` if its options keep none. */
export function createKeptResults<K, V>(
  options: ResolvedCoalescerOptions<K, V>,
): KeptResults<K, V> | undefined {
  const { ttlMs, staleMs, errorTtlMs, jitter, maxEntries, clock, random } = options;
  if (ttlMs === 0 && errorTtlMs === 0 && staleMs === 0) return undefined;
  const results = new Map<KeyValue, Kept<V>>();

  function peek(id: KeyValue): Kept<V> | undefined {
    const kept = results.get(id);
    if (kept === undefined || clock.now() < kept.staleUntil) return kept;
    results.delete(id);
    return undefined;
  }

  function store(id: KeyValue, kept: Kept<V>): void {
    results.delete(id);
    results.set(id, kept);
    if (results.size > maxEntries) results.delete(results.keys().next().value);
  }

  /** Calls a `ttlMs` function. A result that is no positive number, or a throw, keeps nothing. */
  function lifetime(value: V, key: K): number {
    if (typeof ttlMs === 'number') return ttlMs;
    try {
      return Math.max(0, ttlMs(value, key)) || 0;
    } catch {
      return 0;
    }
  }

  return {
    get size() {
      return results.size;
    },
    use(id) {
      const kept = peek(id);
      if (kept !== undefined) {
        results.delete(id);
        results.set(id, kept);
      }
      return kept;
    },
    peek,
    isFresh: (kept) => clock.now() < kept.freshUntil,
    mayRenew: ({ renewFrom }) => renewFrom === undefined || clock.now() >= renewFrom,
    keepValue(id, key, promise, value) {
      const ms = lifetime(value, key) * (1 - jitter * random());
      if (ms > 0) {
        const freshUntil = clock.now() + ms;
        const staleUntil = freshUntil + staleMs;
        store(id, { promise, outcome: { kind: 'value', value }, freshUntil, staleUntil });
      } else results.delete(id);
    },
    keepError(id, promise, error) {
      const until = clock.now() + errorTtlMs;
      const before = peek(id);
      if (before?.outcome.kind === 'value') {
        results.set(id, { ...before, renewFrom: until });
      } else if (errorTtlMs > 0) {
        store(id, {
          promise,
          outcome: { kind: 'error', error },
          freshUntil: until,
          staleUntil: until,
        });
      }
    },
    delete: (id) => results.delete(id),
    clear: () => results.clear(),
  };
}
