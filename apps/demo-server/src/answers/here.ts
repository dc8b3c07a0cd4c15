import type { Search } from '@ticketing/core';
import { documentOf } from '../search/search-document.ts';
import { findWorms } from '../worms/worm-answer.ts';
import type { WormStore } from '../worms/worm-store.ts';
import type { Answers } from './answers.ts';

/** Answers in this process, by a search and a store, which it closes. */
export function here(search: Search, worms: WormStore): Answers {
  const { document, events } = searching(search);
  let streams = 0;
  return {
    document,
    worms: findWorms(worms),
    events(question, options) {
      streams += 1;
      return events(question, options);
    },
    has: () => false,
    stats: () => ({
      coalesce: undefined,
      streams: { asked: streams, joined: 0, inFlight: 0 },
      search: search.stats(),
      worms: { ...worms.stats(), coalesce: undefined },
    }),
    async close() {
      await search.close();
      await worms.close();
    },
  };
}

/** Returns the questions that a search alone answers. */
export function searching(search: Search): Pick<Answers, 'document' | 'events'> {
  return {
    document: async ({ query, ...asked }, { signal, deadlineMs }) =>
      documentOf(await search.search(query, { ...asked, signal, deadlineMs })),
    events: ({ query, ...asked }, { deadlineMs }) => search.stream(query, { ...asked, deadlineMs }),
  };
}
