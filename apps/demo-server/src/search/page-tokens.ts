import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SearchPage, SearchPages } from '@ticketing/core';
import type { SealedPages } from './search-answer.ts';

/** Pages of searches as text for addresses: what is in them comes back unchanged, or not at all. */
export interface PageTokens {
  /** Returns the page as text: base64url of its JSON, a dot, and the HMAC-SHA-256 of that. */
  seal(page: SearchPage): string;
  /** Returns the pages beside an answer as texts, made once for all who get the answer. */
  sealAll(pages: SearchPages): SealedPages;
  /** Returns the page of a text that was sealed with the same key, else `undefined`. */
  open(text: string): SearchPage | undefined;
}

/** Creates tokens. Server processes, and servers behind one balancer, have the same key. */
export function createPageTokens(key: string): PageTokens {
  const proofOf = (payload: string): Buffer =>
    createHmac('sha256', key).update(`page ${payload}`).digest();
  const seal = (page: SearchPage): string => {
    const payload = Buffer.from(JSON.stringify(page)).toString('base64url');
    return `${payload}.${proofOf(payload).toString('base64url')}`;
  };
  const known = new WeakMap<SearchPages, SealedPages>();
  return {
    seal,
    sealAll(pages) {
      const { earlier, later } = pages;
      const sealed = known.get(pages) ?? {
        ...(earlier && { earlier: seal(earlier) }),
        ...(later && { later: seal(later) }),
      };
      known.set(pages, sealed);
      return sealed;
    },
    open(text) {
      const [payload = '', proof = ''] = text.split('.', 2);
      const [expected, got] = [proofOf(payload), Buffer.from(proof, 'base64url')];
      if (expected.length !== got.length || !timingSafeEqual(expected, got)) return undefined;
      // A proof has several spellings in base64url; the server writes one.
      return got.toString('base64url') === proof && text === `${payload}.${proof}`
        ? (readPayload(payload) as SearchPage | undefined)
        : undefined;
    },
  };
}

function readPayload(payload: string): unknown {
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** Returns a key for one start of a server. */
export function newPageKey(): string {
  return randomBytes(32).toString('base64url');
}
