import type { CarrierStatus, Search, SearchPages, SearchResult } from '@ticketing/core';
import type { DocumentQuestion } from './search-query.ts';

/** The result of a search, serialised once for all clients. Plain data: it may come from another process. */
export interface SearchDocument {
  /** Body without the pages, which the process that answers a client seals. */
  readonly body: Uint8Array;
  readonly pages?: SearchPages;
  readonly carriers: readonly CarrierStatus[];
  readonly ms: number;
}

/** Returns a function that answers by a search. */
export function findDocument(
  search: Search,
): (
  question: DocumentQuestion,
  options: { readonly signal: AbortSignal; readonly deadlineMs: number },
) => Promise<SearchDocument> {
  return async ({ query, ...asked }, { signal, deadlineMs }) =>
    documentOf(await search.search(query, { ...asked, signal, deadlineMs }));
}

/** Serialises the result of a search. */
function documentOf({ pages, ...result }: SearchResult): SearchDocument {
  const { carriers, ms } = result;
  return { body: bytesOf(JSON.stringify(result)), ...(pages && { pages }), carriers, ms };
}

/** Does what `Buffer.from` does in half the time for text that is not all ASCII, and gives the bytes a buffer of their own. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
