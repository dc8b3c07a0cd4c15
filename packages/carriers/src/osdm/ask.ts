import { addDays, CarrierError, type CarrierQuery, type LocalClock } from '@ticketing/core';
import { readKnown, type TimePage, writeKnown } from '../wire/paging/time-pages.ts';

const MINUTE_MS = 60_000;
const TOKEN = /^([da])(\d{1,15})(?:~([^?]*))?(\?.*)?$/s;
/** Longest token that core accepts, in characters. */
const MAX_TOKEN = 2048;

/** Journeys that one request asks for: on one side of an instant, or behind a link of an earlier answer. */
export interface OsdmAsk extends TimePage {
  /** The query of the link, `?page=…`. */
  readonly link?: string;
}

/** Links of an answer to the pages beside it. */
export interface OsdmLinks {
  readonly next?: string;
  readonly prev?: string;
}

/** Returns whether a query asks for all journeys of a day. */
export function isWholeDay({ time, page }: CarrierQuery): boolean {
  return time === undefined && page === undefined;
}

/** Returns the first instant after a query's day at its origin. */
export function endOfDay({ date, origin }: CarrierQuery, clock: LocalClock): number {
  return clock.epoch(`${addDays(date, 1)}T00:00`, origin.zone);
}

/**
 * Returns what a query asks for first. A day begins at midnight, today now.
 *
 * @throws CarrierError `BAD_REQUEST` for a page of another carrier
 */
export function firstAsk(
  carrier: string,
  { origin, destination, date, time, arriveBy, page }: CarrierQuery,
  { clock, nowMs }: { readonly clock: LocalClock; readonly nowMs: number },
): OsdmAsk {
  if (page !== undefined) {
    const ask = readToken(page);
    if (ask !== undefined) return ask;
    throw new CarrierError(
      'BAD_REQUEST',
      `Cannot ask \`${carrier}\`: \`page.token\` is not one of its own`,
    );
  }
  if (arriveBy) {
    const atMs = clock.epoch(`${date}T${time}`, destination.zone);
    return { atMs, by: 'arrival', direction: 'earlier' };
  }
  const atMs = clock.epoch(`${date}T${time ?? '00:00'}`, origin.zone);
  const isToday = time === undefined && clock.dateOf(nowMs, origin.zone) === date;
  const thisMinute = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  return { atMs: isToday ? thisMinute : atMs, by: 'departure', direction: 'later' };
}

/** Returns the ask for the rest of a day after a page, `undefined` when there is none. An overlap is possible, a gap is not. */
export function restOfDay(
  ask: OsdmAsk,
  { times, links }: { readonly times: readonly number[]; readonly links: OsdmLinks },
): OsdmAsk | undefined {
  const linked = followLink(ask, links.next);
  if (linked !== undefined) return linked;
  if (times.length === 0 || ask.link !== undefined) return undefined;
  const last = times.reduce((a, b) => Math.max(a, b));
  return { ...ask, atMs: last > ask.atMs ? last : ask.atMs + MINUTE_MS };
}

/** Returns the token of an ask. */
export function writeToken(ask: OsdmAsk): string {
  const { atMs, by, link = '' } = ask;
  return `${by.charAt(0)}${atMs}${writeKnown(ask)}${link}`;
}

function readToken({ token, direction }: NonNullable<CarrierQuery['page']>): OsdmAsk | undefined {
  const [, by, at, ids, link] = TOKEN.exec(token) ?? [];
  const atMs = Number(at);
  // The years that clocks can read.
  if (!(atMs > Date.UTC(1973, 1) && atMs < Date.UTC(2199, 11))) return undefined;
  const known = ids === undefined ? [] : readKnown(ids);
  if (known === undefined) return undefined;
  return {
    atMs,
    known,
    by: by === 'd' ? 'departure' : 'arrival',
    direction,
    ...(link !== undefined && { link }),
  };
}

/**
 * Returns the ask of a link. A link counts by its query alone: never is another host asked. One that is too long for a
 * token is as if absent, and so are the links of a search by arrival: they may lead on by departure, past journeys that arrive later.
 */
export function followLink(ask: OsdmAsk, href: string | undefined): OsdmAsk | undefined {
  if (ask.by === 'arrival' || href === undefined) return undefined;
  if (!URL.canParse(href, 'http://link')) return undefined;
  const link = new URL(href, 'http://link').search;
  if (link === '' || link === ask.link) return undefined;
  const { known: _known, ...rest } = ask;
  const linked = { ...rest, link };
  return writeToken(linked).length <= MAX_TOKEN ? linked : undefined;
}
