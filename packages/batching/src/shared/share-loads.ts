import { createHash } from 'node:crypto';
import { aFunction, wrongOption } from '@ticketing/kit';
import { canonicalKey } from '../canonical-key.ts';
import type { LoadContext } from '../coalescer/coalescer.ts';
import { checkTag, readTags } from '../read-tags.ts';
import type { Claim, Fence, Lease } from './coordinator.ts';
import { LedRun } from './led-run.ts';
import {
  type ResolvedShareLoadsOptions,
  resolveShareLoadsOptions,
  type ShareLoadsOptions,
} from './share-loads-options.ts';
import {
  runTraced,
  type SharedTrace,
  traceJoin,
  traceLead,
  traceRenewal,
  traceShared,
} from './shared-traces.ts';
import { TagTable, tagId } from './tag-table.ts';

/** Counters of one process since the start. */
export interface SharedLoadsStats {
  readonly name: string;
  /** Calls by the coalescer. */
  readonly asked: number;
  /** Calls of the loader for all processes, `renewals` included. */
  readonly led: number;
  /** Calls of the loader for this process alone: the engine was not reached, the value is not shared, or three leases were lost. */
  readonly local: number;
  /** Answered by a kept value or failure, without waiting. */
  readonly kept: number;
  /** Answered by the load of another process, which was under way. */
  readonly followed: number;
  /** Loads in the background, before a kept value ends. */
  readonly renewals: number;
  /** Loads that began again since a lease was lost. */
  readonly repeated: number;
  /** Values that were too large, or that the codec did not take. */
  readonly unshared: number;
  /** Values of others that the codec did not take. */
  readonly undecoded: number;
  /** Values of the engine that were not used, because a tag of them was forgotten since their load began. */
  readonly outdated: number;
  /** Forgotten tags that this process remembers: at most 10,000. */
  readonly forgottenTags: number;
  /** Calls that have no answer yet. */
  readonly inFlight: number;
}

/** A loader for `createCoalescer`, which loads a key once for all processes of a coordinator. */
export interface SharedLoader<K, V> {
  (key: K, context: LoadContext<K>): Promise<V>;
  /**
   * Resolves when all processes have forgotten the key: a call that begins later loads anew, also if a load is under way.
   * What coalescers keep by their own `ttlMs` is theirs to forget.
   *
   * @throws BatchingError `ERR_NOT_FORGOTTEN`, as a rejection, if the engine did not confirm it
   */
  forget(key: K): Promise<void>;
  /**
   * Resolves when all processes have forgotten every value with a tag: a call that begins later loads such a key anew, also if a
   * load of it is under way, whose value is not kept. What coalescers keep by their own `ttlMs` is theirs to forget.
   *
   * @throws BatchingError `ERR_NOT_FORGOTTEN`, as a rejection, if the engine did not confirm it; TypeError for what is no tag, and
   *   without option `tags`
   */
  forgetTag(tag: string): Promise<void>;
  stats(): SharedLoadsStats;
}

type Loader<K, V> = (key: K, context: LoadContext<K>) => V | PromiseLike<V>;

/**
 * Leases that one call may lose. A lease is lost when the key is forgotten or this process was paused; one that is lost each time is
 * a fault, of which this call must not become a part for ever.
 */
const MAX_LOST = 3;
/** For so long each process loads a key for itself whose value cannot be shared. */
const UNSHARED_MS = 60_000;
/** Most keys of one process that are renewed in the background at a time. */
const MAX_RENEWALS = 100;
/**
 * Returns a loader that calls `load` once for all processes that ask for a key at the same time, and gives all of them its
 * outcome. One process leads: it gets a lease, which it renews; when it dies, another one loads after `leaseMs`. With
 * `ttlMs` values are kept for all. An engine that cannot be reached makes each process load for itself.
 * Leases are no locks: now and then two processes load the same key.
 * Diagnostics channels: the tracing channel `ticketing:batching:shared`, inside whose bound stores the loader runs;
 * `ticketing:batching:shared-lead`, `…:shared-join`.
 *
 * @throws TypeError or RangeError for a loader that is no function, and for options that are unknown or out of range
 * @example
 * const load = shareLoads(fetchUser, { coordinator, name: 'user:v1', ttlMs: 10_000 });
 * const users = createCoalescer(load, { name: 'users' });
 */
export function shareLoads<K, V>(
  load: Loader<K, V>,
  options: ShareLoadsOptions<K, V>,
): SharedLoader<K, V> {
  if (typeof load !== 'function') {
    throw wrongOption('share loads', 'load', aFunction, load);
  }
  const shared = new SharedLoads(load, resolveShareLoadsOptions(options));
  return Object.assign((key: K, context: LoadContext<K>) => shared.get(key, context), {
    forget: (key: K) => shared.forget(key),
    forgetTag: (tag: string) => shared.forgetTag(tag),
    stats: () => shared.stats(),
  });
}

class SharedLoads<K, V> {
  readonly #load: Loader<K, V>;
  readonly #options: ResolvedShareLoadsOptions<K, V>;
  /** Keys that this process renews in the background. */
  readonly #renewing = new Set<string>();
  readonly #tags: TagTable;
  readonly #counts = {
    asked: 0,
    led: 0,
    local: 0,
    kept: 0,
    followed: 0,
    renewals: 0,
    repeated: 0,
    unshared: 0,
    undecoded: 0,
    outdated: 0,
    inFlight: 0,
  };

  constructor(load: Loader<K, V>, options: ResolvedShareLoadsOptions<K, V>) {
    this.#load = load;
    this.#options = options;
    this.#tags = new TagTable(options.coordinator, options.name);
  }

  stats(): SharedLoadsStats {
    return { name: this.#options.name, ...this.#counts, forgottenTags: this.#tags.size };
  }

  async forget(key: K): Promise<void> {
    await this.#options.coordinator.forget(this.#idOf(key));
  }

  async forgetTag(tag: string): Promise<void> {
    const { name, tags } = this.#options;
    checkTag(name, tag);
    if (tags === undefined) {
      throw new TypeError(`Cannot forget a tag of \`${name}\`: it has no option \`tags\``);
    }
    await this.#tags.forget(tag);
  }

  async get(key: K, context: LoadContext<K>): Promise<V> {
    this.#counts.asked += 1;
    this.#counts.inFlight += 1;
    const trace = traceShared(this.#options.name, key);
    try {
      if (trace === undefined) return await this.#get(key, context);
      return await runTraced(trace, () => this.#get(key, context, trace));
    } finally {
      this.#counts.inFlight -= 1;
    }
  }

  async #get(key: K, context: LoadContext<K>, trace?: SharedTrace): Promise<V> {
    const id = this.#idOf(key);
    const { coordinator, leaseMs } = this.#options;
    const { signal } = context;
    let wait: (Claim & { readonly kind: 'wait' }) | undefined;
    /** The first load that this call waited for, or led: its outcome and those of all later ones are new enough. */
    let after: Fence | undefined;
    let outdated: Fence | undefined;
    let lost = 0;
    while (lost < MAX_LOST) {
      let claim: Claim;
      let asked: number | undefined;
      try {
        const asking = this.#askTags();
        claim = await coordinator.claim(id, { leaseMs, after, outdated, signal });
        asked = await asking;
      } finally {
        wait?.leave();
        wait = undefined;
      }
      if (claim.kind === 'wait') {
        wait = claim;
        after ??= claim.fence;
        if (trace !== undefined) traceJoin(trace, loadOf(id, claim.fence));
        await wokenOrAborted(claim.woken, signal);
        continue;
      }
      if (claim.kind === 'lease') {
        if (signal.aborted) {
          void claim.lease.release();
          throw signal.reason;
        }
        if (this.#options.tags !== undefined && asked === undefined) {
          // Without the time at which it began the value could not be kept.
          void claim.lease.release();
          break;
        }
        traceLead(this.#options.name, loadOf(id, claim.lease.fence), trace);
        const led = await this.#lead(key, context, claim.lease, { asked });
        if (led.kind === 'done') return led.value;
        this.#counts.repeated += 1;
        after ??= claim.lease.fence;
        lost += 1;
        continue;
      }
      if (claim.kind === 'value' && claim.tags !== undefined) {
        const isCurrent = await this.#tags.isCurrent(claim.tags, asked);
        if (isCurrent === undefined) break;
        if (!isCurrent) {
          this.#counts.outdated += 1;
          outdated = claim.fence;
          lost += 1;
          continue;
        }
      }
      const answer = this.#read(key, id, claim, { after, trace });
      if (answer.kind === 'done') return answer.value;
      break;
    }
    this.#counts.local += 1;
    if (trace !== undefined) trace.outcome = 'local';
    return this.#load(key, context);
  }

  /** Returns a value of the engine, or `none` if it has none for us; throws a failure of it. */
  #read(
    key: K,
    id: string,
    claim: Exclude<Claim, { readonly kind: 'wait' | 'lease' }>,
    {
      after,
      trace,
    }: { readonly after: Fence | undefined; readonly trace: SharedTrace | undefined },
  ): Attempt<V> {
    if (claim.kind === 'local') return NONE;
    const { codec } = this.#options;
    let decoded: { readonly value: V } | { readonly error: unknown };
    try {
      decoded =
        claim.kind === 'value'
          ? { value: codec.decode(claim.bytes) }
          : { error: codec.decodeError(claim.bytes) };
    } catch {
      this.#counts.undecoded += 1;
      return NONE;
    }
    const isKept = after === undefined && !(claim.kind === 'value' && claim.leftMs <= 0);
    if (isKept) this.#counts.kept += 1;
    else this.#counts.followed += 1;
    if (trace !== undefined) trace.outcome = isKept ? 'kept' : 'followed';
    if ('error' in decoded) throw decoded.error;
    if (claim.kind === 'value') this.#renewEarly(key, id, claim);
    return { kind: 'done', value: decoded.value };
  }

  /** Calls the loader for all. Resolves with `none` if the lease was lost: the engine has to be asked again. */
  async #lead(
    key: K,
    context: LoadContext<K>,
    lease: Lease,
    { asked, isRenewal = false }: LeadOptions,
  ): Promise<Attempt<V>> {
    const { clock, ttlMs, errorTtlMs, jitter, random } = this.#options;
    const run = new LedRun(lease, context, this.#options);
    this.#counts.led += 1;
    const startedAt = clock.now();
    try {
      const value = await this.#load(key, run);
      const outcome = this.#encode(value, {
        loadMs: clock.now() - startedAt,
        tags: asked === undefined ? undefined : { ids: this.#tagsOf(value, key), at: asked },
      });
      const ttl = typeof ttlMs === 'function' ? lifetime(() => ttlMs(value, key)) : ttlMs;
      const keepMs = outcome.kind === 'unshared' ? UNSHARED_MS : ttl * (1 - jitter * random());
      // The callers need not wait for it: a command that follows on this connection finds it done.
      void lease.finish(outcome, keepMs);
      return { kind: 'done', value };
    } catch (error) {
      if (run.signal.aborted || isRenewal) void lease.release();
      else void lease.finish(this.#encodeError(error), errorTtlMs);
      if (lease.lost.aborted && !context.signal.aborted) return NONE;
      throw error;
    } finally {
      run.end();
    }
  }

  /** Asks which tags were forgotten, if values have tags. */
  #askTags(): Promise<number | undefined> | undefined {
    return this.#options.tags === undefined ? undefined : this.#tags.ask();
  }

  #tagsOf(value: V, key: K): readonly string[] {
    const { name, tags } = this.#options;
    return tags === undefined ? [] : readTags(name, tags, { value, key }).map(tagId);
  }

  #encode(
    value: V,
    about: Pick<Claim & { readonly kind: 'value' }, 'loadMs' | 'tags'>,
  ): Parameters<Lease['finish']>[0] {
    const { codec, maxBytes } = this.#options;
    try {
      const bytes = codec.encode(value);
      if (bytes.byteLength <= maxBytes) return { kind: 'value', bytes, ...about };
    } catch {
      // The callers of this process have their value, all the same.
    }
    this.#counts.unshared += 1;
    return { kind: 'unshared' };
  }

  #encodeError(error: unknown): Parameters<Lease['finish']>[0] {
    const { codec, maxBytes } = this.#options;
    try {
      const bytes = codec.encodeError(error);
      if (bytes.byteLength <= maxBytes) return { kind: 'failure', bytes };
    } catch {
      // The callers of this process have their error, all the same.
    }
    this.#counts.unshared += 1;
    return { kind: 'unshared' };
  }

  /**
   * Loads in the background with a probability that grows towards the value's end, earlier for slow loads, so that one
   * process or another does it in time. Vattani, Chierichetti and Lowenstein, "Optimal Probabilistic Cache Stampede
   * Prevention", PVLDB 8(8), 2015.
   */
  #renewEarly(key: K, id: string, { loadMs, leftMs }: Claim & { readonly kind: 'value' }): void {
    const { refresh, random } = this.#options;
    if (refresh === 0 || leftMs <= 0 || this.#renewing.size >= MAX_RENEWALS) return;
    if (leftMs > -loadMs * refresh * Math.log(random()) || this.#renewing.has(id)) return;
    this.#renewing.add(id);
    this.#renew(key, id)
      // Who asks next has the kept value, or loads and gets the failure.
      .catch(() => {})
      .finally(() => this.#renewing.delete(id));
  }

  async #renew(key: K, id: string): Promise<void> {
    const { coordinator, leaseMs } = this.#options;
    const { signal } = new AbortController();
    const asking = this.#askTags();
    const claim = await coordinator.claim(id, { leaseMs, renew: true, signal });
    const asked = await asking;
    if (claim.kind === 'wait') claim.leave();
    if (claim.kind !== 'lease') return;
    if (this.#options.tags !== undefined && asked === undefined) {
      void claim.lease.release();
      return;
    }
    this.#counts.renewals += 1;
    traceRenewal(this.#options.name, loadOf(id, claim.lease.fence));
    const context = { key, signal, waiters: 0 };
    await this.#lead(key, context, claim.lease, { asked, isRenewal: true });
  }

  /** Of bounded length, and without what the key says. */
  #idOf(key: K): string {
    const { name, key: keyOf } = this.#options;
    const text = canonicalKey(keyOf === undefined ? key : keyOf(key));
    // As UTF-8 all lone surrogates are the same.
    const hash = createHash('sha256').update(text, 'utf16le').digest('base64url');
    return `${name}:${hash.slice(0, 22)}`;
  }
}

interface LeadOptions {
  /** The time of the last tag that had been forgotten before the load begins; with option `tags`. */
  readonly asked: number | undefined;
  readonly isRenewal?: boolean;
}

type Attempt<V> = { readonly kind: 'done'; readonly value: V } | { readonly kind: 'none' };
const NONE = { kind: 'none' } as const;

/** Returns the name of a load, which is the same in all processes. */
function loadOf(id: string, fence: Fence): string {
  return `${id}:${fence}`;
}

/** A result that is no positive number, or a throw, keeps nothing. */
function lifetime(of: () => number): number {
  try {
    return Math.max(0, of()) || 0;
  } catch {
    return 0;
  }
}

function wokenOrAborted(woken: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      signal.removeEventListener('abort', end);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
    void woken.then(end);
    if (signal.aborted) end();
  });
}
