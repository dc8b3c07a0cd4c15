import type { CarrierStatus, Journey, Search, SearchPages, SearchResult } from '@ticketing/core';
import { askAnew } from '../kept/ask-anew.ts';
import type { DocumentQuestion } from './search-query.ts';

/** The result of a search, serialised once for all clients. Plain data: it may come from another process. */
export interface SearchDocument {
  /** Body without the pages, which the process that answers a client seals. */
  readonly body: Uint8Array;
  readonly pages?: SearchPages;
  readonly carriers: readonly CarrierStatus[];
  /** True if every carrier has answered, with all that it has. */
  readonly complete: boolean;
  /** Epoch ms at which the first of its offers ends. */
  readonly validUntil?: number;
  readonly ms: number;
}

/** Returns a function that answers by a search. */
export function findDocument(
  search: Search,
): (
  question: DocumentQuestion,
  options: { readonly signal: AbortSignal; readonly deadlineMs: number },
) => Promise<SearchDocument> {
  return async ({ query, fresh, hubs, ...asked }, { signal, deadlineMs }) => {
    const options = { ...asked, signal, deadlineMs };
    return documentOf(
      await askAnew(fresh, () =>
        hubs === undefined
          ? search.search(query, options)
          : search.split(query, { ...options, hubs }),
      ),
    );
  };
}

/** Serialises the result of a search. */
function documentOf({ pages, ...result }: SearchResult): SearchDocument {
  const { carriers, complete, ms, journeys } = result;
  const body = bytesOf(JSON.stringify(result));
  const validUntil = firstEnd(journeys);
  return {
    body,
    ...(pages && { pages }),
    carriers,
    complete,
    ...(validUntil !== undefined && { validUntil }),
    ms,
  };
}

/** Returns when the first offer of any journey ends. */
function firstEnd(journeys: readonly Journey[]): number | undefined {
  let first = Number.POSITIVE_INFINITY;
  for (const { offers } of journeys) {
    for (const { validUntil = first } of offers) if (validUntil < first) first = validUntil;
  }
  return first === Number.POSITIVE_INFINITY ? undefined : first;
}

/** Does what `Buffer.from` does in half the time for text that is not all ASCII, and gives the bytes a buffer of their own. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
