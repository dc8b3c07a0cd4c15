import type { CarrierStatus, SearchPages, SearchResult } from '@ticketing/core';

/** The result of a search, serialised once for all clients. Plain data: it may come from another process. */
export interface SearchDocument {
  /** Without its pages: the process that answers a client seals them. */
  readonly body: Uint8Array;
  readonly pages?: SearchPages;
  readonly carriers: readonly CarrierStatus[];
  readonly ms: number;
}

/** Serialises the result of a search. */
export function documentOf({ pages, ...result }: SearchResult): SearchDocument {
  const { carriers, ms } = result;
  return { body: bytesOf(JSON.stringify(result)), ...(pages && { pages }), carriers, ms };
}

/** Does what `Buffer.from` does in half the time for text that is not all ASCII, and gives the bytes a buffer of their own. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
