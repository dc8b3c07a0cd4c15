import type { CalendarDay, CalendarResult } from '@ticketing/core';
import type { RoundTripAnswer } from '../../../search/search-answer.ts';

/** Questions beside a search: the prices of other days, and the way back. A failure leaves their places empty. */
export interface AroundSearch {
  /** Days that are known of a search, by its key. */
  daysOf(search: string): ReadonlyMap<string, CalendarDay>;
  /** Asks for the months that a search has not asked for yet, and calls back when days are known. */
  askDays(asked: {
    readonly key: string;
    readonly address: URLSearchParams;
    readonly months: ReadonlySet<string>;
    readonly onDays: () => void;
  }): Promise<void>;
  /** Resolves with both ways, `undefined` without an answer. */
  askTrip(address: URLSearchParams, signal: AbortSignal): Promise<RoundTripAnswer | undefined>;
}

/** Parameters of a calendar. With others its prices would be of another search. */
const OF_CALENDAR = [
  'origin',
  'destination',
  'passengers',
  'ages',
  'cards',
  'currency',
  'carriers',
];
/** Parameters that change no price. */
const OF_NO_PRICE = [
  'date',
  'order',
  'returnDate',
  'returnTime',
  'stops',
  'fresh',
  'page',
  'plain',
];

/** Creates the questions of a page. What was asked for once is not asked for again while the page is open. */
export function createAroundSearch(get: typeof fetch = fetch): AroundSearch {
  const known = new Map<string, Map<string, CalendarDay>>();
  const asked = new Set<string>();

  async function read<T>(path: string, signal?: AbortSignal): Promise<T | undefined> {
    try {
      const headers = { accept: 'application/json' };
      const answer = await get(path, { headers, ...(signal && { signal }) });
      return answer.ok ? ((await answer.json()) as T) : undefined;
    } catch {
      // The places beside the list stay as they are.
      return undefined;
    }
  }

  return {
    daysOf: (search) => known.get(search) ?? new Map(),
    async askDays({ key, address, months, onDays }) {
      const given = [...address].filter(
        ([name, value]) => value !== '' && !OF_NO_PRICE.includes(name),
      );
      if (!given.every(([name]) => OF_CALENDAR.includes(name))) return;
      const wanted = [...months].filter((month) => !asked.has(`${key} ${month}`));
      await Promise.all(
        wanted.map(async (month) => {
          asked.add(`${key} ${month}`);
          const query = new URLSearchParams([...given, ['month', month]]);
          const found = await read<CalendarResult>(`/calendar?${query}`);
          if (found === undefined) return;
          const days = known.get(key) ?? new Map<string, CalendarDay>();
          known.set(key, days);
          for (const day of found.days) days.set(day.date, day);
          onDays();
        }),
      );
    },
    askTrip: (address, signal) => read<RoundTripAnswer>(`/search?${address}`, signal),
  };
}
