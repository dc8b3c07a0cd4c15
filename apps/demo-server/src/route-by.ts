import { stationTable } from '@ticketing/carriers';
import { JOURNEY_ORDERS, type JourneyOrder } from '@ticketing/core';
import type { RouteFunction } from '@ticketing/socket-router';
import { documentKey } from './documents.ts';
import type { Flags } from './flags/flags.ts';
import { readSearchQuery } from './search-query.ts';
import type { SearchParameters } from './search-schema.ts';
import { wormKey } from './worms/worm-answers.ts';

const NAMES: ReadonlySet<string> = new Set<keyof SearchParameters>([
  'origin',
  'destination',
  'date',
  'passengers',
  'order',
]);

/**
 * Which process gets a request, by its head: equal searches and classes of worms the same one, or
 * equal values of a header. What has no key
 * goes to the least busy, as do connections of TLS, whose requests cannot be seen.
 */
export function routeBy({ routeBy: by }: Flags): RouteFunction | undefined {
  if (by === 'none') return undefined;
  if (by === 'search-key') {
    return ({ target = '' }) => keyed(searchKey(target, Date.now()) ?? wormsKey(target));
  }
  const name = by.slice('header:'.length);
  return ({ header }) => keyed(header?.(name));
}

/**
 * What a later request on a connection gets whose key is another: with plain HTTP its own process all the same. Mode
 * `passthru` decides on each request anyway.
 */
export function affinityOf({ accept, routeBy: by, tlsCert }: Flags): 'connection' | 'forward' {
  const canSee = accept === 'socket' && tlsCert === undefined;
  return canSee && by !== 'none' ? 'forward' : 'connection';
}

function keyed(key: string | undefined): { key: string } | undefined {
  return key === undefined || key === '' ? undefined : { key };
}

/** The key by which a search is coalesced; none for what is no search, or a wrong one. `nowMs`: epoch ms. */
export function searchKey(target: string, nowMs: number): string | undefined {
  if (!target.startsWith('/search?')) return undefined;
  const given = [...new URLSearchParams(target.slice('/search?'.length))];
  const parameters = Object.fromEntries(given);
  if (Object.keys(parameters).length < given.length) return undefined;
  if (!Object.keys(parameters).every((name) => NAMES.has(name))) return undefined;
  const { origin, destination, passengers, order = 'departure', ...date } = parameters;
  if (origin === undefined || destination === undefined) return undefined;
  if (!JOURNEY_ORDERS.includes(order as JourneyOrder)) return undefined;
  const count = passengers === undefined ? {} : { passengers: Number(passengers) };
  try {
    const wanted = { origin, destination, ...date, ...count };
    const query = readSearchQuery(wanted, stationTable, nowMs);
    return documentKey({ query, order: order as JourneyOrder });
  } catch {
    // The process that gets it says what is wrong.
    return undefined;
  }
}

const WORMS = '/api/v1/worms/';

/** The key by which a class of worms is coalesced; none for another path, or a wrong one. */
export function wormsKey(target: string): string | undefined {
  const wormClass = target.slice(WORMS.length);
  if (!target.startsWith(WORMS) || !/^[^/?#]+$/.test(wormClass)) return undefined;
  try {
    return wormKey(decodeURIComponent(wormClass));
  } catch {
    return undefined;
  }
}
