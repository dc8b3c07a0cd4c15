import type { Search } from '@ticketing/core';
import type { CarrierName } from '../carriers/carriers.ts';
import { askAnew } from '../kept/ask-anew.ts';
import type { WormStore } from '../worms/worm-store.ts';
import type { Answers } from './answers.ts';
import { notCoalesced } from './answers-stats.ts';
import { everyQuestion, kinds } from './kinds.ts';

/** Answers in this process, by a search and a store, which it closes. `byDay`: carriers of which calendars search days. */
export function here(
  search: Search,
  worms: WormStore,
  byDay: readonly CarrierName[] = [],
): Answers {
  const events = findEvents(search);
  let streams = 0;
  const searched = (carriers: readonly CarrierName[] = byDay): readonly CarrierName[] =>
    byDay.filter((name) => carriers.includes(name));
  return {
    ...everyQuestion((name) => kinds[name].answerBy({ search, worms })),
    events(question, options) {
      streams += 1;
      return events(question, options);
    },
    calendar: ({ query, carriers = undefined }, options) =>
      search.calendar(query, { ...options, carriers, byDay: searched(carriers) }),
    calendarEvents: ({ query, carriers = undefined }, options) =>
      search.calendarStream(query, { ...options, carriers, byDay: searched(carriers) }),
    roundTrip: ({ question, returnDate, returnTime }, options) => {
      const { query, fresh, ...asked } = question;
      const trip = { ...query, returnDate, returnTime };
      return askAnew(fresh, () => search.roundTrip(trip, { ...asked, ...options }));
    },
    has: () => false,
    stats: () => ({
      ...notCoalesced,
      streams: { asked: streams, joined: 0, inFlight: 0 },
      search: search.stats(),
      worms: { ...worms.stats(), ...notCoalesced.worms },
    }),
    async close() {
      await search.close();
      await worms.close();
    },
  };
}

/** Returns a function that answers by the events of a search. */
export function findEvents(search: Search): Answers['events'] {
  return ({ query, fresh, hubs, ...asked }, { deadlineMs }) => {
    const options = { ...asked, deadlineMs };
    return askAnew(fresh, () =>
      hubs === undefined
        ? search.stream(query, options)
        : search.splitStream(query, { ...options, hubs }),
    );
  };
}
