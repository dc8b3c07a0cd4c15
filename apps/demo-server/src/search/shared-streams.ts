import { type Channel, channel } from 'node:diagnostics_channel';
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
  /**
   * Follows a search: all its events from the first on, also those that came before this call. The search ends when the last
   * one leaves. A viewer that stops reading costs nothing: events are kept once for all.
   */
  follow(
    question: DocumentQuestion,
    options: { readonly deadlineMs: number },
  ): AsyncIterableIterator<SearchEvent>;
  /** Whether a stream of this {@link streamKey} would join one in flight. */
  has(key: string): boolean;
  stats(): StreamStats;
}

/** A search and who follows it. */
interface Shared {
  readonly events: SearchEvent[];
  /** Set when the last event has come, or the search has failed. */
  end?: { readonly error?: unknown };
  viewers: number;
  /** Called with each event and at the end. */
  readonly waiting: Set<() => void>;
  leave(): void;
}

/** A stream starts a search, in its client's async context. The message stands for the search. */
export const streamStarted: Channel = channel('ticketing:demo-server:stream-started');
/** A stream joins a search in flight: the message is the same. */
export const streamJoined: Channel = channel('ticketing:demo-server:stream-joined');

/** Returns the key of a stream of a document's question: streams join streams alone. */
export function streamKey(documentKey: string): string {
  return `stream ${documentKey}`;
}

/** Searches beyond this number are not shared, as in a coalescer. */
const MOST = 1000;

/** With `isShared`, equal searches in flight are one. */
export function createSharedStreams(
  search: Pick<Searches, 'stream'>,
  { isShared }: { readonly isShared: boolean },
): SharedStreams {
  const inFlight = new Map<string, Shared>();
  let [asked, joined] = [0, 0];

  function start(
    question: DocumentQuestion,
    { deadlineMs, forget }: { readonly deadlineMs: number; readonly forget: () => void },
  ): Shared {
    const stream = search.stream(question, { deadlineMs });
    const shared: Shared = {
      events: [],
      viewers: 0,
      waiting: new Set(),
      leave() {
        forget();
        void stream.return?.();
      },
    };
    streamStarted.publish(shared);
    void pump(stream, shared).then(forget);
    return shared;
  }

  function shareOf(question: DocumentQuestion, deadlineMs: number): Shared {
    if (!isShared) return start(question, { deadlineMs, forget() {} });
    const key = streamKey(documentKey(question));
    const known = inFlight.get(key);
    if (known !== undefined) {
      joined += 1;
      streamJoined.publish(known);
      return known;
    }
    const forget = (): void => {
      if (inFlight.get(key) === shared) inFlight.delete(key);
    };
    const shared = start(question, { deadlineMs, forget });
    if (inFlight.size < MOST) inFlight.set(key, shared);
    return shared;
  }

  return {
    follow(question, { deadlineMs }) {
      asked += 1;
      return view(shareOf(question, deadlineMs));
    },
    has: (key) => inFlight.has(key),
    stats: () => ({ asked, joined, inFlight: inFlight.size }),
  };
}

/** Keeps the events of a search, and wakes who waits for them. Never rejects. */
async function pump(stream: AsyncIterable<SearchEvent>, shared: Shared): Promise<void> {
  const wake = (): void => {
    const waiting = [...shared.waiting];
    shared.waiting.clear();
    for (const each of waiting) each();
  };
  try {
    for await (const event of stream) {
      shared.events.push(event);
      wake();
    }
    shared.end = {};
  } catch (error) {
    shared.end = { error };
  }
  wake();
}

/** One viewer's way through the events. An iterator by hand: `return()` of a generator waits for a pending `next()`. */
function view(shared: Shared): AsyncIterableIterator<SearchEvent> {
  let next = 0;
  let hasLeft = false;
  let pending: (() => void) | undefined;
  shared.viewers += 1;

  function leave(): void {
    if (hasLeft) return;
    hasLeft = true;
    if (pending !== undefined) shared.waiting.delete(pending);
    pending?.();
    shared.viewers -= 1;
    if (shared.viewers === 0 && shared.end === undefined) shared.leave();
  }

  return {
    async next() {
      for (;;) {
        if (hasLeft) return { done: true, value: undefined };
        const event = shared.events[next];
        if (event !== undefined) {
          next += 1;
          return { done: false, value: event };
        }
        if (shared.end !== undefined) {
          leave();
          if ('error' in shared.end) throw shared.end.error;
          return { done: true, value: undefined };
        }
        await new Promise<void>((resolve) => {
          pending = resolve;
          shared.waiting.add(resolve);
        });
        pending = undefined;
      }
    },
    async return() {
      leave();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
