import { canonicalKey } from '@ticketing/batching';
import type { WormStore } from './worm-store.ts';

/** The documents of a class as a client gets them, serialised once. Plain data: it may come from another process. */
export interface WormAnswer {
  readonly body: Uint8Array;
  readonly ms: number;
}

/** Returns a function that answers by a store. */
export function findWorms(
  store: Pick<WormStore, 'find'>,
): (
  wormClass: string,
  options: { readonly signal: AbortSignal; readonly deadlineMs: number },
) => Promise<WormAnswer> {
  return async (wormClass, { signal, deadlineMs }) => {
    // From another machine it may be anything: an object would be an operator in MongoDB.
    if (typeof wormClass !== 'string')
      throw new TypeError('Cannot find worms: the class must be text');
    const startedAt = performance.now();
    const worms = await store.find(wormClass, { signal, deadlineMs });
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    return { body: Buffer.from(JSON.stringify(worms)), ms };
  };
}

/** Returns the key of a class. */
export function wormKey(wormClass: string): string {
  return canonicalKey('worms', wormClass);
}

const PATH = '/api/v1/worms/';
/** Longest class in a target: 100 characters, each of three bytes that are written as `%E2`. */
const LONGEST = 900;

/** Returns the key of a request's target; `undefined` for any other or invalid target. */
export function wormKeyOfTarget(target: string): string | undefined {
  if (!target.startsWith(PATH) || target.length > PATH.length + LONGEST) return undefined;
  const wormClass = target.slice(PATH.length);
  if (!/^[^/?#]+$/.test(wormClass)) return undefined;
  try {
    return wormKey(decodeURIComponent(wormClass));
  } catch {
    return undefined;
  }
}
