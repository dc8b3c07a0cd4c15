import { canonicalKey } from '@ticketing/batching';
import type { Find } from '../coalesced.ts';
import type { WormStore } from './worm-store.ts';

/** The documents of a class as a client gets them, written once. Plain data: it may come from another process. */
export interface WormAnswer {
  readonly body: Uint8Array;
  readonly ms: number;
}

/** How a class is asked for. */
export type FindWorms = Find<string, WormAnswer>;

/** Asks a store. */
export function wormsOf(store: WormStore): FindWorms {
  return async (wormClass, { signal, deadlineMs }) => {
    const startedAt = performance.now();
    const worms = await store.find(wormClass, { signal, deadlineMs });
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    return { body: Buffer.from(JSON.stringify(worms)), ms };
  };
}

/** Equal for questions that are the same, and other than that of any search. */
export function wormKey(wormClass: string): string {
  return canonicalKey('worms', wormClass);
}
