import { createStreamCoalescer } from '@ticketing/batching/streams';
import type { SearchEvent } from '@ticketing/core';
import { documentKey } from './documents.ts';
import type { DocumentQuestion } from './query/search-query.ts';
import type { Searches } from './searches.ts';

/** Counters of the streams of this process. */
export interface StreamStats {
  /** Streams that clients asked for. */
  readonly asked: number;
  /** Streams that joined a search in flight. */
  readonly joined: number;
  /** Searches in flight that streams follow. */
  readonly inFlight: number;
}

/** Searches as streams of events, of which equal ones in flight are one. */
export interface SharedStreams {
  /** Follows a search: all its events from the first on. The search ends when the last one leaves. */
  follow(
    question: DocumentQuestion,
    options: { readonly deadlineMs: number },
  ): AsyncIterableIterator<SearchEvent>;
  /** Whether a stream of this {@link streamKey} would join one in flight. */
  has(key: string): boolean;
  stats(): StreamStats;
}

/** A question with its key and what its first client gives it. */
interface Asked {
  readonly key: string;
  readonly question: DocumentQuestion;
  readonly deadlineMs: number;
}

/** Names the coalescer in diagnostics. */
export const STREAMS = 'search-streams';

/** Returns the key of a stream of a document's question: streams join streams alone. */
export function streamKey(documentKey: string): string {
  return `stream ${documentKey}`;
}

/** With `isShared`, equal searches in flight are one. A search runs in its first client's async context. */
export function createSharedStreams(
  search: Pick<Searches, 'stream'>,
  { isShared }: { readonly isShared: boolean },
): SharedStreams {
  if (!isShared) return separateStreams(search);
  const streams = createStreamCoalescer<Asked, SearchEvent>(
    ({ question, deadlineMs }) => search.stream(question, { deadlineMs }),
    {
      name: STREAMS,
      key: ({ key }) => key,
      context: 'caller',
      maxKeys: 1000,
      overflow: 'bypass',
    },
  );
  return {
    follow: (question, { deadlineMs }) =>
      streams.follow({ key: streamKey(documentKey(question)), question, deadlineMs }),
    has: (key) => streams.has({ key } as Asked),
    stats() {
      const { asked, joined, inFlight, unshared } = streams.stats();
      return { asked, joined, inFlight: inFlight - unshared };
    },
  };
}

function separateStreams(search: Pick<Searches, 'stream'>): SharedStreams {
  let asked = 0;
  return {
    follow(question, options) {
      asked += 1;
      return search.stream(question, options);
    },
    has: () => false,
    stats: () => ({ asked, joined: 0, inFlight: 0 }),
  };
}
