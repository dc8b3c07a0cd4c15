import { type Clock, systemClock } from '@ticketing/kit';
import { ForgottenTags } from '../forgotten-tags.ts';
import type { Coordinator } from './coordinator.ts';
import { type CoordinatorOptions, createCoordinator } from './create-coordinator.ts';
import { beyondOfRecord, fenceOfRecord, type LeaseStore } from './lease-store.ts';

interface Entry {
  record: Uint8Array | undefined;
  recordUntil: number;
  token: string | undefined;
  leaseUntil: number;
  /** The last one given; 0 before the first. */
  fence: number;
  readonly waiters: Set<string>;
  readonly listeners: Set<() => void>;
}

/**
 * Creates a store in the memory of this process, for tests: what the engines do, step by step. Several coordinators over one
 * store are as several processes. Keys are never removed.
 */
export function createMemoryStore(
  options: { readonly clock?: Clock | undefined } = {},
): LeaseStore {
  const { clock = systemClock } = options;
  const entries = new Map<string, Entry>();
  const groups = new Map<string, ForgottenTags>();
  let fences = 0;

  function entryOf(key: string): Entry {
    let entry = entries.get(key);
    if (entry === undefined) {
      entry = {
        record: undefined,
        recordUntil: 0,
        token: undefined,
        leaseUntil: 0,
        fence: 0,
        waiters: new Set(),
        listeners: new Set(),
      };
      entries.set(key, entry);
    }
    if (entry.recordUntil <= clock.now()) entry.record = undefined;
    if (entry.leaseUntil <= clock.now()) entry.token = undefined;
    return entry;
  }

  /** Returns a whole number, as fences of an engine are: the time, or one more than the last. */
  function nextTime(last: number): number {
    return Math.max(Math.floor(clock.now()), last + 1);
  }

  function groupOf(name: string, since = 0): ForgottenTags {
    let group = groups.get(name);
    if (group === undefined) {
      group = new ForgottenTags(nextTime(since));
      groups.set(name, group);
    }
    if (group.last < since) {
      group.clear();
      group.raise(nextTime(since));
    }
    return group;
  }

  function wake({ listeners, waiters }: Entry): void {
    waiters.clear();
    // As a message of an engine, it comes after the answer of the command.
    for (const listener of listeners) queueMicrotask(listener);
  }

  function nextFence(entry: Entry): number {
    fences += 1;
    entry.fence = fences;
    return fences;
  }

  return {
    async claim(key, { token, leaseMs, after, outdated, renew, waiter }) {
      const entry = entryOf(key);
      if (entry.record && fenceOfRecord(entry.record) === outdated) entry.record = undefined;
      const { record } = entry;
      const leftMs = record ? entry.recordUntil - clock.now() - beyondOfRecord(record) : 0;
      const isAwaited = record && after !== undefined && fenceOfRecord(record) >= after;
      if (record && (isAwaited || (leftMs > 0 && !renew))) {
        return { kind: 'record', record, leftMs };
      }
      if (entry.token === undefined || entry.token === token) {
        const isOwn = entry.token === token;
        entry.token = token;
        entry.leaseUntil = clock.now() + leaseMs;
        entry.waiters.delete(waiter);
        return { kind: 'won', fence: isOwn ? entry.fence : nextFence(entry) };
      }
      if (record && leftMs > 0) return { kind: 'record', record, leftMs };
      entry.waiters.add(waiter);
      return { kind: 'held', fence: entry.fence, leftMs: entry.leaseUntil - clock.now() };
    },
    async renew(key, { token, fence, leaseMs }) {
      const entry = entryOf(key);
      if (entry.fence !== fence) return false;
      entry.token = token;
      entry.leaseUntil = clock.now() + leaseMs;
      return true;
    },
    async finish(key, { fence, record, lifeMs }) {
      const entry = entryOf(key);
      if (entry.fence !== fence) return false;
      entry.token = undefined;
      entry.record = record;
      entry.recordUntil = clock.now() + lifeMs;
      wake(entry);
      return true;
    },
    async release(key, { token }) {
      const entry = entryOf(key);
      if (entry.token !== token) return;
      entry.token = undefined;
      wake(entry);
    },
    async forget(key) {
      const entry = entryOf(key);
      entry.record = undefined;
      entry.token = undefined;
      nextFence(entry);
      wake(entry);
    },
    async forgetTag(name, tag) {
      const group = groupOf(name);
      group.forget(tag, nextTime(group.last));
    },
    async forgottenTags(name, since) {
      const group = groupOf(name, since);
      return { floor: group.floor, tags: group.after(since) };
    },
    waiters: async (key) => entryOf(key).waiters.size,
    async leave(key, waiter) {
      entryOf(key).waiters.delete(waiter);
    },
    listen(key, onWake) {
      const { listeners } = entryOf(key);
      listeners.add(onWake);
      return { ready: Promise.resolve(), stop: () => void listeners.delete(onWake) };
    },
    onReturn: () => {},
    close: () => Promise.resolve(),
  };
}

/**
 * Creates a coordinator without an engine, for tests of what uses one. Those that get the same `store` share loads, as
 * processes do.
 *
 * @throws TypeError or RangeError for options that are unknown or out of range
 * @example
 * const store = createMemoryStore();
 * const [one, another] = [createMemoryCoordinator({ store }), createMemoryCoordinator({ store })];
 */
export function createMemoryCoordinator(
  options: CoordinatorOptions & { readonly store?: LeaseStore | undefined } = {},
): Coordinator {
  const { store, ...rest } = options;
  const { clock } = options;
  return createCoordinator(store ?? createMemoryStore(clock === undefined ? {} : { clock }), rest);
}
