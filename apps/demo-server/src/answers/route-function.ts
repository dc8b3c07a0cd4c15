import type { RouteFunction } from '@ticketing/socket-router';
import type { Flags } from '../flags/flag-specs.ts';
import { createPageTokens, newPageKey } from '../search/page-tokens.ts';
import { kinds } from './kinds.ts';

/**
 * Returns the function by which a router chooses a process: the same process for equal questions, or for equal values of a header. A
 * request without a key goes to the least busy process, and so do TLS connections, whose requests cannot be read.
 */
export function routeFunction({
  routeBy,
  carriers,
  hubs,
  pageKey = newPageKey(),
}: Pick<Flags, 'routeBy' | 'carriers' | 'hubs' | 'pageKey'>): RouteFunction | undefined {
  if (routeBy === 'none') return undefined;
  if (routeBy === 'search-key') {
    const pageTokens = createPageTokens(pageKey);
    return ({ target = '' }) =>
      keyed(keyOfTarget(target, { nowMs: Date.now(), carriers, hubs, pageTokens }));
  }
  const name = routeBy.slice('header:'.length);
  return ({ header }) => keyed(header?.(name));
}

function keyed(key: string | undefined): { key: string } | undefined {
  return key === undefined || key === '' ? undefined : { key };
}

function keyOfTarget(
  target: string,
  context: Parameters<typeof kinds.document.keyOfTarget>[1],
): string | undefined {
  for (const { keyOfTarget: read } of Object.values(kinds)) {
    const key = read(target, context);
    if (key !== undefined) return key;
  }
  return undefined;
}
