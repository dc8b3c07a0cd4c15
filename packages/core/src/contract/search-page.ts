import type { CarrierId } from '../model/journey.ts';

/**
 * One token for each pair of stations that a carrier is asked for, `null` where it has no more; or one part of a day.
 * Empty: ask again without a token.
 */
export type PageTokens = readonly (string | null)[];

/** Side of a result on which further journeys are. */
export type Direction = 'earlier' | 'later';

/** Address of the journeys before or after a result: plain data, valid for the same query alone. */
export interface SearchPage {
  readonly v: 1;
  /** Hash of the query without `page`. */
  readonly query: string;
  readonly direction: Direction;
  /** The carriers that have more. The others are not asked. */
  readonly byCarrier: Readonly<Record<CarrierId, PageTokens>>;
}

/**
 * The pages beside a result. A direction is absent when no carrier has more there. Follow one direction from the
 * first result: a carrier that has no more journeys in one direction is not asked on the way back.
 */
export interface SearchPages {
  readonly earlier?: SearchPage;
  readonly later?: SearchPage;
}
