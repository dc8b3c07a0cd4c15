import type { CarrierStatus } from '@ticketing/core';
import type { KeepSettings } from '../kept/keep-settings.ts';

/** Times for which caches of HTTP may keep complete answers, in milliseconds since their carriers answered. */
export type HttpCache = KeepSettings;

/** A document as caches see it. */
export interface CachedDocument {
  readonly carriers: readonly Pick<CarrierStatus, 'ageMs'>[];
  readonly complete: boolean;
  /** Epoch ms at which the first of its offers ends. */
  readonly validUntil?: number;
}

interface CacheContext {
  /** Absent: no cache may keep an answer. */
  readonly cache: HttpCache | undefined;
  /** Times for which answers of carriers are kept here. */
  readonly keep: KeepSettings | undefined;
  /** True if the same address asks the same question on another day, and wants no new answers. */
  readonly isLasting: boolean;
  /** Epoch ms. */
  readonly nowMs: number;
}

const NO_STORE = { 'cache-control': 'no-store' };

/**
 * Returns the headers by which caches know the age of a document, and how long they may keep it: only a complete one, not beyond the
 * time for which its answers are fresh here, and not beyond the end of an offer.
 */
export function cacheHeaders(
  { carriers, complete, validUntil = Number.POSITIVE_INFINITY }: CachedDocument,
  { cache, keep, isLasting, nowMs }: CacheContext,
): Readonly<Record<string, string>> {
  const ages = carriers.flatMap(({ ageMs }) => ageMs ?? []);
  const ageMs = Math.max(0, ...ages);
  const age = ages.length > 0 && { age: seconds(ageMs) };
  if (cache === undefined || !complete || !isLasting) return { ...NO_STORE, ...age };
  const lastsMs = validUntil - nowMs + ageMs;
  const freshMs = Math.min(cache.freshMs, keep?.freshMs ?? cache.freshMs, lastsMs);
  const staleMs = Math.min(cache.staleMs, keep?.staleMs ?? cache.staleMs, lastsMs - freshMs);
  const leftMs = freshMs - ageMs;
  if (leftMs < 1000) return { ...NO_STORE, ...age };
  const rest = staleMs >= 1000 ? `, stale-while-revalidate=${seconds(staleMs)}` : '';
  return {
    // `max-age` counts from the answers of the carriers, as `age` does.
    'cache-control': `public, max-age=${seconds(freshMs)}${rest}`,
    ...age,
    // nginx does not subtract `age`.
    ...(ageMs >= 1000 && { 'x-accel-expires': seconds(leftMs) }),
  };
}

function seconds(ms: number): string {
  return String(Math.floor(ms / 1000));
}
