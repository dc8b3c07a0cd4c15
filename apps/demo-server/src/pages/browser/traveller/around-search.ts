import type { CalendarDay, CalendarResult, DayState, Money } from '@ticketing/core';
import type { RoundTripAnswer } from '../../../search/search-answer.ts';
import type { SafeHtml } from '../../frame/html.ts';
import { type WayBackContext, wayBack } from '../../results/days/way-back.ts';

/** A search whose list is complete, and the places beside it. */
interface SearchAround extends WayBackContext {
  readonly key: string;
  readonly day: string;
  /** Days of the strip. */
  readonly days: readonly string[];
  readonly signal: AbortSignal;
  /** Called when days are known. */
  onDays(): void;
  /** Gets the way back. */
  onTrip(trip: SafeHtml): void;
}

/** Questions beside a search: the prices of other days, and the way back. A failure leaves their places empty. */
export interface AroundSearch {
  /** Least prices by day, as far as calendars have told them of a search. */
  pricesOf(key: string): ReadonlyMap<string, Money>;
  statesOf(key: string): ReadonlyMap<string, DayState>;
  /** Asks what is not known yet: for a month once while the page is open. */
  ask(search: SearchAround): void;
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
/** Parameters of the list alone. */
const OF_LIST = ['plain', 'page', 'fresh', 'order', 'split'];

/** Creates the questions of a page. */
export function createAroundSearch(): AroundSearch {
  const known = new Map<string, Map<string, CalendarDay>>();
  const asked = new Set<string>();

  async function askMonth(month: string, { key, address, onDays, signal }: SearchAround) {
    const given = [...address].filter(
      ([name, value]) => value !== '' && !OF_NO_PRICE.includes(name),
    );
    const name = `${key} ${month}`;
    if (asked.has(name) || !given.every(([one]) => OF_CALENDAR.includes(one))) return;
    asked.add(name);
    const query = new URLSearchParams([...given, ['month', month]]);
    const found = await read<CalendarResult>(`/calendar?${query}`);
    const days = known.get(key) ?? new Map<string, CalendarDay>();
    known.set(key, days);
    for (const day of found?.days ?? []) days.set(day.date, day);
    if (!signal.aborted) onDays();
  }

  async function askTrip({ onTrip, signal, day, ...search }: SearchAround) {
    const address = new URLSearchParams(
      [...search.address].filter(([name, value]) => value !== '' && !OF_LIST.includes(name)),
    );
    if (!address.has('returnDate')) return;
    if (!address.has('date')) address.set('date', day);
    const found = await read<RoundTripAnswer>(`/search?${address}`, signal);
    if (found && !signal.aborted) onTrip(wayBack(found, { ...search, address }));
  }

  const daysOf = (key: string) => [...(known.get(key) ?? [])];
  return {
    pricesOf: (key) =>
      new Map(
        daysOf(key).flatMap(([day, { lowest, converted = lowest }]) =>
          converted ? [[day, converted]] : [],
        ),
      ),
    statesOf: (key) => new Map(daysOf(key).map(([day, { state }]) => [day, state])),
    ask(search) {
      for (const month of new Set(search.days.map((day) => day.slice(0, 7)))) {
        void askMonth(month, search);
      }
      void askTrip(search);
    },
  };
}

async function read<T>(path: string, signal?: AbortSignal): Promise<T | undefined> {
  try {
    const headers = { accept: 'application/json' };
    const answer = await fetch(path, { headers, ...(signal && { signal }) });
    return answer.ok ? await answer.json() : undefined;
  } catch {
    // The places beside the list stay as they are.
    return undefined;
  }
}
