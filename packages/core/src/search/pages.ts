import type { Rule } from '@ticketing/kit';
import type { Carrier } from '../contract/carrier.ts';
import type { Direction, PageTokens, SearchPage, SearchPages } from '../contract/search-page.ts';
import type { ResolvedQuery } from '../contract/search-query.ts';
import { RailError } from '../errors.ts';
import type { CarrierId } from '../model/journey.ts';
import { stableHash } from '../model/stable-hash.ts';
import { isComplete, type SourceState } from '../scatter/source-status.ts';
import { type DayPart, firstDayPart, isAskedByDay, isDayPart, nextDayPart } from './day-parts.ts';
import { bothWays, type TokensByDirection } from './join-answers.ts';
import { type SearchDays, stationsOf } from './resolve-query.ts';
import { MAX_PAIRS } from './station-pairs.ts';

/** A token of a carrier. */
export const aToken: Rule = {
  expected: 'a text of at most 2048 characters',
  test: (token) => typeof token === 'string' && token.length <= 2048,
};
const MAX_CARRIERS = 1000;

/**
 * Checks that a page is one of a result of this query.
 *
 * @throws RailError `ERR_BAD_QUERY`
 */
export function checkPage(query: ResolvedQuery, carriers: readonly Carrier[]): void {
  if (query.page === undefined) return;
  const isPage =
    hasPageShape(query.page) &&
    carriers.every(({ id, capabilities }) => {
      const [token] = tokensOf(query, id) ?? [];
      return !token || !isAskedByDay(capabilities, query) || isDayPart(token, query);
    });
  const expected = isPage ? 'a page of the same query' : 'a page of a result';
  if (isPage && query.page.query === queryKey(query)) return;
  throw new RailError('ERR_BAD_QUERY', `Cannot search: \`page\` must be ${expected}`, {
    parameter: 'page',
    expected,
  });
}

function hasPageShape(page: unknown): page is SearchPage {
  const { v, direction, byCarrier } = Object(page) as Partial<SearchPage>;
  if (typeof byCarrier !== 'object' || byCarrier === null) return false;
  const lists: unknown[] = Object.values(byCarrier);
  return (
    v === 1 &&
    (direction === 'earlier' || direction === 'later') &&
    lists.length <= MAX_CARRIERS &&
    lists.every((list) => Array.isArray(list) && list.length <= MAX_PAIRS && list.every(isToken))
  );
}

function isToken(token: unknown): boolean {
  return token === null || aToken.test(token);
}

/** Returns the tokens of a carrier on the page of a query, `undefined` when it is not asked. */
export function tokensOf({ page }: ResolvedQuery, carrier: CarrierId): PageTokens | undefined {
  if (page === undefined) return [];
  return Object.hasOwn(page.byCarrier, carrier) ? page.byCarrier[carrier] : undefined;
}

/** End of one carrier. */
export interface CarrierEnd {
  readonly state: SourceState;
  readonly pages: TokensByDirection | undefined;
}

/** Returns the pages beside a result, given how its carriers ended. */
export function pagesOf(
  query: ResolvedQuery,
  carriers: readonly Carrier[],
  ends: ReadonlyMap<CarrierId, CarrierEnd>,
  days: SearchDays,
): SearchPages | undefined {
  const key = queryKey(query);
  // Most carriers are asked for the same part of a day.
  const byPart = new Map<string | undefined, TokensByDirection>();
  const tokens = carriers.map(({ id, capabilities }) => {
    const end = ends.get(id);
    const own = tokensOf(query, id);
    if (own === undefined || end === undefined) return { id };
    if (!isAskedByDay(capabilities, query)) return { id, pages: nextTokens(query, own, end) };
    const part = own[0] ?? undefined;
    if (!byPart.has(part)) byPart.set(part, nextDays(query, part || firstDayPart(query), days));
    return { id, pages: byPart.get(part) };
  });
  const page = (direction: Direction): SearchPage | undefined => {
    const byCarrier = tokens.flatMap(({ id, pages }) => {
      const own = pages?.[direction];
      return own === undefined ? [] : [[id, own] as const];
    });
    if (byCarrier.length === 0) return undefined;
    return { v: 1, query: key, direction, byCarrier: Object.fromEntries(byCarrier) };
  };
  const pages = bothWays(page);
  return pages.earlier || pages.later ? pages : undefined;
}

/** Returns the tokens of the next page. A carrier that failed is asked for the same page again: only its last token is known. */
function nextTokens(
  { page }: ResolvedQuery,
  tokens: PageTokens,
  { state, pages }: CarrierEnd,
): TokensByDirection | undefined {
  return isComplete([{ state }]) ? pages : { [page?.direction ?? 'later']: tokens };
}

/** Returns the parts of days before and after one that was asked for. */
function nextDays(
  query: ResolvedQuery,
  asked: DayPart,
  { first, last }: SearchDays,
): TokensByDirection {
  return bothWays((direction) => {
    const next = nextDayPart(asked, direction, query);
    const date = next.slice(0, first.length);
    return date >= first && date <= last ? [next] : undefined;
  });
}

/** Returns what identifies a query for its pages: every field but `page`, and the stations that tokens are of. */
function queryKey({ page: _page, origin, destination, via, ...rest }: ResolvedQuery): string {
  const ids = [origin, destination, via].map(
    (end) => end && [end, ...stationsOf(end)].map(({ id }) => id),
  );
  return stableHash(JSON.stringify([ids, rest]));
}
