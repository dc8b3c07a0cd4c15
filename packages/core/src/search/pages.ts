import type { CarrierPages } from '../carrier.ts';
import { RailError } from '../errors.ts';
import type { CarrierId, Journey } from '../model/journey.ts';
import { addDays, isLocalDate, type LocalDate } from '../model/local-clock.ts';
import { stableHash } from '../model/stable-hash.ts';
import type { ResolvedQuery } from './search-query.ts';

/** Where the journeys before or after a result are: plain data, valid for the same query alone. */
export interface SearchPage {
  readonly v: 1;
  /** Of the query without `page`, so that a page of another query is refused. */
  readonly query: string;
  readonly direction: 'earlier' | 'later';
  /** For each carrier that has more: its own token, or the part of a day that is next. Others are not asked. */
  readonly byCarrier: Readonly<Record<CarrierId, string>>;
}

/** The pages beside a result. A direction is absent when no carrier has more there. Follow one from the first result. */
export interface SearchPages {
  readonly earlier?: SearchPage;
  readonly later?: SearchPage;
}

/** Longest token of a carrier that is passed on, in characters. */
const MAX_TOKEN = 8192;
const MAX_CARRIERS = 1000;

/** Returns what identifies a query for its pages: every field but `page`. */
export function pageKey({ page: _page, origin, destination, via, ...rest }: ResolvedQuery): string {
  return stableHash(
    JSON.stringify([
      origin.id,
      destination.id,
      via?.id ?? null,
      rest.date,
      rest.time ?? null,
      rest.arriveBy ?? false,
      rest.maxTransfers ?? null,
      rest.travelClass ?? null,
      rest.passengers,
    ]),
  );
}

/**
 * Checks that a page belongs to a query.
 *
 * @throws RailError `ERR_BAD_QUERY`
 */
export function checkPage(query: ResolvedQuery): void {
  const { page } = query;
  if (page === undefined) return;
  const { v, direction, byCarrier, query: key } = Object(page) as Partial<SearchPage>;
  const tokens = Object.values(Object(byCarrier) as object);
  const isPage =
    v === 1 &&
    (direction === 'earlier' || direction === 'later') &&
    tokens.length <= MAX_CARRIERS &&
    tokens.every((token) => typeof token === 'string' && token.length <= MAX_TOKEN);
  const expected = isPage ? 'a page of the same query' : 'a page of a result';
  if (isPage && key === pageKey(query)) return;
  throw new RailError('ERR_BAD_QUERY', `Cannot search: \`page\` must be ${expected}`, {
    parameter: 'page',
    expected,
  });
}

/** Returns the pages beside the answers of carriers, given each one's tokens. */
export function pagesOf(
  query: ResolvedQuery,
  byCarrier: ReadonlyMap<CarrierId, CarrierPages>,
): SearchPages | undefined {
  const key = pageKey(query);
  const page = (direction: 'earlier' | 'later'): SearchPage | undefined => {
    const tokens = [...byCarrier].flatMap(([carrier, pages]) => {
      const token = pages[direction];
      return token === undefined ? [] : [[carrier, token] as const];
    });
    if (tokens.length === 0) return undefined;
    return { v: 1, query: key, direction, byCarrier: Object.fromEntries(tokens) };
  };
  const [earlier, later] = [page('earlier'), page('later')];
  if (earlier === undefined && later === undefined) return undefined;
  return { ...(earlier && { earlier }), ...(later && { later }) };
}

/** A day, or the part of it on one side of a time: of departure, with `arriveBy` of arrival. */
export interface DayPart {
  readonly date: LocalDate;
  readonly side?: 'before' | 'after';
  /** `HH:MM`; `before` excludes it and so does `after`. */
  readonly time?: string;
}

/** Returns the parts of days before and after what a carrier of whole days was asked for. */
export function dayPages(
  { date, time, arriveBy }: ResolvedQuery,
  asked: DayPart | undefined,
  bounds: { readonly first: LocalDate; readonly last: LocalDate },
): CarrierPages {
  const day = asked?.date ?? date;
  const previous = addDays(day, -1);
  const next = addDays(day, 1);
  // The first result of a search with a time leaves a part of its own day to one side.
  const first = asked === undefined && time !== undefined;
  const earlier =
    first && !arriveBy ? `${day}<${time}` : asked?.side === 'after' ? undefined : previous;
  const later = first && arriveBy ? `${day}>${time}` : asked?.side === 'before' ? undefined : next;
  return {
    ...(earlier !== undefined && earlier.slice(0, 10) >= bounds.first && { earlier }),
    ...(later !== undefined && later.slice(0, 10) <= bounds.last && { later }),
  };
}

/** Reads the token of a part of a day. @throws RailError `ERR_BAD_QUERY` */
export function readDayPart(token: string): DayPart {
  const [, date = '', side, time] =
    /^(\d{4}-\d{2}-\d{2})(?:([<>])(\d{2}:\d{2}))?$/.exec(token) ?? [];
  if (!isLocalDate(date)) {
    throw new RailError('ERR_BAD_QUERY', 'Cannot search: `page` must be a page of a result', {
      parameter: 'page',
    });
  }
  return side === undefined
    ? { date }
    : { date, side: side === '<' ? 'before' : 'after', time: time as string };
}

/** Returns the journeys of a part of a day. */
export function inDayPart(
  journeys: readonly Journey[],
  { date, side, time }: DayPart,
  arriveBy: boolean,
): readonly Journey[] {
  if (side === undefined) return journeys;
  const at = `${date}T${time}`;
  return journeys.filter(({ departure, arrival }) => {
    const local = (arriveBy ? arrival : departure).iso.slice(0, 16);
    return side === 'before' ? local < at : local > at;
  });
}
