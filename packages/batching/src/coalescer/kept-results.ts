import type { KeyValue } from '../canonical-key.ts';
import type { ResolvedCoalescerOptions } from './coalescer-options.ts';
import { TagIndex } from './tag-index.ts';
import { TaggedLoads } from './tagged-loads.ts';

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
  readonly tags?: readonly string[] | undefined;
  /** Size of the value by `sizeOf`. */
  readonly bytes: number;
}

/** An option that is a number, or depends on the value. */
type OfValue<K, V> = number | ((value: V, key: K) => number);

/** Load whose result is kept. */
export interface EndedLoad<K> {
  readonly id: KeyValue;
  readonly key: K;
}

/** Results by key, bounded: the least recently used is dropped first. Expiry is checked when a key is asked for. */
export interface KeptResults<K, V> {
  readonly size: number;
  /** Sum of the sizes of the values. */
  readonly bytes: number;
  /** Results that were not kept, because one of their tags was forgotten while they loaded. */
  readonly outdated: number;
  /** Present with option `tags`. */
  readonly tagged: { readonly index: TagIndex; readonly loads: TaggedLoads<K, V> } | undefined;
  /** Returns a result that is fresh or stale now, and marks it as used. */
  use(id: KeyValue): Kept<V> | undefined;
  /** Returns a result that is fresh or stale now, and marks nothing. */
  peek(id: KeyValue): Kept<V> | undefined;
  isFresh(kept: Kept<V>): boolean;
  /** Returns whether a stale value may be renewed now. */
  mayRenew(kept: Kept<V>): boolean;
  /** Keeps a value, unless it is outdated. */
  keepValue(load: EndedLoad<K>, promise: Promise<V>, value: V): void;
  /** Keeps a failure. A stale value stays, and is not renewed for `errorTtlMs`. */
  keepError(id: KeyValue, promise: Promise<V>, error: unknown): void;
  delete(id: KeyValue): boolean;
  /** Drops all results with a tag. Returns how many of them had not expired. */
  deleteTagged(tag: string): number;
  clear(): void;
}

/** Creates the results of a coalescer; `undefined` if its options keep none. */
export function createKeptResults<K, V>(
  options: ResolvedCoalescerOptions<K, V>,
): KeptResults<K, V> | undefined {
  const { name, ttlMs, staleMs, errorTtlMs, jitter, tags, clock, random } = options;
  const { maxEntries, maxBytes, sizeOf } = options;
  // With tags it also has what is known of loads in flight.
  if (ttlMs === 0 && errorTtlMs === 0 && staleMs === 0 && tags === undefined) return undefined;
  const tagged = tags && { index: new TagIndex(), loads: new TaggedLoads(name, tags) };
  const results = new Map<KeyValue, Kept<V>>();
  let outdated = 0;
  let bytes = 0;

  function peek(id: KeyValue): Kept<V> | undefined {
    const kept = results.get(id);
    if (kept === undefined || clock.now() < kept.staleUntil) return kept;
    drop(id);
    return undefined;
  }

  const drop =
    tagged === undefined && sizeOf === undefined
      ? (id: KeyValue): boolean => results.delete(id)
      : (id: KeyValue): boolean => {
          const kept = results.get(id);
          if (kept === undefined) return false;
          bytes -= kept.bytes;
          if (tagged !== undefined && kept.tags !== undefined) tagged.index.remove(id, kept.tags);
          return results.delete(id);
        };

  function store(id: KeyValue, kept: Kept<V>): void {
    drop(id);
    results.set(id, kept);
    bytes += kept.bytes;
    if (tagged !== undefined && kept.tags !== undefined) tagged.index.add(id, kept.tags);
    if (results.size > maxEntries) drop(results.keys().next().value);
    while (bytes > maxBytes) drop(results.keys().next().value);
  }

  /** Returns the milliseconds of a value: 0 if its function throws, or returns no positive number. */
  function lifetime(ms: OfValue<K, V>, value: V, { key }: EndedLoad<K>): number {
    if (typeof ms === 'number') return ms;
    try {
      return Math.max(0, ms(value, key)) || 0;
    } catch {
      return 0;
    }
  }

  /** Returns the size of a value; `NaN`, which is within no bound, if `sizeOf` throws or returns no size. */
  function sizeIn(value: V, { key }: EndedLoad<K>): number {
    if (sizeOf === undefined) return 0;
    try {
      const size = Math.ceil(sizeOf(value, key));
      return Number.isSafeInteger(size) && size >= 0 ? size : Number.NaN;
    } catch {
      return Number.NaN;
    }
  }

  return {
    get size() {
      return results.size;
    },
    get bytes() {
      return bytes;
    },
    get outdated() {
      return outdated;
    },
    tagged,
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
    keepValue(load, promise, value) {
      if (tagged?.loads.isOutdated(load)) {
        outdated += 1;
        return;
      }
      const { id } = load;
      const ms = lifetime(ttlMs, value, load) * (1 - jitter * random());
      const size = ms > 0 ? sizeIn(value, load) : 0;
      if (ms > 0 && size <= maxBytes) {
        const freshUntil = clock.now() + ms;
        const staleUntil = freshUntil + lifetime(staleMs, value, load);
        const tags = tagged?.loads.tagsOf(load);
        const outcome = { kind: 'value', value } as const;
        store(id, { promise, outcome, freshUntil, staleUntil, tags, bytes: size });
      } else drop(id);
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
          bytes: 0,
        });
      }
    },
    delete: drop,
    deleteTagged(tag) {
      let live = 0;
      for (const id of tagged?.index.keysOf(tag) ?? []) {
        if (peek(id) === undefined) continue;
        live += 1;
        drop(id);
      }
      return live;
    },
    clear() {
      results.clear();
      bytes = 0;
      tagged?.index.clear();
    },
  };
}
