import { addDays, CarrierError, type CarrierQuery, type LocalClock } from '@ticketing/core';

const MINUTE_MS = 60_000;
const TOKEN = /^([da])([ab])(\d{1,8})(\?.*)?$/s;
/** Longest token that core accepts, in characters. */
const MAX_TOKEN = 2048;

/** Which journeys one request asks for: those on one side of an instant, or those that a link of an earlier answer leads to. */
export interface OsdmAsk {
  readonly atMs: number;
  readonly by: 'departure' | 'arrival';
  readonly side: 'after' | 'before';
  /** The query of the link, `?page=…`. */
  readonly link?: string;
}

/** What decides the asks beside an answer: the times of its journeys by the ask's end of them, and its links. */
export interface OsdmFound {
  readonly times: readonly number[];
  readonly links: { readonly next?: string; readonly prev?: string };
}

/** Whether a query asks for all journeys of a day. */
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
    const ask = readToken(page.token);
    if (ask !== undefined) return ask;
    throw new CarrierError(
      'BAD_REQUEST',
      `Cannot ask \`${carrier}\`: \`page.token\` is not one of its own`,
    );
  }
  if (arriveBy) {
    return {
      atMs: clock.epoch(`${date}T${time}`, destination.zone),
      by: 'arrival',
      side: 'before',
    };
  }
  const atMs = clock.epoch(`${date}T${time ?? '00:00'}`, origin.zone);
  const isToday = time === undefined && clock.dateOf(nowMs, origin.zone) === date;
  const thisMinute = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  return { atMs: isToday ? thisMinute : atMs, by: 'departure', side: 'after' };
}

/** Returns the ask for the journeys after an answer, `undefined` when there are none. An overlap is possible, a gap is not. */
export function laterAsk(ask: OsdmAsk, { times, links }: OsdmFound): OsdmAsk | undefined {
  const linked = followLink(ask, links.next);
  if (linked !== undefined) return linked;
  const { atMs, by, side, link } = ask;
  if (side === 'before' && link === undefined) return { atMs, by, side: 'after' };
  if (times.length === 0) return undefined;
  const last = times.reduce((a, b) => Math.max(a, b));
  const isStuck = link === undefined && last <= atMs;
  return { atMs: isStuck ? atMs + MINUTE_MS : last, by, side: 'after' };
}

/** Returns the ask for the journeys before an answer, in the same way. */
export function earlierAsk(ask: OsdmAsk, { times, links }: OsdmFound): OsdmAsk | undefined {
  const linked = followLink(ask, links.prev);
  if (linked !== undefined) return linked;
  const { atMs, by, side, link } = ask;
  if (side === 'after' && link === undefined) return { atMs, by, side: 'before' };
  if (times.length === 0) return undefined;
  // A provider may leave out journeys at the instant itself, and a page may end between two of one minute.
  const first = times.reduce((a, b) => Math.min(a, b));
  const isProgress = (next: number): boolean => link !== undefined || next < atMs;
  const next = [first + MINUTE_MS, first].find(isProgress) ?? atMs - MINUTE_MS;
  return { atMs: next, by, side: 'before' };
}

/** Returns the token that stands for an ask. */
export function writeToken({ atMs, by, side, link = '' }: OsdmAsk): string {
  return `${by.charAt(0)}${side.charAt(0)}${Math.floor(atMs / MINUTE_MS)}${link}`;
}

function readToken(token: string): OsdmAsk | undefined {
  const [, by, side, minutes, link] = TOKEN.exec(token) ?? [];
  const atMs = Number(minutes) * MINUTE_MS;
  // The years that clocks can read.
  if (!(atMs > Date.UTC(1973, 1) && atMs < Date.UTC(2199, 11))) return undefined;
  return {
    atMs,
    by: by === 'd' ? 'departure' : 'arrival',
    side: side === 'a' ? 'after' : 'before',
    ...(link !== undefined && { link }),
  };
}

/** A link counts by its query alone: never is another host asked. One that is too long for a token is as if absent. */
function followLink(ask: OsdmAsk, href: string | undefined): OsdmAsk | undefined {
  if (href === undefined || !URL.canParse(href, 'http://link')) return undefined;
  const link = new URL(href, 'http://link').search;
  if (link === '' || link === ask.link) return undefined;
  const linked = { ...ask, link };
  return writeToken(linked).length <= MAX_TOKEN ? linked : undefined;
}
