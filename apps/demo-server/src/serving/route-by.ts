import type { RouteFunction } from '@ticketing/socket-router';
import type { Flags } from '../flags/flag-specs.ts';
import { keyOfTarget } from '../questions.ts';

/**
 * Chooses the process for a request by its head: the same one for equal questions, or for equal values of a header. A request
 * without a key goes to the least busy process, as do TLS connections, whose requests cannot be read.
 */
export function routeBy({ routeBy: by }: Flags): RouteFunction | undefined {
  if (by === 'none') return undefined;
  if (by === 'search-key') {
    return ({ target = '' }) => keyed(keyOfTarget(target, Date.now()));
  }
  const name = by.slice('header:'.length);
  return ({ header }) => keyed(header?.(name));
}

/**
 * Decides what happens to a later request on a kept connection whose key belongs to another process: with plain HTTP its
 * worker forwards it. Mode `passthru` decides per request anyway.
 */
export function affinityOf({ accept, routeBy: by, tlsCert }: Flags): 'connection' | 'forward' {
  const canSee = accept === 'socket' && tlsCert === undefined;
  return canSee && by !== 'none' ? 'forward' : 'connection';
}

function keyed(key: string | undefined): { key: string } | undefined {
  return key === undefined || key === '' ? undefined : { key };
}
