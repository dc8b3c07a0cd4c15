import { canonicalKey } from '@ticketing/batching';
import type { Find, QuestionKind } from '../search/coalesced.ts';
import type { WormStore } from './worm-store.ts';

/** The documents of a class as a client gets them, written once. Plain data: it may come from another process. */
export interface WormAnswer {
  readonly body: Uint8Array;
  readonly ms: number;
}

/** The worms of a class. */
export const wormQuestion: QuestionKind<string, WormAnswer, { readonly worms: WormStore }> = {
  name: 'worms',
  keyOf: wormKey,
  keyOfTarget: wormsKey,
  local: ({ worms }) => localWorms(worms),
};

/** Asks a store from this process. */
function localWorms(store: WormStore): Find<string, WormAnswer> {
  return async (wormClass, { signal, deadlineMs }) => {
    const startedAt = performance.now();
    const worms = await store.find(wormClass, { signal, deadlineMs });
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    return { body: Buffer.from(JSON.stringify(worms)), ms };
  };
}

/** Equal for questions that are the same, and other than that of any search. */
function wormKey(wormClass: string): string {
  return canonicalKey('worms', wormClass);
}

const WORMS = '/api/v1/worms/';

/** The key by which a class of worms is coalesced; none for another path, or a wrong one. */
export function wormsKey(target: string): string | undefined {
  const wormClass = target.slice(WORMS.length);
  if (!target.startsWith(WORMS) || !/^[^/?#]+$/.test(wormClass)) return undefined;
  try {
    return wormKey(decodeURIComponent(wormClass));
  } catch {
    return undefined;
  }
}
