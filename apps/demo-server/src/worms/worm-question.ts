import { canonicalKey } from '@ticketing/batching';
import type { QuestionKind } from '../search/coalesced.ts';
import type { WormStore } from './worm-store.ts';

/** The documents of a class as a client gets them, serialised once. Plain data: it may come from another process. */
export interface WormAnswer {
  readonly body: Uint8Array;
  readonly ms: number;
}

/** The worms of a class. */
export const wormQuestion: QuestionKind<string, WormAnswer, { readonly worms: WormStore }> = {
  name: 'worms',
  keyOf: wormKey,
  keyOfTarget: wormKeyOfTarget,
  local:
    ({ worms: store }) =>
    async (wormClass, options) => {
      // From another machine it may be anything: an object would be an operator in MongoDB.
      if (typeof wormClass !== 'string')
        throw new TypeError('Cannot find worms: the class must be text');
      const startedAt = performance.now();
      const worms = await store.find(wormClass, options);
      const ms = Math.round((performance.now() - startedAt) * 10) / 10;
      return { body: Buffer.from(JSON.stringify(worms)), ms };
    },
};

function wormKey(wormClass: string): string {
  return canonicalKey('worms', wormClass);
}

const PATH = '/api/v1/worms/';
/** Longest class in a target: 100 characters, each of three bytes that are written as `%E2`. */
const LONGEST = 900;

function wormKeyOfTarget(target: string): string | undefined {
  if (!target.startsWith(PATH) || target.length > PATH.length + LONGEST) return undefined;
  const wormClass = target.slice(PATH.length);
  if (!/^[^/?#]+$/.test(wormClass)) return undefined;
  try {
    return wormKey(decodeURIComponent(wormClass));
  } catch {
    return undefined;
  }
}
